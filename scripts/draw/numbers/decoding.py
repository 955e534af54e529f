"""Numbers in the prose of the page on decoding: what a token reads, and from where."""

from draw.figures._plot import results
from draw.tables.gpu.decode_time import found

from tilewise.bench.cells import geometric
from tilewise.hardware import roofs
from tilewise.ledger.decode import decode, decode_bytes

N, HEADS, KV_HEADS, D = 131_072, 32, 8, 128
SMS = 132  # of an H200
PEERS = "sdpa", "sdpa cudnn", "sdpa flash"
LATER = results("h200-2026-11-24-decode")["cells"]  # with libraries for serving


def measured():
    """How the kernel does beside PyTorch's fastest, over all cells of the benchmark."""
    fastest = (min(x[way]["ms"] for way in PEERS) for x in found().values())
    ours = [x["ours"]["ms"] / least for x, least in zip(found().values(), fastest)]
    long = found()[1, 4, N]
    return {
        "h100_tbs": f"{roofs('H100')[1] / 1e12:.2f}",
        "cells": f"{len(ours)}",
        "mean": f"{geometric(ours):.2f}",
        "near": f"{sum(x <= 1.2 for x in ours)}",
        "worst": f"{max(ours):.2f}",
        "tbs": f"{max(x['ours']['tbs'] for x in found().values()):.2f}",
        "gain": f"{long['ours, one part']['ms'] / long['ours']['ms']:.0f}",
    }


def later():
    """Ours and others over the fastest of all, on an H200; FlashInfer over cuDNN."""
    cells = [(x["group"], {k: y["ms"] for k, y in x["found"].items()}) for x in LATER]
    known = [x for group, x in cells if group == 1]
    names = {"ours": "ours", "fa3": "fa3", "cudnn": "sdpa cudnn"}
    best = [min(x[way] for way in names.values()) for _, x in cells]
    over = {k: [x[v] / b for (_, x), b in zip(cells, best)] for k, v in names.items()}
    told = {f"later_{name}": f"{geometric(x):.2f}" for name, x in over.items()}
    told["later_cells"] = f"{len(cells)}"
    told["later_worst"] = f"{max(over['ours']):.2f}"
    told["later_near"] = f"{sum(x <= 1.3 for x in over['ours'])}"
    paged = geometric(x["flashinfer, paged"] / x["sdpa cudnn"] for x in known)
    mine = geometric(x["ours, paged"] / x["sdpa cudnn"] for x in known)
    return told | {"later_paged": f"{paged:.2f}", "later_ours_paged": f"{mine:.2f}"}


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
        "few_us": f"{cache / hbm * 1e6 * SMS / KV_HEADS:.0f}",
        "busy": f"{16 * KV_HEADS}",
        "partial_mb": f"{partial / 1e6:.2f}",
        "alone_mb": f"{decode_bytes(decode(N, HEADS, HEADS, D, D), 'bf16') / 1e6:.0f}",
    } | measured() | later()
