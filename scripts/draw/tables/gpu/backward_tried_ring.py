"""The Gluon backward kernel with a small dQ that stays in L2: its speed."""

from draw.tables._tried import table

FILE = "h200-2026-11-23-backward-window"
SAY = {
    "en": {
        "head": "what was changed",
        "early_lse_128": "no ring buffer: only $L$ loaded early at $d = 128$",
        "window": "ring buffer",
        "window_early": "ring buffer and early $L$",
        "window_early_pin_128": "both, without the poll at $d = 64$",
        "window_early_after": "both, rounding after $\\mathrm dK$ is stored",
        "window_early_wide": "both, with 1.5 times the room",
        "window_early_soon": "both, with half the room if causal",
    },
    "zh": {
        "head": "改了什么",
        "early_lse_128": "不用环形缓冲区，只在 $d = 128$ 时提前读取 $L$",
        "window": "环形缓冲区",
        "window_early": "环形缓冲区，并提前读取 $L$",
        "window_early_pin_128": "两者都用，$d = 64$ 时不轮询",
        "window_early_after": "两者都用，$\\mathrm dK$ 存好之后才舍入",
        "window_early_wide": "两者都用，空间是 1.5 倍",
        "window_early_soon": "两者都用，因果时空间减半",
    },
}


def draw(lang):
    """A Markdown table."""
    (_, head), *names = SAY[lang].items()
    return table(FILE, head, dict(names))
