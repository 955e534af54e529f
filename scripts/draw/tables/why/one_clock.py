"""What one SM of an H200 gets in one clock cycle, and how long the first one takes."""

from draw.figures._plot import digits, results

from tilewise.hardware import GPUS

SAY = {
    "en": {
        "head": ("from", "in each clock cycle", "from request to result"),
        "bf16": "Tensor Cores, bf16 (data sheet)", "exp": "exponential unit (SFU)",
        "fma": "CUDA cores, fp32 multiply-add",
        "shared": "shared memory", "l1": "L1 cache", "l2": "L2 cache", "hbm": "HBM",
        "flop": "{} FLOP", "result": "{} results", "byte": "{} bytes",
        "pair": "{} results, or {} FLOP",
        "cycle": "{} cycles", "none": "not measured",
    },
    "zh": {
        "head": ("部件", "每个时钟周期", "从发出到拿到结果"),
        "bf16": "Tensor Core，bf16（标称）", "exp": "特殊函数单元（SFU），算指数",
        "fma": "CUDA 核心，做 fp32 乘加",
        "shared": "共享内存", "l1": "L1 缓存", "l2": "L2 缓存", "hbm": "HBM",
        "flop": "{} FLOP", "result": "{} 个结果", "byte": "{} 字节",
        "pair": "{} 个结果，即 {} FLOP",
        "cycle": "{} 个周期", "none": "未测",
    },
}


def cached(sets):
    """The median of the working sets that are read at the full rate of L2."""
    held = [x for x in sets if x["bytes"] < 48e6]
    held.sort(key=lambda x: x["bytes_per_second"]["median"])
    return held[len(held) // 2]


def rows():
    """(name, unit, amount a clock cycle, cycles of latency or None)."""
    h200, found = GPUS["H200"], results("h200-2026-11-20-latency")
    work, wait, read = (found[x] for x in ("operations", "latency", "read_bandwidth"))
    clocks = h200["sms"]["value"] * h200["clock"]["value"]
    yield "bf16", "flop", h200["bf16"]["value"] / clocks, None
    for name, key, unit in (("fma", "fma", "pair"), ("exp", "exp2", "result")):
        per, cycles = work[key]["per_clock_per_sm"], work[key]["latency_cycles"]
        yield name, unit, per["median"], cycles["median"]
    read = read | {"l2": cached(found["read_bandwidth_by_set"])}
    for name in ("shared", "l1", "l2", "hbm"):
        amount = read[name]["bytes_per_clock_per_sm"]
        yield name, "byte", amount, wait[name]["cycles"]["median"]


def lines(say):
    """Fastest first."""
    for name, unit, per, cycles in rows():
        wait = say["cycle"].format(round(cycles)) if cycles else say["none"]
        shown = digits(per, {"flop": 4, "byte": 3}.get(unit, 2 if per < 100 else 3))
        yield say[name], say[unit].format(shown, digits(2 * per)), wait
