"""Numbers in the prose of the page on a GPU's memory: roofs, the ridge, long rows."""

from draw.figures._plot import results
from draw.tables.why.one_clock import rows

from tilewise.hardware import CEILINGS, ridge

LONG = {"batch": 2, "heads": 32, "n": 8192, "d": 64}  # the small dots of the roofline


def share(row):
    """Bandwidth of HBM that a kernel reached, in percent of that of a large copy."""
    speed = (row["dram_read"] + row["dram_write"]) / row["ms"] * 1e3
    return f"{100 * speed / CEILINGS['hbm']['value']:.0f}"


def numbers():
    """{name: text} of every number that this page takes."""
    found = results("h200-2026-11-20-roofline")
    power = found["power"]
    long = {x["what"]: x for x in found["rows"] if LONG.items() <= x.items()}
    amount = {name: per for name, _, per, _ in rows()}
    flat, slope = CEILINGS["bf16"]["value"], CEILINGS["hbm"]["value"]
    return {
        "flat": f"{flat / 1e12:.0f}",
        "slope": f"{slope / 1e12:.2f}",
        "per_number": f"{round(2 * amount['bf16'] / amount['hbm'], -1):.0f}",
        "ridge_number": f"{2 * round(ridge('H200'))}",
        "long_softmax": share(long["softmax"]),
        "long_compiled": share(long["scaled_softmax"]),
        "limit": found["machine"]["power_limit"].removesuffix(".00 W"),
        "throttled": f"{power['matmul']['sm_clock_mhz'] / 1e3:.2f}",
        "full_clock": f"{power['idle']['sm_clock_mhz'] / 1e3:.2f}",
    }
