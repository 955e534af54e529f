"""Asked for, reached L2, reached DRAM, predicted: attention's kernels on an H200."""

from draw.tables._counters import shown

SAY = {
    "en": {
        "head": (
            "GB { .tw-above }", "asked for", "reached L2", "reached DRAM",
            "predicted", "off",
        ),
        "standard": "standard", "kv-outer": "K, V outer", "q-outer": "Q outer",
        "from": "{} to {}", "comma": ", ",
    },
    "zh": {
        "head": (
            "单位 GB { .tw-above }", "请求", "到达 L2", "到达 DRAM", "预测", "偏差",
        ),
        "standard": "标准注意力", "kv-outer": "K、V 在外层", "q-outer": "Q 在外层",
        "from": "{} 到 {}", "comma": "，",
    },
}


def share(predicted, found, digits):
    """By how much a prediction is off, in percent, with its sign."""
    off = f"{100 * (predicted / found - 1):+.{digits}f}%"
    return "0.0%" if off.strip("+-") == "0.0%" else off.replace("-", "−")


def lines(say):
    """A line for each kernel; a prediction that is a range has its two ends."""
    for what, block_rows, block_cols, asked, l2, dram, least, most in shown():
        tile = f"{say['comma']}{block_rows}\u00a0×\u00a0{block_cols}"
        ends = [f"{least:.2f}", f"{most:.2f}"]
        if ends[0] == ends[1]:
            ends, off = ends[0], share(least, dram, 1)
        else:
            off = say["from"].format(share(least, dram, 0), share(most, dram, 0))
            ends = say["from"].format(*ends)
        sizes = (f"{x:.2f}" for x in (asked, l2, dram))
        yield say[what] + tile * bool(block_rows), *sizes, ends, off
