"""Floor 2: the kernel ladder in Triton: every rung is one idea in one file.

Every rung of FORWARD has

    forward(q, k, v, *, scale=None, causal=False, …) -> (o, lse)

and every rung of BACKWARD

    backward(q, k, v, o, do, lse, *, scale=None, causal=False, …) -> (dq, dk, dv)

with q, o, do (batch, heads, N_q, d), k, v (batch, key heads, N_k, d) and lse
(batch, heads, N_q) in fp32, the natural logarithm of Σ e^s. That of WIDE is the
backward pass for d above 128, for which gluon_backward has no room. Those of VARLEN are
for packed documents, (total, heads, d), with cu_q and cu_k (documents + 1) after the
tensors. Those of VARIANTS take windows, and scores and its backward pass block masks,
rules for scores, sinks and dropout as well; varlen_scores and its backward pass do so
for packed documents, without block masks. gluon_windows and its backward pass take
windows and sinks. That of DECODING takes a KV cache and lengths instead of k and v.
A rung is imported when it is asked for: `tilewise.kernels.naive`. All need triton;
those in Gluon need a Hopper GPU and triton from 3.6 on.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilewise.kernels.shared.signatures import (
        Backward,
        Decode,
        Forward,
        KeptForward,
        ScoreBackward,
        ScoreForward,
        SinkBackward,
        SinkForward,
        TiledBackward,
        TiledVarlenBackward,
        VarlenBackward,
        VarlenForward,
        VarlenScoreBackward,
        VarlenScoreForward,
        WindowForward,
    )

# This is the only list of the rungs: each is the module of its name.
naive: Forward
fa1_order: KeptForward
fa2_order: Forward
exp2: Forward
causal: Forward
descriptors: Forward
gluon_forward: Forward
FORWARD = tuple(__annotations__)

backward_split: TiledBackward
backward_descriptors: TiledBackward
gluon_backward: Backward
BACKWARD = tuple(__annotations__)[len(FORWARD) :]

gluon_wide_backward: Backward
WIDE = tuple(__annotations__)[len(FORWARD + BACKWARD) :]

varlen: VarlenForward
varlen_backward: TiledVarlenBackward
gluon_varlen: VarlenForward
gluon_varlen_backward: VarlenBackward
VARLEN = tuple(__annotations__)[len(FORWARD + BACKWARD + WIDE) :]

windows: WindowForward
scores: ScoreForward
scores_backward: ScoreBackward
varlen_scores: VarlenScoreForward
varlen_scores_backward: VarlenScoreBackward
gluon_windows: SinkForward
gluon_windows_backward: SinkBackward
VARIANTS = tuple(__annotations__)[len(FORWARD + BACKWARD + WIDE + VARLEN) :]

decode: Decode
NAMED = FORWARD + BACKWARD + WIDE + VARLEN + VARIANTS
DECODING = tuple(__annotations__)[len(NAMED) :]

if not TYPE_CHECKING:

    def __getattr__(name):
        if name in NAMED + DECODING:
            return importlib.import_module(f"tilewise.kernels.{name}")
        raise AttributeError(f"module 'tilewise.kernels' has no attribute {name!r}")


def __dir__():
    tables = "FORWARD", "BACKWARD", "WIDE", "VARLEN", "VARIANTS", "DECODING"
    return sorted([*NAMED, *DECODING, *tables])
