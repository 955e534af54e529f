"""What reaches DRAM behind an L2 cache: a model with whole tiles and least recent use.

Three numbers differ on a GPU: what an algorithm asks for (`ledger`), what misses the
caches of an SM, and what misses the L2. This model predicts the last from the first:
one cache of a given capacity in bytes, in which a tile is held whole or not at all, and
the tile not used for longest makes room. A store fetches nothing, because it replaces
the tile; it reaches DRAM when its tile leaves the cache, or at the end.
It leaves out sectors, ways and early write-back, so it jumps from "all stays" to
"nothing stays" where hardware passes gradually; `bounds` says where that may be.
"""

from tilewise.checks import check_choice, check_sizes
from tilewise.trace import ORDERS, blocks, moves


def lru(stream, capacity: int) -> dict[str, int]:
    """Send a stream of (tile, bytes, stores) through the cache; count the bytes.

    Returns {"asked", "reads", "writes", "left"}: left is the part of writes that was
    still in the cache at the end.
    """
    cache: dict = {}  # tile: [last use, bytes, stored]
    queue, head, used = [], 0, 0
    asked = reads = writes = 0
    for time, (tile, size, stores) in enumerate(stream):
        asked += size
        entry = cache.get(tile)
        if entry is None:
            reads += 0 if stores else size
            entry = cache[tile] = [time, size, False]
            used += size
        entry[0], entry[2] = time, entry[2] or stores
        queue.append((time, tile))
        while used > capacity:
            when, oldest = queue[head]
            head += 1
            if oldest in cache and cache[oldest][0] == when:  # not used since then
                _, size, stored = cache.pop(oldest)
                used -= size
                writes += size if stored else 0
        if head > 100000:  # the past of the queue is not needed
            queue, head = queue[head:], 0
    left = sum([size for _, size, stored in cache.values() if stored])
    return {"asked": asked, "reads": reads, "writes": writes + left, "left": left}


def programs(
    n: int, d: int, block_rows: int, block_cols: int, order: str
) -> list[list[tuple]]:
    """The events of the programs that share one head's forward pass: a list of lists.

    K, V outer is one program a head, which reads back what it wrote; Q outer is one a
    row block, which stores O and L. Matrices are in 2 bytes an element, ℓ, m and L in
    4. The first writes of O = 0, ℓ = 0, m = −∞ (Algorithm 1, line 2) are left out.
    """
    rows, cols = blocks(n, block_rows), blocks(n, block_cols)
    tiles = [[(i, j) for j in range(len(cols)) for i in range(len(rows))]]
    if order == "q-outer":
        tiles = [[(i, j) for j in range(len(cols))] for i in range(len(rows))]
    return [list(events(pairs, rows, cols, d, order)) for pairs in tiles]


def events(pairs: list, rows: list, cols: list, d: int, order: str):
    """What the tiles (i, j) load and store: ((name, index), bytes, stores) in order."""
    for before, (i, j), after in zip([None] + pairs, pairs, pairs[1:] + [None]):
        load, store = moves(order, before, (i, j), after)
        if order == "q-outer" and store:
            store = ["o", "lse"]  # L = m + ln ℓ, one number a row in place of two
        for names, stores in ((load, False), (store, True)):
            for name in names:
                first, end = cols[j] if name in "kv" else rows[i]
                size = 2 * d if name in "qkvo" else 4
                yield (name, j if name in "kv" else i), (end - first) * size, stores


def dram(
    n: int,
    d: int,
    block_rows: int,
    block_cols: int,
    *,
    order: str,
    heads: int,
    side: int,
    capacity: int,
) -> dict[str, int]:
    """The bytes of `heads` forward passes that reach DRAM, `side` programs at a time.

    side is how many programs the GPU runs at once, an SM's share times its SMs; they
    march in step, and all end before the next `side` begin. Result as of `lru`.
    Raises ValueError where a size is no whole number of at least 1, or order unknown.
    """
    check_sizes(n=n, d=d, block_rows=block_rows, block_cols=block_cols)
    check_sizes(heads=heads, side=side, capacity=capacity)
    check_choice("order", order, ORDERS)
    one = programs(n, d, block_rows, block_cols, order)
    return lru(march(one, heads, side), capacity)


def bounds(
    n: int,
    d: int,
    block_rows: int,
    block_cols: int,
    *,
    order: str,
    heads: int,
    side: int,
    capacity: int,
) -> tuple[int, int]:
    """(least, most) bytes that reach DRAM: `dram` with all the L2, and with half of it.

    An A100's, H100's or H200's L2 has two halves, and what an SM reads from the far one
    is kept in both. So it holds `capacity` different bytes where nothing is kept twice,
    half as many where all is. Equal bounds are a prediction. Where they differ, what
    stays hangs on addresses and a policy that are not published.
    Source: NVIDIA's white paper on the A100, "A100 L2 Cache"; for the H100 its forum,
    forums.developer.nvidia.com/t/361731.
    """
    how: dict = {"order": order, "heads": heads, "side": side}
    halves = [
        dram(n, d, block_rows, block_cols, capacity=part, **how)
        for part in (capacity, capacity // 2)
    ]
    least, most = [x["reads"] + x["writes"] for x in halves]
    return least, most


def march(one: list, heads: int, side: int):
    """The events of all heads' programs, `side` of them taking turns, step by step."""
    waiting = [(head, part) for head in range(heads) for part in range(len(one))]
    for first in range(0, len(waiting), side):
        group = waiting[first : first + side]
        for step in range(max([len(one[part]) for _, part in group])):
            for head, part in group:
                if step < len(one[part]):
                    tile, size, stores = one[part][step]
                    yield (head, tile), size, stores
