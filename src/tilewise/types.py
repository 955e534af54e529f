"""The types that the floors with PyTorch share."""

from typing import Literal

Causal = bool | Literal["top-left"]  # no mask, bottom-right (True), or top-left
