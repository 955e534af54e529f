"""One new token against 16,384 keys: µs of three kernels, by KV heads and batch."""

from itertools import product

from draw.figures._bench import SHORT, table
from draw.figures._svg import count
from draw.tables._practices import FUSED, ms

HEADS = (32, 8, 1)
BATCHES = (1, 16)
SAY = {
    "en": {
        "head": "µs", "ours": "ours", 1: "1 sequence, {k}", 16: "16 sequences, {k}",
        "k": "{k} KV heads", "one": "1 KV head",
    },
    "zh": {
        "head": "µs", "ours": "本书", 1: "1 条序列，{k}", 16: "16 条序列，{k}",
        "k": "{k} 个 KV 头", "one": "1 个 KV 头",
    },
}


def time(kernel, k, batch):
    """µs of a kernel with k KV heads for 32 query heads."""
    return 1e3 * ms("groups", f"{kernel}, {k}", part="decoding", batch=batch)


def draw(lang):
    """A Markdown table with a row for each number of sequences and KV heads."""
    say, lines = SAY[lang], []
    for batch, k in product(BATCHES, HEADS):
        heads = say["one"] if k == 1 else say["k"].format(k=k)
        cells = [count(round(time(kernel, k, batch))) for kernel in FUSED]
        lines.append([say[batch].format(k=heads), *cells])
    names = [say.get(kernel) or SHORT[kernel] for kernel in FUSED]
    return table([say["head"], *names], lines)
