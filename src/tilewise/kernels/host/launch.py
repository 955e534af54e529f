"""A light way to launch: from the second call on straight to the compiled kernel.

To find the compiled kernel that fits, Triton asks every argument of every call for its
type, whether 16 divides it, and more: 55 µs with four tensor descriptors. A key that
holds all of that finds it in one look, and descriptors need not be checked again.
"""

import inspect
import threading

import torch
import triton
from triton import knobs
from triton.runtime import driver
from triton.tools.tensor_descriptor import TensorDescriptor

COMPILED: dict[object, object] = {}  # (kernel, key) → a Direct for what Triton compiled
KNOWN = triton.__version__.startswith(("3.6.", "3.7."))  # whose inside is used here


class Watch(threading.local):
    """What the thread launches, if `replay` watches it; whether it has a context."""

    launches, bound = None, False


watch = Watch()


class Descriptor:
    """A tensor in tiles for the TMA unit: what a launch reads of it, unchecked.

    x's address and its strides but the last, which is 1, are multiples of 16 bytes; one
    number of block_shape an axis. layout: Gluon's for the tile in shared memory.
    """

    __slots__ = ("base", "shape", "strides", "block_shape", "layout")
    padding, round_f32_to_tf32 = "zero", False

    def __init__(self, x, strides, block_shape, layout=None):
        self.base, self.shape, self.strides = x, x.shape, strides
        self.block_shape, self.layout = block_shape, layout

    def checked(self):
        """The same as Triton has it, which checks all that is said above."""
        fields = self.base, [*self.shape], [*self.strides], [*self.block_shape]
        if self.layout is None:
            return TensorDescriptor(*fields)
        from triton.experimental.gluon.nvidia import hopper

        return hopper.TensorDescriptor(*fields, self.layout)


def launch(kernel, key, grid, *args, **options):
    """kernel[grid](*args, **options), for a sixth of the host's time from call 2 on.

    key (hashable) holds all that wants another compiled kernel: the device, dtypes,
    constexprs, options, which arguments are None, and what pointers are no multiple of
    16 bytes. Whole numbers are constexprs or in the kernel's do_not_specialize, so that
    one kernel serves them all; TypeError if not. grid is (x, y, z); the current device
    is that of the tensors. A Triton that is not KNOWN launches by itself.
    """
    if not KNOWN:
        return kernel[grid](*map(real, args), **options)
    run = COMPILED.get((kernel, key))
    if run is not None and not knobs.runtime.launch_enter_hook.calls:  # a profiler's
        run(grid, args)
    else:
        run = compile_and_run(kernel, key, grid, args, options)
    if watch.launches is not None:
        watch.launches.append((run, grid, args))


def compile_and_run(kernel, key, grid, args, options):
    """The launch that Triton makes; keeps what it compiled if that can be direct."""
    compiled = kernel[grid](*map(real, args), **options)
    if isinstance(compiled, triton.compiler.CompiledKernel):  # not the interpreter
        check(kernel, args)
        if run := direct(compiled):
            COMPILED[kernel, key] = run
    return compiled


def real(x):
    """What Triton's own launch takes for an argument."""
    return x.checked() if type(x) is Descriptor else x


def check(kernel, args):
    """Raise TypeError where the compiled kernel is for these numbers alone."""
    for parameter, x in zip(kernel.params, args):
        special = not (parameter.is_constexpr or parameter.do_not_specialize)
        if special and isinstance(x, int | tuple):
            name = parameter.name
            raise TypeError(f"{name} must be a constexpr or in do_not_specialize")


def direct(compiled):
    """A Direct for what Triton compiled; None where it needs more than a Direct has.

    What is read here is the inside of Triton, and another version may have another. The
    launchers in C of the two that are KNOWN take the same in another order.
    """
    try:
        from triton.backends.nvidia.driver import TMA_DTYPE_DEVICE_TO_HOST as types

        run, maps = compiled.run, []
        launcher = run.launch
        if inspect.isfunction(launcher):  # wrapped, for descriptors
            inside = inspect.getclosurevars(launcher).nonlocals
            launcher = inside["launcher"]
            for m in inside["tensordesc_meta"]:
                kind = m["swizzle"], m["elem_size"], types[m["elem_type"]]
                maps.append((*kind, m["block_size"]))
        head = [compiled.function, run.launch_cooperative_grid, run.launch_pdl]
        names, none = compiled.packed_metadata, [None] * 5  # no hooks, no scratch
        if whole := triton.__version__ > "3.7":
            head += names, *none, run.arg_annotations, run.kernel_signature
        else:
            head += *none[:2], names, *none[:3]
        scratch = run.global_scratch_size or run.profile_scratch_size
    except (AttributeError, ImportError, KeyError, TypeError):
        return None
    return None if scratch else Direct(launcher, whole, head, maps)


class Direct:
    """Launches by Triton's launcher in C, without its Python and its hooks.

    Descriptors become the TMA unit's maps here: 14 µs with four of them become 7.
    """

    def __init__(self, launcher, whole, head, maps):
        self.launcher, self.whole, self.head, self.maps = launcher, whole, head, maps
        self.stream, utils = driver.active.get_current_stream, driver.active.utils
        fill = getattr(utils, "fill_tma_descriptor", None)
        self.encode = fill or utils.fill_tma_descriptor_tiled

    def __call__(self, grid, args):
        flat, maps = [], iter(self.maps)
        for x in args:
            if type(x) is Descriptor:
                tile = *next(maps), x.shape, x.strides, 0
                flat += self.fill(x.base.data_ptr(), *tile), *x.shape, *x.strides
            else:
                flat.append(x)
        stream = self.stream(driver.active.get_current_device())
        self.launcher(*grid, stream, *self.arguments(flat))

    def fill(self, *tile):
        """A map. CUDA makes it only where the thread has a context, which it gets late.

        PyTorch gives a new thread one when it first needs it: after empty(), which may
        find room without asking CUDA, as in the threads that walk backward.
        """
        if not watch.bound:
            torch.cuda.mem_get_info()  # allowed in a capture too
            watch.bound = True
        return self.encode(*tile)

    def arguments(self, flat):
        """What the launcher takes after the stream; flat: numbers, addresses, maps."""
        return (*self.head, flat) if self.whole else (*self.head, *flat)
