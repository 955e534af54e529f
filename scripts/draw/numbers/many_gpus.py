"""Numbers in the prose of the page on many GPUs: measured on one H200 and on two."""

from draw.tables.memory import ring_memory as memory
from draw.tables.memory import ring_times as table

from tilewise.ledger.ring import LINKS, step_bytes, working_set

N, SHARE, GROUPED = 131_072, 32_768, "16 heads, 2 of keys"
NAMES = {  # what a head needs meanwhile, as the ledger says
    "keys_mib": "k, v", "sums_mib": "dk, dv, sent", "dq_mib": "dq, sum",
    "part_mib": "dq, dk, dv of the step", "kernel_mib": "the kernel's",
}


def times():
    """How fast two GPUs are, what overlap gains, and PyTorch's way."""
    every, grouped = table.times(), table.times(GROUPED)
    for name, shape in (("fast", table.SHAPE), ("grouped", GROUPED)):
        gains = [table.gain(n, shape) for n in (N, 2 * N, 4 * N)]
        yield f"{name}_least", f"{min(gains):.2f}"
        yield f"{name}_most", f"{max(gains):.2f}"
    for name, ms in (("loss", every), ("turn", grouped)):
        yield f"{name}_two", f"{ms[2, 'ring', 16_384]:.1f}"
        yield f"{name}_one", f"{ms[1, 'ring', 16_384]:.1f}"
    for name, n in (("overlap_short", 16_384), ("overlap", SHARE)):
        later = every[2, "ring_first", n] / every[2, "ring", n] - 1
        yield name, f"{100 * later:.0f}"
    sent = step_bytes(N, 2, 1, 128)
    yield "message_mb", f"{sent / 1e6:.0f}"
    yield "message_ms", f"{16e3 * sent / LINKS['NVLink'][0]:.1f}"
    yield "forward_ms", f"{rows()[2, 'ring', table.SHAPE, N]['forward_ms']:.0f}"
    lost = grouped[2, "ring", N] / grouped[2, "ring_first", N] - 1
    yield "grouped_loses", f"{100 * lost:.0f}"
    one, two = (every[world, "torch_allgather", N] for world in (1, 2))
    yield "torch_two", f"{two / every[2, 'ring', N]:.2f}"
    yield "torch_one", f"{one / every[1, 'ring', N]:.2f}"
    yield "torch_gain", f"{one / two:.2f}"
    yield "ring_gain", f"{table.gain(N):.2f}"


def rows():
    """{(number of GPUs, way, shape, N): row} of the results."""
    data = table.found()["rows"]
    return {(r["world"], r["way"], r["shape"], r["n"]): r for r in data}


def memories():
    """What a rank takes, in GiB, and how many positions would fill the card."""
    each = working_set(SHARE, SHARE, 1, 128, 128, backward=True)
    yield "head_mib", f"{sum(each.values()) / 2**20:.0f}"
    for name, key in NAMES.items():
        yield name, f"{each[key] / 2**20:.0f}"
    yield "all_gib", memory.say(16 * sum(each.values()))
    most, grouped = memory.peaks(), memory.peaks(GROUPED)
    yield "one_gib", memory.say(most[1, "ring", N])
    yield "torch_gib", memory.say(most[1, "torch_allgather", N])
    few, whole = grouped[2, "ring_first", N], grouped[1, "ring", N]
    yield "few_gib", memory.say(few)
    yield "whole_gib", memory.say(whole)
    yield "share", f"{few / whole:.2f}"
    yield "replay_gib", memory.say(grouped[2, "ring", N])
    row = rows()[2, "ring", table.SHAPE, 2**20]
    yield "million_gib", f"{row['peak_bytes'] / 2**30:.1f}"
    yield "million_s", f"{row['ms'] / 1e3:.0f}"
    for x in table.found()["longest"]:
        if (x["way"], x["shape"]) == ("ring", table.SHAPE):
            name = {1: "fill_one", 2: "fill_two"}[x["world"]]
            yield name, f"{x['extrapolated_n'] / 1e6:.1f}"


def errors():
    """How much larger the error of o is on two GPUs, whose parts are rounded first."""
    o = {
        row["world"]: row["error"]["o"]
        for row in table.found()["checks"]
        if (row["way"], row["shape"]) == ("ring", table.SHAPE)
    }
    yield "o_error", f"{o[2] / o[1]:.2f}"


PARTS = (times, memories, errors)
