"""The Gluon forward kernel with an idea that did not help: its speed beside it."""

from draw.tables._tried import table

FILE = "h200-2026-12-01-forward-variants"
SAY = {
    "en": {
        "head": "with",
        "held_back": "the wait for $O$ held back until after the exponentials",
        "half_tiles": "tiles of 64 keys",
        "rescale_asked": "rescalings left out",
        "threshold_8": "rescalings only above a threshold",
        "polynomials": "one exponential in eight by a polynomial",
    },
    "zh": {
        "head": "换成什么",
        "held_back": "把对 $O$ 的等待推迟到指数之后",
        "half_tiles": "块减半，64 个键",
        "rescale_asked": "最大值不变时跳过缩放",
        "threshold_8": "增幅超过阈值才缩放",
        "polynomials": "每八个指数有一个用多项式算",
    },
}


def draw(lang):
    """A Markdown table."""
    (_, head), *names = SAY[lang].items()
    return table(FILE, head, dict(names))
