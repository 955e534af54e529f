"""What `bench --share` measures of a reader's card, and what follows from the numbers.

Sixteen cells and passes of the setting, three seconds each; the inputs of a cell take
268 MB, and what has no room is named. share_file reads the file, sharing measures.
Plain Python.
"""

import hashlib
import itertools
import json

from tilewise.bench.cells import DIMS, PASSES, PUBLIC, cells, geometric, named

FORM = 1  # of the file; another one where the fields or the cells change
COMMAND = "python -m tilewise bench --share"
SIZES = (1024, 4096)
BACKENDS = ("flash", "cudnn", "efficient")  # of PyTorch's scaled_dot_product_attention
KERNELS = {
    "forward": (*BACKENDS, "causal", "descriptors", "gluon_forward", PUBLIC),
    "backward": (
        *BACKENDS,
        "backward_split",
        "backward_descriptors",
        "gluon_backward",
        PUBLIC,
    ),
}
REASONS = (
    "out of memory",
    "too little shared memory",
    "not installed",
    "not covered",
    "failed",
    "wrong",
)


def expected():
    """The passes and shapes of a file, in order."""
    shapes = cells(SIZES, DIMS)
    pairs = itertools.product(shapes, PASSES)
    return [{"pass": way, **named(shape)} for shape, way in pairs]


def ratios(measured):
    """{pass: {backend: cells, mean, least and most of our speed over its}}.

    Ours is that of tilewise.flash_attention; None where no cell has both.
    """
    found = {way: dict[str, dict[str, float] | None]() for way in PASSES}
    for way, backend in itertools.product(PASSES, BACKENDS):
        over = []
        for cell in measured:
            speeds = {r["kernel"]: r.get("tflops") for r in cell.get("rows", ())}
            if cell["pass"] == way and speeds.get(PUBLIC) and speeds.get(backend):
                over.append(speeds[PUBLIC] / speeds[backend])
        found[way][backend] = None
        if over:
            told = {"mean": geometric(over), "least": min(over), "most": max(over)}
            found[way][backend] = {"cells": len(over)} | told
    return found


def digest(data):
    """SHA-256 of everything but the digest itself."""
    rest = {key: value for key, value in data.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
