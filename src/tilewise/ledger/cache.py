"""What reaches DRAM behind an L2 cache, by a model with whole tiles and LRU eviction.

On a GPU three numbers differ: what an algorithm asks for (`ledger`), what misses the
caches of an SM, and what misses the L2. This model predicts the last from the first. It
has one cache of some capacity in bytes, which holds a tile as a whole or not at all,
and which evicts the least recently used tile. A store fetches nothing, because it
replaces the tile; it reaches DRAM when its tile leaves the cache, or at the end.
The model has no sectors, ways or early write-back, so it jumps from "everything stays"
to "nothing stays" where hardware passes gradually; `bounds` says where that may happen.
"""

from tilewise.checks import check_choice, check_sizes
from tilewise.trace import ORDERS, blocks, moves


def lru(stream, capacity: int) -> dict[str, int]:
    """Send a stream of (tile, bytes, stores) through the cache and count the bytes.

    Returns {"asked", "reads", "writes", "left"}, where left is the part of the writes
    that was still in the cache at the end.
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
    """A list with the events of each program that has a part in a head's forward pass.

    With K and V outside there is one program per head, which reads back what it wrote.
    With Q outside there is one per block of rows, which stores O and L. An element of a
    matrix takes 2 bytes, and one of ℓ, m or L takes 4. The first writes of O = 0, ℓ = 0
    and m = −∞ (Algorithm 1, line 2) are left out.
    """
    rows, cols = blocks(n, block_rows), blocks(n, block_cols)
    tiles = [[(i, j) for j in range(len(cols)) for i in range(len(rows))]]
    if order == "q-outer":
        tiles = [[(i, j) for j in range(len(cols))] for i in range(len(rows))]
    return [list(events(pairs, rows, cols, d, order)) for pairs in tiles]


def events(pairs: list, rows: list, cols: list, d: int, order: str):
    """Yield ((name, index), bytes, stores) for what the tiles (i, j) load and store."""
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
    """The bytes that reach DRAM in `heads` forward passes, `side` programs at a time.

    side is how many programs the GPU runs at once, the share of an SM times the number
    of SMs. They run in step, and all of them end before the next ones begin. The result
    is that of `lru`. Raises ValueError if a size is not a whole number of at least 1,
    or if the order is unknown.
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
    """(least, most) bytes that reach DRAM: `dram` with all of the L2 and with half.

    The L2 of an A100, H100 or H200 has two halves, and what an SM reads from the far
    one is kept in both. Therefore it holds `capacity` different bytes if nothing is
    kept twice, and half as many if everything is. Equal bounds are a prediction. If
    they differ, how much stays depends on address hashing and on a policy that NVIDIA
    does not publish.
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
    """Yield the events of all programs of all heads, `side` of them taking turns."""
    waiting = [(head, part) for head in range(heads) for part in range(len(one))]
    for first in range(0, len(waiting), side):
        group = waiting[first : first + side]
        for step in range(max([len(one[part]) for _, part in group])):
            for head, part in group:
                if step < len(one[part]):
                    tile, size, stores = one[part][step]
                    yield (head, tile), size, stores
