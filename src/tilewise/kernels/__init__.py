"""Floor 2: the kernel ladder: one idea a rung, one file a rung, in Triton.

Every rung of FORWARD has

    forward(q, k, v, *, scale=None, causal=False, …) -> (o, lse)

and every rung of BACKWARD

    backward(q, k, v, o, do, lse, *, scale=None, causal=False, …) -> (dq, dk, dv)

with q, o, do (batch, heads, N_q, d), k, v (batch, key heads, N_k, d) and lse
(batch, heads, N_q) in fp32, the natural logarithm of Σ e^s. Those of VARLEN are for
packed documents, (total, heads, d), with cu_q and cu_k (documents + 1) after the
tensors. A rung is imported when it is asked for: `tilewise.kernels.naive`. All need
triton; those in Gluon need a Hopper GPU and triton from 3.6 on.
"""

import importlib

FORWARD = (
    "naive", "fa1_order", "fa2_order", "exp2", "causal", "descriptors", "gluon_forward"
)
BACKWARD = ("backward_split", "backward_descriptors", "gluon_backward")
VARLEN = ("varlen", "varlen_backward", "gluon_varlen", "gluon_varlen_backward")


def __getattr__(name):
    if name in FORWARD + BACKWARD + VARLEN:
        return importlib.import_module(f"tilewise.kernels.{name}")
    raise AttributeError(f"module 'tilewise.kernels' has no attribute {name!r}")


def __dir__():
    return sorted([*FORWARD, *BACKWARD, *VARLEN, "FORWARD", "BACKWARD", "VARLEN"])
