"""What the functions of a rung take and return, for mypy and for editors."""

from typing import Protocol, TypeAlias

from torch import Tensor, dtype

from tilewise.block_sparse import BlockMask
from tilewise.fits import Causal

Tile: TypeAlias = tuple[int, int, int, int]  # B_r, B_c, num_warps, num_stages
Window: TypeAlias = tuple[int | None, int | None]  # keys to the left, to the right


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


class WindowForward(Protocol):
    """A forward pass over windows."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., window: Window | None = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...


class SinkForward(Protocol):
    """A forward pass over windows, with sinks."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., window: Window | None = ..., sinks: Tensor | None = ...,
        **tile: int,
    ) -> tuple[Tensor, Tensor]: ...


class SinkBackward(Protocol):
    """Its backward pass, which adds the gradient of sinks, after None for slopes."""

    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
        window: Window | None = ..., sinks: Tensor | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor, None, Tensor | None]: ...


class ScoreForward(Protocol):
    """A forward pass with windows, block masks, rules for scores, sinks, dropout."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, *, scale: float | None = ...,
        causal: Causal = ..., window: Window | None = ..., softcap: float | None = ...,
        alibi_slopes: Tensor | None = ..., sinks: Tensor | None = ...,
        block_mask: BlockMask | None = ..., dropout_p: float = ...,
        seed: int | None = ..., **tile: int,
    ) -> tuple[Tensor, Tensor]: ...


class ScoreBackward(Protocol):
    """Its backward pass, which adds the gradients of slopes and sinks."""

    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor, *,
        dlse: Tensor | None = ..., scale: float | None = ..., causal: Causal = ...,
        window: Window | None = ..., softcap: float | None = ...,
        alibi_slopes: Tensor | None = ..., sinks: Tensor | None = ...,
        block_mask: BlockMask | None = ..., dropout_p: float = ...,
        seed: int | None = ..., dkdv_tile: Tile | None = ...,
        dq_tile: Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None]: ...


class VarlenScoreForward(Protocol):
    """The same over packed documents, without block masks."""

    def forward(
        self, q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, *,
        scale: float | None = ..., causal: Causal = ..., window: Window | None = ...,
        softcap: float | None = ..., alibi_slopes: Tensor | None = ...,
        sinks: Tensor | None = ..., dropout_p: float = ..., seed: int | None = ...,
        **tile: int,
    ) -> tuple[Tensor, Tensor]: ...


class VarlenScoreBackward(Protocol):
    """Its backward pass."""

    def backward(
        self, q: Tensor, k: Tensor, v: Tensor, o: Tensor, do: Tensor, lse: Tensor,
        cu_q: Tensor, cu_k: Tensor, *, dlse: Tensor | None = ...,
        scale: float | None = ..., causal: Causal = ..., window: Window | None = ...,
        softcap: float | None = ..., alibi_slopes: Tensor | None = ...,
        sinks: Tensor | None = ..., dropout_p: float = ..., seed: int | None = ...,
        dkdv_tile: Tile | None = ..., dq_tile: Tile | None = ...,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None]: ...


class Decode(Protocol):
    """A forward pass of new tokens over a KV cache, in one piece or in pages."""

    def forward(
        self, q: Tensor, k_cache: Tensor, v_cache: Tensor, seqlens: Tensor, *,
        block_table: Tensor | None = ..., scale: float | None = ...,
        window: Window | None = ..., softcap: float | None = ...,
        sinks: Tensor | None = ..., splits: int | None = ...,
        **tile: int,
    ) -> tuple[Tensor, Tensor]: ...
