"""The Gluon forward kernel with an idea that did not help: its speed beside it."""

from draw.tables._tried import table

FILE = "h200-2026-11-29-forward-variants"
SAY = {
    "en": {
        "head": "with",
        "held_back": "the wait for $O$ held back until after the exponentials",
        "third_v": "a third buffer of $V$, $O$ leaving through $Q$'s",
        "half_tiles": "tiles of 64 keys",
        "rescale_asked": "the rescaling of $O$ skipped where no maximum changes",
        "polynomials": "one exponential in eight by a polynomial",
    },
    "zh": {
        "head": "换成什么",
        "held_back": "把等 $O$ 拦在指数之后",
        "third_v": "$V$ 有第三个缓冲区，$O$ 借 $Q$ 的缓冲区写出",
        "half_tiles": "一块 64 个键",
        "rescale_asked": "最大值没变时跳过对 $O$ 的缩放",
        "polynomials": "每八个指数有一个用多项式算",
    },
}


def draw(lang):
    """A Markdown table."""
    (_, head), *names = SAY[lang].items()
    return table(FILE, head, dict(names))
