"""Try tiles and numbers of parts for the decoding kernel on this GPU.

    python scripts/measure/decode/tune.py

For each of a few caches, in one piece and in pages: first all tiles with as many parts
as are chosen today, then the fastest of them with others. Prints the fastest of each,
and each tile's slowdown against them; writes <gpu>-<date>-decode-tiles.json. Three
minutes or so.
"""

import itertools
import math
import multiprocessing
import os
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.decode.decode import checker, draw, moved, paged
from measure.shared.results import machine, write

from tilewise import kernels
from tilewise.bench import timing

METHOD = """As decode.py: bf16, 32 query heads of d = 128, one query each. A tile is
(block_cols, num_warps, num_stages); splits is null where the number of parts is the
one that the kernel chooses. ms: CUDA graphs, medians of five replays."""
CELLS = (  # batch, query heads for each KV head, keys
    (1, 4, 8192),
    (1, 4, 131072),
    (8, 4, 8192),
    (64, 4, 4096),
    (8, 1, 8192),
    (8, 16, 32768),
)
TILES = [*itertools.product((32, 64, 128), (2, 4, 8), (2, 3, 4, 5))]
NAMES = "block_cols", "num_warps", "num_stages"
PARTS, BEST = (1, 2, 4, 8, 16, 32, 64), 5


def caches(k, v):
    """{layout: (k, v, options)} of the same keys, in one piece and in pages."""
    (k_pages, table), (v_pages, _) = paged(k), paged(v)
    return {
        "one piece": (k, v, {}),
        "pages": (k_pages, v_pages, {"block_table": table}),
    }


def compiled(tile):
    """Compile all kernels of a tile, on a cache so small that nothing else counts."""
    q, k, v, lengths = draw(1, 4, 256)
    for keys, values, options in caches(k, v).values():
        for splits in (1, 2):
            how = options | dict(zip(NAMES, tile, strict=True)) | {"splits": splits}
            try:
                kernels.decode.forward(q, keys, values, lengths, **how)
            except Exception as error:  # too much shared memory, say
                return f"{tile}: {type(error).__name__}: {error}"[:200]
    return None


def ms(run, right):
    """Median time of a call in a graph, or None where it fails; stops where wrong."""
    try:
        results = run()
    except Exception:
        return None
    if not right(results):
        raise SystemExit(f"wrong: {run.keywords}")
    measure, _ = timing.timer(run, right)
    return sorted(measure()["ms"] for _ in range(5))[2]


def tried(call, right, chosen, parts):
    """[{tile, splits, ms}] of some tiles with some numbers of parts."""
    rows = []
    for tile, many in itertools.product(chosen, parts):
        how = dict(zip(NAMES, tile, strict=True)) | {"splits": many}
        found = ms(partial(call, **how), right)
        if found:
            rows.append({"tile": tile, "splits": many, "ms": found})
    return rows


def cell(batch, group, n):
    """One dict for each layout of a cell, its rows from the fastest on."""
    q, k, v, lengths = draw(batch, group, n)
    right, sizes = checker(q, k, v), {"batch": batch, "group": group, "n": n}
    for layout, (keys, values, options) in caches(k, v).items():
        call = partial(kernels.decode.forward, q, keys, values, lengths, **options)
        rows = sorted(tried(call, right, TILES, [None]), key=lambda x: x["ms"])
        rows += tried(call, right, [x["tile"] for x in rows[:BEST]], PARTS)
        rows.sort(key=lambda x: x["ms"])
        print(*sizes.values(), layout, flush=True)
        for row in rows[:4]:
            tbs = moved(batch, group, n) / row["ms"] / 1e9
            print("  ", *row.values(), f"{tbs:.2f} TB/s", flush=True)
        yield sizes | {"layout": layout, "rows": rows}


def slowdowns(cells, layout):
    """{tile: geometric mean of its time over the cell's least}, the best first."""
    logs = defaultdict(list)
    for one in (x for x in cells if x["layout"] == layout):
        for row in (x for x in one["rows"] if x["splits"] is None):
            logs[row["tile"]].append(math.log(row["ms"] / one["rows"][0]["ms"]))
    whole = {t: math.exp(sum(x) / len(x)) for t, x in logs.items()}
    return dict(sorted(whole.items(), key=lambda x: x[1]))


def main():
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(16, os.cpu_count()), mp_context=spawn) as pool:
        print(*filter(None, pool.map(compiled, TILES)), sep="\n", flush=True)
    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
        cells = [row for sizes in CELLS for row in cell(*sizes)]
    for layout in ("one piece", "pages"):
        for tile, factor in [*slowdowns(cells, layout).items()][:8]:
            print(layout, tile, f"{factor:.3f}")
    write("decode-tiles", METHOD, {"cells": cells}, machine())


if __name__ == "__main__":
    main()
