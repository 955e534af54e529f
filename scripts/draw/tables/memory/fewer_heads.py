"""Time with fewer KV heads over time with one for each query head."""

from draw.figures._bench import table
from draw.tables._practices import FUSED, NAMES, fewer
from draw.tables.memory.decoding import time
from draw.tables.memory.fixed_order import span

SAY = {
    "en": {
        "head": "fewer KV heads / all KV heads { .tw-above }", "ours": "ours",
        "training": "training, 4 or 1 KV heads for 16", "span": "{} to {}",
        1: "decoding, 8 KV heads for 32, 1 sequence",
        16: "decoding, 8 KV heads for 32, 16 sequences",
    },
    "zh": {
        "head": "减少 KV 头 / 不减少 { .tw-above }", "ours": "本书",
        "training": "训练，16 个查询头配 4 个或 1 个 KV 头", "span": "{} 到 {}",
        1: "解码，32 个查询头配 8 个 KV 头，1 条序列",
        16: "解码，32 个查询头配 8 个 KV 头，16 条序列",
    },
}


def decoded(kernel, batch):
    """A new token with 8 KV heads over one with 32."""
    return time(kernel, 8, batch) / time(kernel, 32, batch)


def draw(lang):
    """A Markdown table: training, and decoding with two numbers of sequences."""
    say, ratios = SAY[lang], fewer()
    size = len(ratios) // len(FUSED)  # of each kernel, one after another
    parts = [ratios[k * size : (k + 1) * size] for k in range(len(FUSED))]
    spans = [span(say, min(x), max(x)) for x in parts]
    lines = [[say["training"], *spans]]
    for batch in (1, 16):
        lines.append([say[batch], *(f"{decoded(x, batch):.2f}" for x in FUSED)])
    return table([say["head"], *(NAMES.get(x) or say[x] for x in FUSED)], lines)
