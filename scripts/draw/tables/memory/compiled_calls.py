"""torch.compile of attention, N = 4,096 and d = 128: ms as it is, and compiled."""

from draw.figures._bench import table
from draw.tables._practices import ms

CALLS = (("standard", False), ("standard", True), ("sdpa", True), ("ours", True))
SAY = {
    "en": {
        "head": ("ms, forward", "as it is", "compiled"),
        ("standard", False): "written out, no mask",
        ("standard", True): "written out, causal",
        ("sdpa", True): "PyTorch's function, causal", ("ours", True): "ours, causal",
    },
    "zh": {
        "head": ("ms，前向", "不编译", "编译"),
        ("standard", False): "照公式写，不加掩码",
        ("standard", True): "照公式写，因果",
        ("sdpa", True): "PyTorch 的函数，因果", ("ours", True): "本书，因果",
    },
}


def draw(lang):
    """A Markdown table with a row for each call."""
    lines = []
    for what, causal in CALLS:
        which = {"n": 4096, "d": 128, "causal": causal, "graph": True}
        both = [ms("compiled", x, **which) for x in (what, f"{what}, compiled")]
        lines.append([SAY[lang][what, causal], *(f"{x:.2f}" for x in both)])
    return table(SAY[lang]["head"], lines)
