"""Variants of the Gluon backward kernel, one idea changed: their speed beside it."""

from draw.tables._tried import lines, table

FILE = "h200-2026-11-23-backward-variants"
BOUNDS = "h200-2026-11-23-backward-bounds"
WINDOW = "h200-2026-11-23-backward-window"
SAY = {
    "en": {
        "head": "what was changed",
        "threads_add": "each thread adds its own numbers of $\\mathrm dQ$",
        "k_in_registers": "$K$ in registers, as left factor of $S\\T$",
        "delta_first": "$\\mathrm dP\\T$ summed from $-\\delta$, nobody subtracts",
        "dv_early": "$\\mathrm dV$ asked for before $\\mathrm dP\\T$ is there",
        "no_add_warp": "consumers start the additions themselves",
        "no_pin": "no poll before the wait for $\\mathrm dP\\T$",
    },
    "zh": {
        "head": "改了什么",
        "threads_add": "每个线程自己累加手里的 $\\mathrm dQ$",
        "k_in_registers": "$K$ 放进寄存器，作 $S\\T$ 的左操作数",
        "delta_first": "$\\mathrm dP\\T$ 从 $-\\delta$ 累加起，省去减法",
        "dv_early": "不等 $\\mathrm dP\\T$ 算完就发起 $\\mathrm dV$",
        "no_add_warp": "由消费者自己发起累加",
        "no_pin": "等待 $\\mathrm dP\\T$ 之前不轮询",
    },
}

SAY_MORE = {  # from the run of the bounds
    "en": {
        "alt_dk": "consumers make the whole $\\mathrm dQ$ of a tile in turn",
        "named_all": "every meeting of warps at a named barrier",
        "named_ds": "consumers meet at a named barrier for $\\mathrm dS$",
        "late": "$\\mathrm dQ$ is computed a tile later",
        "pdl": "dependent launch of the three kernels",
        "early_lse": "$L$ loaded while $S\\T$ is being computed",
    },
    "zh": {
        "alt_dk": "两个消费者轮流计算整个分块的 $\\mathrm dQ$",
        "named_all": "warp 之间全部改用命名屏障同步",
        "named_ds": "消费者交换 $\\mathrm dS$ 时改用命名屏障",
        "late": "$\\mathrm dQ$ 推迟一个分块再算",
        "pdl": "三个内核之间使用依赖启动（PDL）",
        "early_lse": "计算 $S\\T$ 时提前读取 $L$",
    },
}

SAY_WINDOW = {  # from the run of the window
    "en": {
        "window": "window: a small fp32 $\\mathrm dQ$ that stays in L2",
        "window_early": "window, and $L$ loaded early at $d = 128$",
        "window_early_pin_128": "the same, without the poll at $d = 64$",
        "window_early_after": "the same, but rounding after $\\mathrm dK$ is stored",
        "window_early_wide": "the same, with half as much room again",
        "window_early_soon": "the same, with half the room if causal",
        "early_lse_128": "$L$ loaded early at $d = 128$, without a window",
    },
    "zh": {
        "window": "窗口：fp32 的 $\\mathrm dQ$ 很小，留在 L2 里",
        "window_early": "窗口，$d = 128$ 时提前读取 $L$",
        "window_early_pin_128": "同上，$d = 64$ 时不轮询",
        "window_early_after": "同上，但 $\\mathrm dK$ 存好之后才舍入",
        "window_early_wide": "同上，空间再加一半",
        "window_early_soon": "同上，因果时空间减半",
        "early_lse_128": "$d = 128$ 时提前读取 $L$，不用窗口",
    },
}


def draw(lang):
    """A Markdown table of the lines of the three runs."""
    (_, head), *names = SAY[lang].items()
    first = table(FILE, head, dict(names))
    more = [*lines(BOUNDS, SAY_MORE[lang]), *lines(WINDOW, SAY_WINDOW[lang])]
    return "\n".join([first, *more])
