"""Memory on top of inputs and results, against N, in one forward pass and in a step."""

from draw.figures._bench import bench, table
from draw.figures._svg import count

D, MIB = 128, 2**20
LENGTHS = (1024, 4096, 16384)
SAY = {
    "en": {
        "scores": "one score matrix a head",
        "forward": "forward, {}", "step": "step, {}",
        "flash_attention": "ours", "flash": "FlashAttention-2", "math": "standard",
        "none": "too large",
    },
    "zh": {
        "scores": "每个头一个分数矩阵", "forward": "前向，{}", "step": "一步，{}",
        "flash_attention": "本书", "flash": "FlashAttention-2", "math": "标准注意力",
        "none": "放不下",
    },
}


def extra(row):
    """MiB beyond the inputs and the results, None where it did not fit."""
    if "peak_bytes" not in row:
        return None
    return max(0, row["peak_bytes"] - row["result_bytes"]) / MIB


def draw(lang):
    """A Markdown table in MiB, all heads together, d = 128, no mask."""
    say, memory = SAY[lang], (row for row in bench()["memory"] if row["d"] == D)
    found = {(row["kernel"], row["pass"], row["n"]): row for row in memory}
    rows = [[found["flash", "forward", n]["scores_bytes"] / MIB for n in LENGTHS]]
    names = [say["scores"]]
    for part in ("forward", "step"):
        for kernel in ("flash_attention", "flash", "math"):
            rows.append([extra(found[kernel, part, n]) for n in LENGTHS])
            names.append(say[part].format(say[kernel]))
    lines = [
        [name, *(say["none"] if x is None else count(round(x)) for x in values)]
        for name, values in zip(names, rows, strict=True)
    ]
    return table(["MiB", *(f"$N$ = {n // 1024}k" for n in LENGTHS)], lines)
