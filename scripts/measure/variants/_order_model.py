"""How much waiting for a turn costs: a model of the main kernel, a program at a time.

A program starts where an SM is free, and depends on programs before it alone. Its dQ
of a tile leaves when its turn has come and the tile before is complete in memory, and
a consumer stores the next one when the buffer has been read.
"""

import heapq

from tilewise.kernels.shared.work_backward import KEYS, crew_of

TILE_US = {64: 2.45, 128: 2.25}  # of one tile, by h200-2026-11-23-backward-variants
START_US, READ_US, DONE_US, HOP_US, END_US = 2.0, 0.35, 0.9, 0.5, 1.0  # guesses
# In turns? Later keys first? Tiles from the last one up? Heads side by side?
KINDS = {
    "base": (False, False, False, False),
    "ordered_down": (True, True, False, True),
    "ordered_one": (True, True, False, False),
    "ordered_back": (True, False, True, True),
}


def walk(free, ready, tiles, d, ordered):
    """When a program that starts at `free` ends; ready[i]: when tile i may be added."""
    made = read = done = free + START_US
    for i in tiles:
        made = max(made + TILE_US[d], read)  # its dQ is in the buffer
        start = max(made, ready[i], done) if ordered else made
        read, done = start + READ_US, start + DONE_US
        ready[i] = done + HOP_US
    return (done if ordered else read) + END_US


def microseconds(kind, n, d, causal, sms=132):
    """Time of the main kernel for 16,384 tokens and heads · d = 2048."""
    ordered, later, back, together = KINDS[kind]
    rows, cols, heads = {64: 128, 128: 64}[d], n // KEYS.value, 16384 // n * 2048 // d
    crew, free, end = crew_of(heads, cols, causal, together), [0.0] * sms, 0.0
    for _ in range(heads // crew):
        ready = [[0.0] * (n // rows) for _ in range(crew)]
        for col in reversed(range(cols)) if later else range(cols):
            first = col * KEYS.value // rows if causal else 0
            tiles = range(first, n // rows)[:: -1 if back else 1]
            for its in ready:
                last = walk(heapq.heappop(free), its, tiles, d, ordered)
                heapq.heappush(free, last)
                end = max(end, last)
    return end


def predicted(n, d, causal):
    """{kind: its speed over that of additions in any order}."""
    times = {kind: microseconds(kind, n, d, causal) for kind in KINDS}
    return {kind: times["base"] / x for kind, x in times.items() if kind != "base"}
