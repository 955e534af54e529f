"""What the processes of test_shared_card.py run: `python _shared_card.py SECONDS`.

Each calls the Gluon kernels, one after the other, for so many seconds each, and stops
where a result differs from that of the first call.
"""

import itertools
import sys
import time
from functools import partial

import torch

from tilewise.kernels import gluon_backward, gluon_forward, gluon_varlen_backward

N, WIDTH = 16_384, 2048  # long enough for a program to be put aside at work


def kernels(d):
    """{name: a function of nothing, whose results are the same bits every time}."""
    torch.manual_seed(0)
    heads, cu = WIDTH // d, torch.tensor([0, 6000, N], device="cuda")
    q, k, v, do = (torch.randn(1, heads, N, d, device="cuda").half() for _ in range(4))
    lse = torch.full((1, heads, N), 14.0, device="cuda")
    given = q, k, v, q, do, lse
    packed = [x[0].transpose(0, 1).contiguous() for x in given]
    whole = partial(gluon_backward.backward, *given, causal=True)
    documents = partial(gluon_varlen_backward.backward, *packed, cu, cu, causal=True)
    return {
        "forward": partial(gluon_forward.forward, q, k, v, causal=True),
        "backward": lambda: whole()[1:],  # dQ is added up in any order
        "in order": partial(in_order, whole),
        "documents": lambda: documents()[1:],
    }


def in_order(f):
    torch.use_deterministic_algorithms(True)
    try:
        return f()
    finally:
        torch.use_deterministic_algorithms(False)


if __name__ == "__main__":
    torch.utils.deterministic.fill_uninitialized_memory = False
    for d, seconds in itertools.product((64, 128), map(float, sys.argv[1:])):
        for name, f in kernels(d).items():
            first, end = f(), time.monotonic() + seconds
            while time.monotonic() < end:
                assert all(map(torch.equal, first, f())), (name, d)
