# A rung is a module; these say what its functions take and give.
from typing import Protocol, TypeAlias

from torch import Tensor, dtype

from tilewise.types import Causal

_Tile: TypeAlias = tuple[int, int, int, int]  # B_r, B_c, num_warps, num_stages

class _Forward(Protocol):
    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...

class _KeptForward(Protocol):
    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., kept: dtype = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...

class _Backward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...

class _TiledBackward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
        dkdv_tile: _Tile | None = ..., dq_tile: _Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...

class _VarlenForward(Protocol):
    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, *,
        scale: float | None = ..., causal: Causal = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...

class _VarlenBackward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor,
        cu_q: Tensor, cu_k: Tensor, *, dlse: Tensor | None = ...,
        scale: float | None = ..., causal: Causal = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...

class _TiledVarlenBackward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor,
        cu_q: Tensor, cu_k: Tensor, *, dlse: Tensor | None = ...,
        scale: float | None = ..., causal: Causal = ...,
        dkdv_tile: _Tile | None = ..., dq_tile: _Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...

FORWARD: tuple[str, ...]
BACKWARD: tuple[str, ...]
VARLEN: tuple[str, ...]

naive: _Forward
fa1_order: _KeptForward
fa2_order: _Forward
exp2: _Forward
causal: _Forward
descriptors: _Forward
gluon_forward: _Forward
backward_split: _TiledBackward
backward_descriptors: _TiledBackward
gluon_backward: _Backward
varlen: _VarlenForward
varlen_backward: _TiledVarlenBackward
gluon_varlen: _VarlenForward
gluon_varlen_backward: _VarlenBackward
