"""Two tiles of the Gluon backward pass, as the kernel's own stamps tell it."""

from draw.figures import _lanes

CONSUMER = (  # from, to, colour class, label, key
    (0, 3, "tw-s", "$S^⊤$", "scores"),
    (3, 4, "tw-s", "$P^⊤$", "weights"),
    (4, 5, "tw-s", "d$S^⊤$", "ds"),
    (5, 8, "tw-v", "d$V$, d$Q$", "dq"),
    (8, 0, "tw-k", "d$K$", "dk"),
)
ROLES = {
    "consumer 0": CONSUMER,
    "consumer 1": CONSUMER,
    "producer": ((0, 1, None, "waits", "full"), (1, 2, "tw-q", "", "fetch")),
    "adder": ((0, 1, None, "waits", "halves"), (1, 3, "tw-q", "", "add")),
}
POINTS = "begin scores dp ds dq"
STRIP = "backward", "128", POINTS, ("consumer 1", 9), 7200, ROLES
SAY = {
    "en": {
        "label": "Time lines of one program over two tiles. Each consumer goes through"
        " S, P and dP, dS, dV and dQ, dK; consumer 1 is some 300 cycles ahead. The"
        " warp that fetches waits nearly all the time, and the warp that adds dQ is"
        " busy for about half of it.",
        "consumer 0": "consumer 0", "consumer 1": "consumer 1",
        "producer": "the warp that fetches", "adder": "the warp that adds d$Q$",
        "axis": "cycles", "waits": "waits",
    },
    "zh": {
        "label": "一个程序处理两块的时间线。每个消费者依次经过 S，P 和 dP，dS，"
        "dV 和 dQ，dK；消费者 1 早约 300 个周期。取数据的 warp 几乎一直在等，"
        "累加 dQ 的 warp 约有一半时间在忙。",
        "consumer 0": "消费者 0", "consumer 1": "消费者 1",
        "producer": "取数据的 warp", "adder": "累加 d$Q$ 的 warp",
        "axis": "周期", "waits": "等待",
    },
}


def draw(lang):
    """The figure in English or Chinese."""
    return _lanes.draw(STRIP, SAY[lang])


def film():
    """What the widget says of it."""
    return _lanes.film(STRIP)
