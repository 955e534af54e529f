"""What stays in memory between the passes, counted on any device: two ways to look.

saved  what autograd saves: torch.autograd.graph.saved_tensors_hooks sees each tensor
alive  whatever was made and is still there, whoever holds it, and the most there was
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter


def saved(
    f: Callable[..., object], *inputs: Any, without: Iterable[Tensor] = ()
) -> dict[int, int]:
    """What f(*inputs) saves for the backward pass, as {address of a storage: bytes}.

    A storage saved by several steps, or as several views, is there once. without: an
    iterable of tensors not to count, such as a model's parameters.
    """
    sizes, excluded = {}, {x.untyped_storage().data_ptr() for x in without}

    def pack(x: Tensor) -> Tensor:
        storage = x.untyped_storage()
        if storage.data_ptr() not in excluded:
            sizes[storage.data_ptr()] = storage.nbytes()
        return x.detach()  # else a saved result would hold itself

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        result = f(*inputs)
    del result  # only now may an address be used again
    return sizes


class Alive(TorchDispatchMode):
    """Bytes of the storages that operators made within, and of those the most at once.

    peak counts what is there after an operator; what it needs within is not seen.
    """

    def __init__(self) -> None:
        super().__init__()
        self.alive: dict[int, tuple[StorageWeakRef, int]] = {}
        self.peak = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        inputs = {id_of(x) for x in tree_iter((args, kwargs)) if torch.is_tensor(x)}
        results = function(*args, **(kwargs or {}))
        for x in tree_iter(results):
            if torch.is_tensor(x) and id_of(x) not in inputs:
                storage = x.untyped_storage()
                self.alive[storage._cdata] = StorageWeakRef(storage), storage.nbytes()
        self.peak = max(self.peak, self.bytes())
        return results

    def bytes(self) -> int:
        """Of what is there now."""
        gone = [key for key, (ref, _) in self.alive.items() if ref.expired()]
        for key in gone:
            del self.alive[key]
        return sum(size for _, size in self.alive.values())


def id_of(x: Tensor) -> int:
    """What tells storages apart."""
    return x.untyped_storage()._cdata
