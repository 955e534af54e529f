"""Numbers in the prose of the page on a GPU's memory: roofs, the ridge, long rows."""

from draw.figures._plot import results
from draw.tables.why import roofline
from draw.tables.why.one_clock import rows

from tilewise.hardware import CEILINGS, GPUS, ridge

LONG = {"batch": 2, "heads": 32, "n": 8192, "d": 64}  # the small dots of the roofline
KERNELS = ("qk", "scale", "softmax", "pv")


def moved(row):
    """Bytes that crossed between HBM and the chip, as counted."""
    return row["dram_read"] + row["dram_write"]


def chosen(found, shape):
    """{what: row} of one shape."""
    return {x["what"]: x for x in found if shape.items() <= x.items()}


def holds(rows):
    """What the page says of the table's lines, beyond the numbers that they show."""
    extra = moved(rows["standard"]) - sum(moved(rows[x]) for x in KERNELS)
    assert 0 < extra < 0.02 * moved(rows["standard"]), "slightly more than the sum"
    saved = rows["standard"]["ms"] - rows["three_kernels"]["ms"]
    assert saved > rows["scale"]["ms"], "more than the scaling took"


def share(row):
    """Bandwidth of HBM that a kernel reached, in percent of that of a large copy."""
    speed = moved(row) / row["ms"] * 1e3
    return f"{100 * speed / CEILINGS['hbm']['value']:.0f}"


def numbers():
    """{name: text} of every number that this page takes."""
    found = results("h200-2026-11-20-roofline")
    power, long = found["power"], chosen(found["rows"], LONG)
    holds(chosen(found["rows"], roofline.SHAPE))
    amount = {name: per for name, _, per, _ in rows()}
    read = results("h200-2026-11-20-latency")["read_bandwidth"]["hbm"]
    flat, slope = CEILINGS["bf16"]["value"], CEILINGS["hbm"]["value"]
    return {
        "flat": f"{flat / 1e12:.0f}",
        "slope": f"{slope / 1e12:.2f}",
        "read": f"{read['bytes_per_second']['median'] / 1e12:.2f}",
        "read_clock": f"{read['sm_clock_hz'] / 1e9:.2f}",
        "peak_clock": f"{GPUS['H200']['clock']['value'] / 1e9:.2f}",
        "per_number": f"{round(2 * amount['bf16'] / amount['hbm'], -1):.0f}",
        "ridge_number": f"{2 * round(ridge('H200'))}",
        "long_softmax": share(long["softmax"]),
        "long_compiled": share(long["scaled_softmax"]),
        "limit": found["machine"]["power_limit"].removesuffix(".00 W"),
        "throttled": f"{power['matmul']['sm_clock_mhz'] / 1e3:.2f}",
        "full_clock": f"{power['idle']['sm_clock_mhz'] / 1e3:.2f}",
    }
