"""The Gluon backward kernel with one idea changed: its speed in the runs on it."""

from draw.tables._tried import lines

RUNS = {"order": "h200-2026-11-24"}  # of another day than the rest
SAY = {
    "en": {
        "head": ("what was changed", "to save"),
        "variants": {
            "threads_add": (
                "each thread adds its own numbers of $\\mathrm dQ$",
                "the way through SRAM",
            ),
            "k_in_registers": (
                "$K$ in registers, as left factor of $S\\T$", "reads of SRAM"
            ),
            "delta_first": ("$\\mathrm dP\\T$ summed from $-\\delta$", "a subtraction"),
            "dv_early": (
                "$\\mathrm dV$ started before $\\mathrm dP\\T$ is there",
                "gaps of the Tensor Cores",
            ),
            "no_pin": ("no poll before the wait for $\\mathrm dP\\T$", "the poll"),
        },
        "bounds": {
            "named_all": (
                "named barriers instead of mbarriers", "two of six barriers per tile"
            ),
            "alt_dk": (
                "consumers make the whole $\\mathrm dQ$ of a tile in turn",
                "waits for each other",
            ),
            "late": ("$\\mathrm dQ$ computed a tile later", "waits for each other"),
            "early_lse": ("$L$ loaded while $S\\T$ is computed", "a wait for $L$"),
        },
        "window": {
            "window": (
                "a ring buffer for the fp32 $\\mathrm dQ$", "its way to DRAM and back"
            ),
        },
        "order": {
            "pdl": (
                "each kernel launched before the last has ended", "gaps between kernels"
            ),
            "ordered": (
                "$\\mathrm dQ$ in one order, later keys first", "(for equal bits)"
            ),
            "ordered_back": (
                "$\\mathrm dQ$ in one order, early keys first", "(for equal bits)"
            ),
        },
    },
    "zh": {
        "head": ("改了什么", "想省什么"),
        "variants": {
            "threads_add": ("每个线程自己累加手里的 $\\mathrm dQ$", "经过 SRAM"),
            "k_in_registers": ("$K$ 放进寄存器，作 $S\\T$ 的左操作数", "读 SRAM"),
            "delta_first": ("$\\mathrm dP\\T$ 从 $-\\delta$ 累加起", "一次减法"),
            "dv_early": (
                "不等 $\\mathrm dP\\T$ 算完就发起 $\\mathrm dV$", "Tensor Core 的空闲"
            ),
            "no_pin": ("等待 $\\mathrm dP\\T$ 之前不轮询", "轮询"),
        },
        "bounds": {
            "named_all": ("mbarrier 全部换成命名屏障", "每块六次同步里的两次"),
            "alt_dk": ("两个消费者轮流计算整块 $\\mathrm dQ$", "互相等待"),
            "late": ("$\\mathrm dQ$ 推迟一块再算", "互相等待"),
            "early_lse": ("计算 $S\\T$ 时提前读取 $L$", "等待 $L$"),
        },
        "window": {
            "window": ("fp32 的 $\\mathrm dQ$ 用环形缓冲区", "到 DRAM 的来回"),
        },
        "order": {
            "pdl": ("上一个内核还没结束就启动下一个", "内核之间的空隙"),
            "ordered": ("按固定次序累加 $\\mathrm dQ$，后面的键先加", "（求逐位相同）"),
            "ordered_back": (
                "按固定次序累加 $\\mathrm dQ$，前面的键先加", "（求逐位相同）"
            ),
        },
    },
}


def draw(lang):
    """A Markdown table."""
    (_, head), *runs = SAY[lang].items()
    rows = [f"| {' | '.join(head)} | $d$ = 64 | $d$ = 128 |", "|---|---|--:|--:|"]
    for run, names in runs:
        words = {name: " | ".join(told) for name, told in names.items()}
        day = RUNS.get(run, "h200-2026-11-23")
        rows += lines(f"{day}-backward-{run}", words)
    return "\n".join(rows)
