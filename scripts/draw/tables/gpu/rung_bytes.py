"""Bytes of the first three rungs: the ledger's count, at L2, at DRAM, and the gap."""

import statistics

from draw.figures._bench import bench

from tilewise import ledger

SIZES = {"naive": (), "fa1_order": (64, 64), "fa2_order": (128, 64)}  # B_r, B_c
COUNTS = {"naive": "standard", "fa1_order": "flash1", "fa2_order": "flash2"}
SAY = {
    "en": {
        "head": ("GB", "ledger", "reached L2", "reached DRAM", "DRAM off by"),
        "comma": ", ",
    },
    "zh": {
        "head": ("单位 GB", "账本", "到达 L2", "到达 DRAM", "DRAM 偏差"),
        "comma": "，",
    },
}


def counted(row):
    """Bytes that the ledger counts for a rung: 2 an element, as in bf16."""
    kernel = row["kernel"]
    count = getattr(ledger, f"{COUNTS[kernel]}_forward")
    cost = count(row["n"], row["d"], *SIZES[kernel])
    elements = row["batch"] * row["heads"] * (cost["reads"] + cost["writes"])
    return ledger.in_bytes(elements, "bf16")


def measured(row, *keys):
    """Bytes of some counters together: the median of the runs."""
    return statistics.median(map(sum, zip(*(row[key] for key in keys))))


def rows():
    """{rung: (counted, at L2, at DRAM)} in bytes, B = 64, H = 16, N = 1024, d = 64."""
    found = {}
    for row in bench("rungs")["rows"]:
        if row["kernel"] in SIZES and (row["batch"], row["n"]) == (64, 1024):
            l2 = measured(row, "l2_read", "l2_write")
            dram = measured(row, "dram_read", "dram_write", "dram_write_after")
            found[row["kernel"]] = counted(row), l2, dram
    return found


def lines(say):
    """A line for each rung."""
    for kernel, (asked, l2, dram) in rows().items():
        tile = SIZES[kernel] and say["comma"] + "{} × {}".format(*SIZES[kernel])
        off = f"{100 * (dram / asked - 1):+.1f}%".replace("-", "−")
        off = "0.0%" if off.strip("+−") == "0.0%" else off
        cells = [f"{x / 1e9:.2f}" for x in (asked, l2, dram)]
        yield f"`{kernel}`{tile or ''}", *cells, off
