"""Numbers in the prose of the page on decoding: what a token reads, and from where."""

from draw.tables.gpu.decode_time import found

from tilewise.bench.cells import geometric
from tilewise.hardware import roofs
from tilewise.ledger.decode import decode, decode_bytes

N, HEADS, KV_HEADS, D = 131_072, 32, 8, 128
SMS = 132  # of an H200
OURS = "ours", "ours, one part", "ours, paged"


def measured():
    """Ours beside the fastest of the others, over all cells of the benchmark."""
    cells = {x: {k: y["ms"] for k, y in found()[x].items()} for x in found()}
    fastest = [fastest_of(group, x) for (_, group, _), x in cells.items()]

    def over(way):
        return [x[way] / least for x, least in zip(cells.values(), fastest)]

    known = [x for (_, group, _), x in cells.items() if group == 1]
    long, ours = cells[1, 4, N], over("ours")
    pages = [x["ours, paged"] / x["ours"] for x in cells.values()]
    return {
        "h200_tbs": f"{roofs('H200')[1] / 1e12:.1f}",
        "cells": f"{len(ours)}",
        "mean": f"{geometric(ours):.2f}",
        "fa3": f"{geometric(over('fa3')):.2f}",
        "near": f"{sum(x <= 1.2 for x in ours)}",
        "worst": f"{max(ours):.2f}",
        "tbs": f"{max(x['ours']['tbs'] for x in found().values()):.2f}",
        "gain": f"{long['ours, one part'] / long['ours']:.0f}",
        "pages": f"{geometric(pages):.2f}",
        "pages_most": f"{max(pages):.2f}",
        "flashinfer": f"{beside(known, 'flashinfer, paged'):.2f}",
        "ours_paged": f"{beside(known, 'ours, paged'):.2f}",
    }


def fastest_of(group, times):
    """The least time of the others; FlashInfer only where no heads are shared."""
    rest = {k: x for k, x in times.items() if k not in OURS}
    return min(x for k, x in rest.items() if group == 1 or "flashinfer" not in k)


def beside(cells, way):
    """The geometric mean of a kernel's time over that of cuDNN, without pages."""
    return geometric(x[way] / x["sdpa cudnn"] for x in cells)


def numbers():
    """{name: text} of every number that this page takes."""
    _, hbm = roofs("H200")
    one = decode(N, HEADS, KV_HEADS, D, D)
    cache = decode_bytes(one, "bf16")
    parts = decode(N, HEADS, KV_HEADS, D, D, splits=16)
    partial = (parts["partial_writes"] + parts["partial_reads"]) * 4
    return {
        "cache_mb": f"{cache / 1e6:.0f}",
        "cache_us": f"{cache / hbm * 1e6:.0f}",
        "idle": f"{SMS - KV_HEADS}",
        "few_us": f"{round(cache / hbm * 1e6 * SMS / KV_HEADS, -1):.0f}",
        "busy": f"{16 * KV_HEADS}",
        "partial_mb": f"{partial / 1e6:.2f}",
        "alone_mb": f"{decode_bytes(decode(N, HEADS, HEADS, D, D), 'bf16') / 1e6:.0f}",
    } | measured()
