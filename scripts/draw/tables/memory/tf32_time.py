"""fp32 inputs with and without TF32, N = 4,096 and d = 128: ms, and the error with."""

from draw.tables._practices import rows

WAYS = ("standard", "math", "efficient", "ours")
SAY = {
    "en": {
        "head": ("fp32 inputs", "ms", "ms, TF32", "error, TF32"),
        "standard": "written out", "math": "PyTorch's math", "ours": "ours",
        "efficient": "memory-efficient",
    },
    "zh": {
        "head": ("输入是 fp32", "ms", "ms，TF32", "误差，TF32"),
        "standard": "照公式写", "math": "PyTorch 的 math", "ours": "本书",
        "efficient": "memory-efficient",
    },
}


def power(x):
    """4.3 · 10⁻⁴ as HTML, one digit behind the point, on one line."""
    digits, exponent = f"{x:.1e}".split("e-")
    return f"{digits}\u00a0·\u00a010<sup>−{int(exponent)}</sup>"


def row(what, how, n=4096, d=128, dtype="float32"):
    """The row of a way to compute with the switch at highest or high."""
    (found,) = rows("tf32", what=f"{what}, {how}", n=n, d=d, dtype=dtype)
    return found


def lines(say):
    """A line for each way."""
    for what in WAYS:
        both = [row(what, how) for how in ("highest", "high")]
        cells = [f"{found['ms']:.1f}" for found in both]
        yield say[what], *cells, power(both[1]["error"]["o"])
