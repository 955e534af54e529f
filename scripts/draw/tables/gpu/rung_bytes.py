"""Bytes of the first three rungs: the ledger's count, at L2, at DRAM, and the gap."""

import statistics

from draw.figures._bench import bench

from tilewise.ledger import in_bytes, standard_forward
from tilewise.ledger.cache import dram

SIZES = {"naive": (), "fa1_order": (64, 64), "fa2_order": (128, 64)}  # B_r, B_c
ORDERS = {"fa1_order": "kv-outer", "fa2_order": "q-outer"}
SAY = {
    "en": {
        "head": ("GB", "ledger", "reached L2", "reached DRAM", "DRAM against ledger"),
        "comma": ", ",
    },
    "zh": {
        "head": ("单位 GB", "账本", "到达 L2", "到达 DRAM", "DRAM 相对账本"),
        "comma": "，",
    },
}


def counted(row):
    """Bytes that the ledger counts: bf16, but ℓ, m and L in fp32, without line 2."""
    kernel, heads = row["kernel"], row["batch"] * row["heads"]
    if kernel == "naive":
        cost = standard_forward(row["n"], row["d"])
        return in_bytes(heads * (cost["reads"] + cost["writes"]), "bf16")
    size = row["n"], row["d"], *SIZES[kernel]
    found = dram(*size, order=ORDERS[kernel], heads=1, side=1, capacity=1)
    return heads * found["asked"]


def measured(row, *keys):
    """Bytes of some counters together: the median of the runs."""
    return statistics.median(map(sum, zip(*(row[key] for key in keys))))


def rows():
    """{rung: (counted, at L2, at DRAM)} in bytes, B = 64, H = 16, N = 1024, d = 64."""
    found = {}
    for row in bench("rungs")["rows"]:
        if row["kernel"] in SIZES and (row["batch"], row["n"]) == (64, 1024):
            l2 = measured(row, "l2_read", "l2_write")
            hbm = measured(row, "dram_read", "dram_write", "dram_write_after")
            found[row["kernel"]] = counted(row), l2, hbm
    return found


def lines(say):
    """A line for each rung."""
    for kernel, (asked, l2, hbm) in rows().items():
        tile = SIZES[kernel] and say["comma"] + "{} × {}".format(*SIZES[kernel])
        off = f"{100 * (hbm / asked - 1):+.1f}%".replace("-", "−")
        off = "0.0%" if off.strip("+−") == "0.0%" else off
        cells = [f"{x / 1e9:.2f}" for x in (asked, l2, hbm)]
        yield f"`{kernel}`{tile or ''}", *cells, off
