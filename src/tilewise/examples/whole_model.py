"""Amdahl's law: how much a whole model gains from a faster attention."""


def share_of_work(n, width):
    """Attention's share of the operations of a layer, N / (N + 6 D)."""
    return n / (n + 6 * width)


def speedup(share, faster):
    """1 / (1 − a + a/s) for a share a of the time that becomes s times as fast."""
    return 1 / (1 - share + share / faster)


for n in (1024, 4096, 16384, 65536):
    a = share_of_work(n, 2048)
    twice, most = speedup(a, 2), 1 / (1 - a)
    print(f"N = {n:5}: a = {a:.2f}, s = 2: {twice:.2f}, at best {most:.2f}")
