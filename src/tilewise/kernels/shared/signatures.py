"""What the functions of a rung take and return, for mypy and for editors."""

from typing import Protocol, TypeAlias

from torch import Tensor, dtype

from tilewise.types import Causal

Tile: TypeAlias = tuple[int, int, int, int]  # B_r, B_c, num_warps, num_stages


class Forward(Protocol):
    """A forward pass."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...


class KeptForward(Protocol):
    """A forward pass that keeps O in HBM, in the dtype `kept`, between its rounds."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., kept: dtype = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...


class Backward(Protocol):
    """A backward pass."""

    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...


class TiledBackward(Protocol):
    """A backward pass in two kernels, each with a tile of its own."""

    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
        dkdv_tile: Tile | None = ..., dq_tile: Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...


class VarlenForward(Protocol):
    """A forward pass over packed documents."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, *,
        scale: float | None = ..., causal: Causal = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...


class VarlenBackward(Protocol):
    """A backward pass over packed documents."""

    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor,
        cu_q: Tensor, cu_k: Tensor, *, dlse: Tensor | None = ...,
        scale: float | None = ..., causal: Causal = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...


class TiledVarlenBackward(Protocol):
    """A backward pass over packed documents in two kernels."""

    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor,
        cu_q: Tensor, cu_k: Tensor, *, dlse: Tensor | None = ...,
        scale: float | None = ..., causal: Causal = ...,
        dkdv_tile: Tile | None = ..., dq_tile: Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor]: ...
