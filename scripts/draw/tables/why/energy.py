"""What moving a number costs in energy beside using it, from the power of an H200."""

from draw.figures._plot import digits, rate, results

SAY = {
    "en": {
        "head": ("the H200 does nothing but", "power over idle", "rate", "energy"),
        "matmul": "8192³ products, bf16", "copy": "copies in HBM",
    },
    "zh": {
        "head": ("H200 只做一件事", "比空闲时高出的功率", "速率", "能耗"),
        "matmul": "8192³ 矩阵乘法，bf16", "copy": "在 HBM 里拷贝",
    },
}
UNIT = {"matmul": ("FLOP/s", "FLOP"), "copy": ("B/s", "B")}


def picojoules(what):
    """Power over idle ÷ rate: energy in pJ a FLOP, or a byte read or written."""
    power = results("h200-2026-11-20-roofline")["power"]
    watts = power[what]["watts"] - power["idle"]["watts"]
    return watts, power[what]["per_second"], watts / power[what]["per_second"] * 1e12


def lines(say):
    """A product, and a copy."""
    for what, (unit, one) in UNIT.items():
        watts, speed, energy = picojoules(what)
        power, flow = f"{watts:.0f} W", rate(speed, unit)
        told = (x.replace(" ", "\u00a0") for x in (power, flow))
        yield say[what], *told, f"{digits(energy)}\u00a0pJ/{one}"
