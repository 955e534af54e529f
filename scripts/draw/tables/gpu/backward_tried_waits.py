"""The Gluon backward kernel with other waits between its warps: its speed."""

from draw.tables._tried import table

FILE = "h200-2026-11-23-backward-bounds"
SAY = {
    "en": {
        "head": "what was changed",
        "alt_dk": "consumers make the whole $\\mathrm dQ$ of a tile in turn",
        "named_all": "every meeting of warps at a named barrier",
        "named_ds": "consumers meet at a named barrier for $\\mathrm dS$",
        "late": "$\\mathrm dQ$ is computed a tile later",
        "pdl": "dependent launch of the three kernels",
        "early_lse": "$L$ loaded while $S\\T$ is being computed",
    },
    "zh": {
        "head": "改了什么",
        "alt_dk": "两个消费者轮流计算整个分块的 $\\mathrm dQ$",
        "named_all": "warp 之间全部改用命名屏障同步",
        "named_ds": "消费者交换 $\\mathrm dS$ 时改用命名屏障",
        "late": "$\\mathrm dQ$ 推迟一个分块再算",
        "pdl": "三个内核之间使用依赖启动（PDL）",
        "early_lse": "计算 $S\\T$ 时提前读取 $L$",
    },
}


def draw(lang):
    """A Markdown table."""
    (_, head), *names = SAY[lang].items()
    return table(FILE, head, dict(names))
