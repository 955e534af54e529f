"""Numbers in the prose of the page on gradient checkpointing, as measured on a GPU."""

from draw.tables.memory import checkpointing_cpu as cpu
from draw.tables.memory import checkpointing_gpu as gpu
from draw.tables.memory import checkpointing_longest as longest

GIB, SHORT = 2**30, 4096


def short():
    """The same of a step that is short: its time, and what each policy adds to it."""
    rows = {x: row for (way, x), row in gpu.rows(SHORT).items() if way == "ours"}
    ratios = {policy: gpu.ratios(row, rows["none"]) for policy, row in rows.items()}
    flops, time = ratios["o"]
    return {
        "short_ms": f"{rows['none']['ms']['median']:.0f}",
        "short_time": f"{time:.1f}",
        "short_flops": f"{flops:.2f}",
    } | {f"short_{x}": f"{ratios[x][1]:.2f}" for x in ("mlp", "block", "apart")}


def numbers():
    """{name: text} of every number that this page takes."""
    row, long = gpu.rows(gpu.N), gpu.rows(gpu.LONG)
    base, block = row["ours", "none"], row["standard", "block"]
    falls = [gpu.ratios(x["ours", "o"], x["ours", "none"])[1] - 1 for x in (row, long)]
    model = gpu.found()["model"]
    weights = model["layers"] * 12 * model["embed_dim"] ** 2 * 4  # with their gradients
    saves = zip(*(cpu.measured()["ours", x][:2] for x in ("none", "block")))
    cpu_saves = [f"{all_ - block:.0f}" for all_, block in saves]
    off = [100 * (a / b - 1) for a, b in longest.longest().values()]
    return {
        "cpu_saves_counted": cpu_saves[0],
        "cpu_saves_measured": cpu_saves[1],
        "step_ms": f"{base['ms']['median']:.0f}",
        "long_s": f"{long['ours', 'none']['ms']['median'] / 1e3:.1f}",
        "o_16k": f"{falls[0]:.0%}",
        "o_64k": f"{falls[1]:.0%}",
        "standard_gib": f"{gpu.counted(row['standard', 'none']) / GIB:.0f}",
        "standard_block_gib": f"{block['peak_bytes'] / GIB:.1f}",
        "standard_block_times": f"{gpu.ratios(block, base)[1]:.1f}",
        **short(),
        "weights_gib": f"{weights / GIB:.1f}",
        "off_least": f"{min(off):.0f}",
        "off_most": f"{max(off):.0f}",
    }
