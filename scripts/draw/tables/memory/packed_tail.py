"""Documents with a long tail of lengths: ms of ways to attend to them, and memory."""

from draw.tables._varlen import results, tail

from tilewise.bench.cells import PASSES

D = 128
SAY = {
    "en": {
        "head": (
            "ms { .tw-above }", "causal: forward", "backward", "no mask: forward",
            "backward", "memory, GB",
        ),
        "gluon_varlen": "packed",
        "varlen": "packed, plain Triton",
        "varlen_attn": "`varlen_attn`",
        "flex": "FlexAttention",
        "padded": "padded",
        "sdpa with a mask": "a matrix as mask",
        "none": "wrong",
    },
    "zh": {
        "head": (
            "毫秒 { .tw-above }", "因果：前向", "反向", "无掩码：前向", "反向",
            "显存，GB",
        ),
        "gluon_varlen": "打包",
        "varlen": "打包，纯 Triton 内核",
        "varlen_attn": "`varlen_attn`",
        "flex": "FlexAttention",
        "padded": "填充",
        "sdpa with a mask": "掩码写成矩阵",
        "none": "结果错",
    },
}
NAMES = list(SAY["en"])[1:-1]


def lines(say):
    """A line for each way at d = 128; padding fits causal masks."""
    for name in NAMES:
        found = {way: tail(way, name) for way in PASSES}
        cells = [found[way][D, causal] for causal in (True, False) for way in PASSES]
        cells = [f"{x:.2f}" if x else say["none"] for x in cells]
        yield say[name], *cells, f"{results()['memory'][name] / 1e9:.2f}"
