"""Two tiles of each consumer of the Gluon forward pass, by the kernel's own stamps."""

from draw.figures import _lanes

CONSUMER = (  # from, to, colour class, label, key
    (0, 1, None, "", "key"),
    (1, 2, None, "", "turn"),
    (2, 3, "tw-o", "", "start"),
    (3, 4, "tw-shown", "", "product"),
    (4, 0, "tw-m", "mixed", "softmax"),
)
ROLES = {f"consumer {w}": CONSUMER for w in range(3)}
ROLES["producer"] = ((0, 1, None, "", "room k"), (1, 2, None, "waits", "room v"))
POINTS = "begin k turn start scores values out"
STRIP = "forward", "64", POINTS, ("consumer 0", 57), 5600, ROLES
SAY = {
    "en": {
        "label": "Time lines of one program over two tiles. Each of the three consumers"
        " waits shortly for K and for its turn, starts its products, and then spends"
        " about two thirds of its time on the softmax and on waiting for O. The"
        " producer waits nearly all the time for a buffer to become free.",
        "consumer 0": "consumer 0", "consumer 1": "consumer 1",
        "consumer 2": "consumer 2", "producer": "producer", "axis": "cycles",
        "mixed": "softmax, $O$", "waits": "waits for a buffer of $V$",
        "start": "starts two products", "product": "waits for $S$",
    },
    "zh": {
        "label": "一个程序处理两块的时间线。三个消费者各自先等 K、等轮次，时间都很短，"
        "再发起矩阵乘法，此后约三分之二的时间用于 softmax 和等待 O。"
        "生产者几乎一直在等缓冲区腾空。",
        "consumer 0": "消费者 0", "consumer 1": "消费者 1",
        "consumer 2": "消费者 2", "producer": "生产者", "axis": "周期",
        "mixed": "softmax，$O$", "waits": "等待 $V$ 的缓冲区",
        "start": "发起两次乘法", "product": "等待 $S$",
    },
}


def draw(lang):
    """The figure in English or Chinese."""
    return _lanes.draw(STRIP, SAY[lang])


def film():
    """What the widget says of it."""
    return _lanes.film(STRIP)
