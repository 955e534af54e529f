"""The Gluon backward kernel with work or operands in other places: its speed."""

from draw.tables._tried import table

FILE = "h200-2026-11-23-backward-variants"
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


def draw(lang):
    """A Markdown table."""
    (_, head), *names = SAY[lang].items()
    return table(FILE, head, dict(names))
