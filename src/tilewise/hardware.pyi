from typing import Any

from tilewise.types import Fact

NV: str
HERE: str
SOURCES: dict[str, tuple[str, str, str]]
LEVELS: tuple[str, ...]
KB: int
MB: int
GB: int
BOTH: str
A100: str
H800: str
REGISTERS: Fact
HALF: str
HOPPER: Fact
SHARED: dict[str, Fact]
GPUS: dict[str, dict[str, Any]]
CEILINGS: dict[str, Fact]

def stated(value: float, source: str, note: str = ...) -> Fact: ...
def derived(value: float, source: str, how: str, note: str = ...) -> Fact: ...
def measured(value: float, source: str, note: str = ...) -> Fact: ...
def describe(
    name: str, sms: Fact, clock: Fact, bf16: Fact, fp32: Fact, exp_per_clock: Fact,
    levels: dict[str, dict[str, Fact]],
) -> dict[str, Any]: ...  # fmt: skip
def roofs(gpu: str) -> tuple[float, float]: ...
def ridge(gpu: str) -> float: ...
def attainable(gpu: str, intensity: float) -> float: ...
