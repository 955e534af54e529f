from heapq import heapreplace

PROGRAMS, HEADS, BLOCK = 132, 16, 128  # of an H200; rows of a block, keys of a tile


def blocks(lengths, turned=False):
    """Tiles of keys of every block of rows, causal: a document's longest come first.

    turned: the shortest in every second one, so that who had long blocks gets short.
    """
    work = []
    for number, n in enumerate(sorted(lengths, reverse=True)):
        tiles = range(-(-n // BLOCK), 0, -1)
        tiles = tiles[::-1] if turned and (len(lengths) - number) % 2 == 0 else tiles
        work += [i for i in tiles for _ in range(HEADS)]
    return work


def snake(work):
    """Tiles of each program: 0 to 131 take a block each, then 131 to 0, and so on."""
    load = [0] * PROGRAMS
    for number, tiles in enumerate(work):
        turn, program = divmod(number, PROGRAMS)
        load[program if turn % 2 == 0 else PROGRAMS - 1 - program] += tiles
    return load


def drawn(work):
    """The same if whichever program ends first takes the next block."""
    load = [0] * PROGRAMS  # a heap: the first is the least
    for tiles in work:
        heapreplace(load, load[0] + tiles)
    return load


if __name__ == "__main__":
    print("tiles of a program       mean   most, by a snake   most, drawn")
    for sizes in ([2048] * 8, [1536] * 11, [1024] * 16, [4000, 2100, 900, 500, 64]):
        fixed, free = snake(blocks(sizes, turned=True)), drawn(blocks(sizes))
        name, mean = f"{len(sizes)} of up to {max(sizes)}", sum(free) / PROGRAMS
        print(f"{name:22} {mean:6.1f} {max(fixed):18} {max(free):13}")
