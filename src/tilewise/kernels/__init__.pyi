from typing import Protocol

from torch import Tensor, dtype

from tilewise.types import Causal

Tile = tuple[int, int, int, int]  # block_rows, block_cols, num_warps, num_stages

class Forward(Protocol):
    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...  # fmt: skip

class KeptForward(Protocol):
    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., kept: dtype = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...  # fmt: skip

class Backward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...  # fmt: skip

class TiledBackward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
        dkdv_tile: Tile | None = ..., dq_tile: Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...  # fmt: skip

class VarlenForward(Protocol):
    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, *,
        scale: float | None = ..., causal: Causal = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...  # fmt: skip

class VarlenBackward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor,
        cu_q: Tensor, cu_k: Tensor, *, dlse: Tensor | None = ...,
        scale: float | None = ..., causal: Causal = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...  # fmt: skip

class TiledVarlenBackward(Protocol):
    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor,
        cu_q: Tensor, cu_k: Tensor, *, dlse: Tensor | None = ...,
        scale: float | None = ..., causal: Causal = ...,
        dkdv_tile: Tile | None = ..., dq_tile: Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...  # fmt: skip

FORWARD: tuple[str, ...]
BACKWARD: tuple[str, ...]
VARLEN: tuple[str, ...]

naive: Forward
fa1_order: KeptForward
fa2_order: Forward
exp2: Forward
causal: Forward
descriptors: Forward
gluon_forward: Forward
backward_split: TiledBackward
backward_descriptors: TiledBackward
gluon_backward: Backward
varlen: VarlenForward
varlen_backward: TiledVarlenBackward
gluon_varlen: VarlenForward
gluon_varlen_backward: VarlenBackward
