"""torch.compile of attention: ms at N = 4,096 and d = 128, ratios over four shapes."""

from draw.tables._practices import compiled, ms

CALLS = [(what, c) for what in ("standard", "sdpa", "ours") for c in (False, True)]
SAY = {
    "en": {
        "head": (
            "forward { .tw-above }", "as it is, ms", "compiled, ms",
            "compiled / as it is", "compiled / PyTorch's function",
        ),
        ("standard", False): "written out, no mask",
        ("standard", True): "written out, causal",
        ("sdpa", False): "PyTorch's function, no mask",
        ("sdpa", True): "PyTorch's function, causal",
        ("ours", False): "ours, no mask", ("ours", True): "ours, causal",
        "span": "{} to {}",
    },
    "zh": {
        "head": (
            "前向 { .tw-above }", "不编译，ms", "编译，ms", "编译 / 不编译",
            "编译 / PyTorch 的函数",
        ),
        ("standard", False): "照公式写，不加掩码",
        ("standard", True): "照公式写，因果",
        ("sdpa", False): "PyTorch 的函数，不加掩码",
        ("sdpa", True): "PyTorch 的函数，因果",
        ("ours", False): "本书，不加掩码", ("ours", True): "本书，因果",
        "span": "{} 到 {}",
    },
}


def span(say, ratios):
    """Least and most: two decimals, or one above 2."""
    ends = [f"{x:.1f}" if x > 2 else f"{x:.2f}" for x in (min(ratios), max(ratios))]
    return say["span"].format(*ends)


def lines(say):
    """A line for each call."""
    for what, causal in CALLS:
        which = {"n": 4096, "d": 128, "causal": causal, "graph": True}
        both = [ms("compiled", x, **which) for x in (what, f"{what}, compiled")]
        own = span(say, compiled(what, causal))
        theirs = span(say, compiled(what, causal, before="sdpa"))
        yield say[what, causal], *(f"{x:.2f}" for x in both), own, theirs
