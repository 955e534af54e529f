"""Ways to ask for a causal mask, over each other: least and most of twelve shapes."""

from draw.tables._practices import flagged, masked, over

ROWS = {
    "flag": lambda: flagged("ours"),
    "full": lambda: masked("cudnn, full"),
    "tensor": masked,
    "math": lambda: over("masks", "math, causal", "cudnn, causal"),
}
SAY = {
    "en": {
        "head": ("time of", "over that of", "ratio"),
        "flag": ("ours, with the flag", "ours, no mask"),
        "full": ("PyTorch's function, with a tensor", "cuDNN, no mask"),
        "tensor": ("PyTorch's function, with a tensor", "cuDNN, with the flag"),
        "math": ("PyTorch's math, with the flag", "cuDNN, with the flag"),
        "span": "{} to {}",
    },
    "zh": {
        "head": ("谁的用时", "除以谁的用时", "比值"),
        "flag": ("本书，用标志", "本书，不加掩码"),
        "full": ("PyTorch 的函数，用掩码张量", "cuDNN，不加掩码"),
        "tensor": ("PyTorch 的函数，用掩码张量", "cuDNN，用标志"),
        "math": ("PyTorch 的 math，用标志", "cuDNN，用标志"),
        "span": "{} 到 {}",
    },
}


def digits(x):
    """Two decimals below 1, one below 10, none above."""
    return f"{x:.2f}" if x < 1 else f"{x:.1f}" if x < 10 else f"{x:.0f}"


def lines(say):
    """Two ways in a row, and what the first takes of the second."""
    for name, ratios in ROWS.items():
        ends = min(ratios()), max(ratios())
        yield *say[name], say["span"].format(*map(digits, ends))
