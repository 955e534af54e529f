"""Products beside exponentials: cycles of a tile, and how busy three ways keep them."""

from draw.figures.gpu.two_in_flight import COLS, ROWS, WAYS, share, work

LEFT = 0
SAY = {
    "en": ("dim $d$", "products", "powers", "one by one", "in flight", "in turns"),
    "zh": ("维度 $d$", "矩阵乘法", "指数", "串行", "一起发起", "轮流"),
}


def lines(_):
    """Tiles of ROWS × COLS, 32 of them one after the other."""
    assert (ROWS, COLS) == (64, 128)
    for d in (64, 128, 256):
        time = work(d)
        yield f"{d}", f"{time['S'] + time['O']:.0f}", f"{time['P']:.0f}", *(
            share(way, d) for way in WAYS
        )
