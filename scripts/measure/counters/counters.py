"""Count what attention moves through the L2 and the DRAM of the GPU at hand.

    python scripts/measure/counters/counters.py

Standard attention in four kernels and the two loop orders of FlashAttention in Triton
kernels of our own, each checked before it is timed and counted with `ncu`; and how much
of a set that is read again and again stays in L2. Writes
benchmarks/results/<gpu>-<date>-counters.json.
"""

import sys
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.counters._orders import loops, start
from measure.counters._reread import prepare
from measure.shared.attention import draw, error, standard
from measure.shared.machine import milliseconds
from measure.shared.ncu import mark, number, profile
from measure.shared.results import machine, write

METHOD = """bf16, forward, no mask, random normal inputs drawn afresh for every row.
standard: PyTorch's kernels for two products, scaling, softmax. kv-outer: Algorithm 1 of
FlashAttention, lines 5 to 15, one program a head; O in bf16, l and m in fp32, all in
HBM; line-2 prepares them, in three kernels and a row of its own. q-outer: Algorithm 1
of FlashAttention-2, one program a block of rows; it stores O and L. Checked first: two
heads against float64, error at most twice that of the standard kernels at N = 1024,
and for kv-outer, which rounds O to bf16 in each of T_c rounds, 2^-9 sqrt(T_c) more;
no value unwritten (freed blocks hold NaN). ms: median of 20 runs between CUDA events,
L2 emptied by reading 512 MiB before each; kv-outer without line 2. Counters: ncu
--clock-control none --cache-control none, one pass a kernel, L2 emptied the same way;
three calls, all in the list, each the sum of its kernels. dram_read, dram_write:
dram__bytes_read.sum, dram__bytes_write.sum; dram_write_after: written while 512 MiB are
read after the call, so left in L2 by it. l2_read, l2_write: sectors of 32 bytes between
the SMs and L2, lts__t_sectors_srcunit_tex_op_read.sum and _write; l2_fabric: between
the halves of L2, lts__t_sectors_srcunit_ltcfabric.sum. programs_per_sm: the least of
launch__occupancy_limit_blocks, _registers, _shared_mem and _warps. reread: one program
an SM reads its part of a set (shared: each reads the whole set) in order, ten times,
past L1; missed: bytes from DRAM in rounds 2 to 10 over bytes of the set in them. Clocks
and power limit as found."""

RUNS, ROUNDS, SECTOR = 3, 10, 32
COUNTERS = {
    "dram_read": "dram__bytes_read.sum",
    "dram_write": "dram__bytes_write.sum",
    "l2_read": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_write": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_fabric": "lts__t_sectors_srcunit_ltcfabric.sum",
}
LIMITS = [
    f"launch__occupancy_limit_{x}"
    for x in ("blocks", "registers", "shared_mem", "warps")
]
LAUNCH = {
    "threads": "launch__block_size",
    "registers": "launch__registers_per_thread",
    "shared_memory_bytes": "launch__shared_mem_per_block",
}
KEYS = ("what", "batch", "heads", "n", "block_rows", "block_cols", "warps")
CALLS = [  # the table's rows, then other tiles and lengths, then few heads
    ("standard", 64, 16, 1024),
    ("line-2", 64, 16, 1024),
    ("kv-outer", 64, 16, 1024, 64, 64, 4),
    ("kv-outer", 64, 16, 1024, 64, 256, 8),
    ("q-outer", 64, 16, 1024, 128, 64, 8),
    ("kv-outer", 64, 16, 1024, 64, 128, 4),
    ("kv-outer", 64, 16, 1024, 64, 128, 8),
    ("kv-outer", 64, 16, 1024, 128, 64, 8),
    ("kv-outer", 64, 16, 1024, 128, 128, 8),
    ("q-outer", 64, 16, 1024, 64, 64, 4),
    ("q-outer", 64, 16, 1024, 128, 128, 8),
    ("kv-outer", 128, 16, 512, 64, 64, 4),
    ("kv-outer", 128, 16, 512, 64, 128, 4),
    ("kv-outer", 128, 16, 512, 64, 256, 8),
    ("kv-outer", 32, 16, 2048, 64, 256, 8),
    ("standard", 16, 16, 4096),
    ("kv-outer", 16, 16, 4096, 64, 128, 4),
    ("kv-outer", 16, 16, 4096, 64, 256, 8),
    ("q-outer", 16, 16, 4096, 128, 64, 8),
    ("q-outer", 16, 16, 4096, 64, 64, 4),
    ("q-outer", 4, 16, 16384, 128, 64, 8),
    ("standard", 1, 16, 8192),
    ("kv-outer", 1, 16, 8192, 64, 128, 4),
    ("q-outer", 1, 16, 8192, 64, 64, 4),
    *(("kv-outer", 1, heads, 1024, 64, 256, 8) for heads in (33, 66, 99, 132)),
    *(("kv-outer", 1, heads, 1024, 64, 128, 4) for heads in (66, 132, 198, 264)),
    *(("kv-outer", 1, heads, 512, 64, 64, 4) for heads in (132, 264, 396, 528)),
]
ROWS = [{"d": 64} | dict(zip(KEYS, call, strict=False)) for call in CALLS]
SETS = [  # MiB, shared by all programs
    *((mib, True) for mib in (16, 20, 24, 28, 30, 32, 34, 36, 40, 48, 56, 64)),
    *((mib, False) for mib in (16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64)),
]


