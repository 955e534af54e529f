"""Five number formats side by side, from their bits alone."""

import math

from draw.tables._errors import power

from tilewise.rounding import FORMATS, largest, smallest

SAY = {
    "en": {
        "head": (
            "format { .tw-above }", "exponent, fraction", "unit $u$", "largest",
            "smallest normal number", "$e^x$ overflows past",
        ),
        "comma": ", ",
    },
    "zh": {
        "head": (
            "格式 { .tw-above }", "指数位、尾数位", "单位 $u$", "最大数",
            "最小的正规数", "$e^x$ 的上溢界限",
        ),
        "comma": "、",
    },
}


def lines(say):
    """A line for each format."""
    for name, (exponent, fraction) in FORMATS.items():
        most = largest(name)
        yield (
            name, f"{exponent}{say['comma']}{fraction}", f"$2^{{-{fraction + 1}}}$",
            f"{most:,.0f}" if most < 1e6 else power(most),
            power(smallest(name)), f"{math.log(most):.2f}",
        )
