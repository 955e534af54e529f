"""N = 1000, a multiple of neither 64 nor 128, over N = 1024, for four kernels."""

from draw.tables._practices import NAMES, whole

KERNELS = ("ours", "cudnn", "efficient", "flash")
SAY = {
    "en": {
        "head": (
            "time at 1000 / time at 1024 { .tw-above }", "forward", "forward, causal",
            "backward", "backward, causal",
        ),
        "ours": "ours", "efficient": "memory-efficient",
    },
    "zh": {
        "head": (
            "1000 的用时 / 1024 的用时 { .tw-above }", "前向", "前向，因果", "反向",
            "反向，因果",
        ),
        "ours": "本书", "efficient": "memory-efficient",
    },
}


def lines(say):
    """A line for each kernel."""
    for kernel in KERNELS:
        yield NAMES.get(kernel) or say[kernel], *(f"{x:.2f}" for x in whole(kernel))