def call(row):
    """(what to count, the same from its start on, q, k, v) of a row."""
    q, k, v = draw(*(row[key] for key in ("batch", "heads", "n", "d")))
    if row["what"] == "standard":
        return lambda: standard(q, k, v), lambda: standard(q, k, v), (q, k, v)
    if row["what"] == "line-2":
        return lambda: start("kv-outer", q), None, (q, k, v)
    how = row["block_rows"], row["block_cols"], row["warps"]
    order, state = row["what"], start(row["what"], q)
    whole = lambda: loops(order, q, k, v, start(order, q), *how)  # noqa: E731
    return lambda: loops(order, q, k, v, state, *how), whole, (q, k, v)


def check(row):
    """Add a row's error and times; stop if it is wrong."""
    f, whole, qkv = call(row)
    if whole:
        row["error"], allowed = error(whole, *qkv), 2 * ROWS[0].get("error", 5e-3)
        if row["what"] == "kv-outer":
            allowed += 2**-9 * (row["n"] / row["block_cols"]) ** 0.5
        if not row["error"] <= allowed:
            raise SystemExit(f"wrong: {row}")
    row |= milliseconds(f)
    print(*row.values())


def reads():
    """(function, bytes of the set) of each of SETS."""
    programs = torch.cuda.get_device_properties(0).multi_processor_count
    for mib, shared in SETS:
        yield prepare(mib * 2**20, shared, ROUNDS, programs)


def child():
    """Under ncu: mark every call of ROWS, RUNS times, and every set of SETS."""
    full = torch.ones(2**27, device="cuda")
    for row in ROWS:
        f = call(row)[0]
        for _ in range(RUNS):
            mark(f, full.sum)
        del f
        torch.cuda.empty_cache()
    for f, _ in reads():
        mark(f, full.sum)


def total(kernels, name):
    """A counter's bytes, over all kernels of a call."""
    size = SECTOR if "sectors" in COUNTERS[name] else 1
    return round(size * sum(number(r[COUNTERS[name]]) for r in kernels))


def count():
    """Add the counters to ROWS; return the rows of SETS."""
    names = [*COUNTERS.values(), *LAUNCH.values(), *LIMITS]
    found = profile(names, __file__, "--counters")
    if len(found) != RUNS * len(ROWS) + len(SETS):
        raise SystemExit(f"{len(found)} marks for {len(ROWS)} rows, {len(SETS)} sets")
    for row in ROWS:
        mine, found = found[:RUNS], found[RUNS:]
        row["kernels"] = [r["Kernel Name"][:72] for r in mine[0][0]]
        if row["what"].endswith("outer"):
            one = mine[0][0][0]
            row |= {key: round(number(one[name])) for key, name in LAUNCH.items()}
            row["programs_per_sm"] = min(round(number(one[name])) for name in LIMITS)
        for name in COUNTERS:
            row[name] = [total(kernels, name) for kernels, _ in mine]
        row["dram_write_after"] = [total(after, "dram_write") for _, after in mine]
    return [again(*x) for x in zip(SETS, reads(), found, strict=True)]


def again(how, made, found):
    """The row of one of SETS."""
    size, read = made[1], total(found[0], "dram_read")
    missed = round((read - size) / (size * (ROUNDS - 1)), 4)
    return {"bytes": size, "shared": how[1], "dram_read": read, "missed": missed}


def main():
    """Check and time, count, write."""
    print(machine())
    for row in ROWS:
        check(row)
        torch.cuda.empty_cache()
    results = {"triton": triton.__version__, "runs": RUNS, "rounds": ROUNDS}
    results |= {"reread": count(), "rows": ROWS}
    write("counters", METHOD, results)


if __name__ == "__main__":
    child() if sys.argv[1:] == ["--counters"] else main()
