"""Counts what a piece of PyTorch code loads, stores and multiplies while it runs.

A tensor is in HBM if it was given, or if it was made whole from one that is: then all
its views are, since they share its storage. Whatever else is computed is on chip.

- Indexing by a tensor of rows copies: it is a load. Plain indexing is a view: nothing.
- Assigning to rows is a store. So is filling a new tensor; making an empty one is not.
- An operation on whole HBM tensors is a kernel. It reads each of them once, and stores
  its result once, when something else asks for it. Until then a number or a mask may
  still change the result on chip, and so may the row-wise steps after row-wise ones.
"""

import torch
from torch.overrides import TorchFunctionMode

PRODUCTS = {"matmul", "__matmul__", "mm", "bmm"}
ROWWISE = {"softmax", "sum", "amax"}
FILLED = {"new_zeros", "new_full", "zeros_like", "full_like", "ones_like"}
EMPTY = {"new_empty", "empty_like"}


class Place:
    """A tensor's storage in HBM, or what a kernel will store there."""

    def __init__(self, tensor, kernel=None):
        self.size = tensor.numel()
        self.kernel = kernel  # None once it is stored, else "product" or "rows"
        self.read = set()  # what the kernel has read already


class Traffic(TorchFunctionMode):
    """`with Traffic(q, k, v) as count:` fills count.reads, .writes and .flops."""

    def __init__(self, *tensors):
        super().__init__()
        self.reads = self.writes = self.flops = 0
        self.places, self.kept = {}, []
        for x in tensors:
            self.put(x, Place(x))

    def place(self, x):
        """The Place of x, or None if it is on chip or no tensor."""
        known = isinstance(x, torch.Tensor)
        return self.places.get(x.untyped_storage().data_ptr()) if known else None

    def put(self, x, place):
        """x is a tensor in HBM, or on its way there."""
        self.places[x.untyped_storage().data_ptr()] = place
        self.kept.append(x)  # or a tensor on chip might get its address

    def store(self, place):
        """What a kernel had ready is stored."""
        if place.kernel is not None:
            self.writes += place.size
            place.kernel = None

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = func.__name__
        if name == "__setitem__" and self.place(args[0]):
            self.writes += torch.Tensor.__getitem__(*args[:2]).numel()
        out = func(*args, **(kwargs or {}))
        if name in PRODUCTS:
            self.flops += 2 * out.numel() * args[0].shape[-1]
        operands = [p for p in map(self.place, args) if p]
        if operands and isinstance(out, torch.Tensor) and not self.place(out):
            self.made(name, operands, out)
        return out

    def made(self, name, operands, out):
        """out came from HBM tensors and is not a view of one."""
        if name == "__getitem__":
            self.store(operands[0])
            self.reads += out.numel()
        elif name in FILLED | EMPTY:
            self.put(out, Place(out))
            self.writes += out.numel() if name in FILLED else 0
        elif name in PRODUCTS:
            self.kernel("product", operands, out)
        elif name in ROWWISE or len(operands) > 1:
            self.kernel("rows", operands, out)
        else:  # a number or a mask: the same place, changed on the way
            self.put(out, operands[0])

    def kernel(self, kind, operands, out):
        """Operations on whole tensors: row-wise ones go on where one has begun."""
        made = Place(out, kind)
        self.put(out, made)
        goes_on = [p for p in operands if kind == p.kernel == "rows"]
        for p in goes_on:
            made.read |= p.read
        for p in operands:
            if p not in goes_on:
                self.store(p)
                self.reads += 0 if p in made.read else p.size
                made.read.add(p)

    def results(self, *tensors):
        """These are the results: they end up in HBM."""
        for x in tensors:
            self.store(self.place(x))
