"""Error of the H200's kernels in 16 bits, and beside plain PyTorch's."""

from draw.tables._errors import rows, units, worst

KERNELS = ("standard", "math", "flash", "cudnn", "efficient", "triton")
GRADIENTS = ("dq", "dk", "dv")
SAY = {
    "en": {
        "head": (
            "kernel { .tw-line .tw-above }", "bf16 $O$", "bf16 gradients",
            "fp16 $O$", "fp16 gradients", "largest error / plain's",
        ),
        "standard": "plain PyTorch", "math": "SDPA, math backend",
        "flash": "SDPA, FlashAttention-2", "cudnn": "SDPA, cuDNN",
        "efficient": "SDPA, memory-efficient", "triton": "Triton, forward",
    },
    "zh": {
        "head": (
            "内核 { .tw-line .tw-above }", "bf16 $O$", "bf16 梯度", "fp16 $O$",
            "fp16 梯度", "最大误差 ÷ 朴素写法的最大误差",
        ),
        "standard": "PyTorch 朴素写法", "math": "SDPA，math 后端",
        "flash": "SDPA，FlashAttention-2", "cudnn": "SDPA，cuDNN",
        "efficient": "SDPA，memory-efficient", "triton": "Triton（前向）",
    },
}


def ratio(found, what):
    """The largest quotient of a kernel's max error by plain PyTorch's."""
    return max(
        row["max"] / found["standard", name, tensor]["max"]
        for (kernel, name, tensor), row in found.items()
        if kernel == what and name in ("bf16", "fp16")
    )


def lines(say):
    """The rms in units of u, then the worst quotient of max errors."""
    found = rows("gpu_rows")
    for what in KERNELS:
        cells = []
        for name in ("bf16", "fp16"):
            for tensors in (("o",), GRADIENTS):
                there = (what, name, tensors[0]) in found
                error = there and worst(found, what, name, tensors, "rms")
                cells.append(units(error) if there else "–")
        whole = (what, "bf16", "dq") in found  # Triton's gradients were not measured
        last = f"{ratio(found, what):.2f}" if whole else "–"
        yield say[what], *cells, "1" if what == "standard" else last
