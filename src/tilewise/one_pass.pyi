from collections.abc import Sequence
from typing import Any

from tilewise.types import State, Vector

def dot(a: Vector, b: Vector) -> Any: ...
def attend_step(state: State, x: float, v: Sequence[float]) -> State: ...
def attention_row(
    q: Sequence[float], keys: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]], *, scale: float | None = ...,
) -> list[float]: ...  # fmt: skip
