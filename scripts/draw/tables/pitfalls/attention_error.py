"""Error of standard attention and of both orders of tiles, in five formats."""

from draw.tables._errors import power, rows, units, worst

from tilewise.rounding import FORMATS

WHATS = ("standard", "flash1", "flash2")
RESULTS = (("o",), ("dq", "dk", "dv"))
SAY = {
    "en": {
        "head": (
            "format, result { .tw-line .tw-above }", "in $u$: standard", "FA1",
            "FA2", "largest: standard", "FA1", "FA2",
        ),
        "results": ("{}, $O$", "{}, gradients"),
    },
    "zh": {
        "head": (
            "格式与结果 { .tw-line .tw-above }", "以 $u$ 计：标准", "FA1", "FA2",
            "最大误差：标准", "FA1", "FA2",
        ),
        "results": ("{}，$O$", "{}，梯度"),
    },
}


def lines(say):
    """The rms in units of u, the largest error as it is."""
    found = rows("rows")
    for name in FORMATS:
        for result, tensors in zip(say["results"], RESULTS, strict=True):
            cells = [units(worst(found, w, name, tensors, "rms")) for w in WHATS]
            cells += [power(worst(found, w, name, tensors, "max")) for w in WHATS]
            yield result.format(name), *cells
