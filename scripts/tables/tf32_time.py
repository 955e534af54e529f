"""fp32 inputs with and without TF32, N = 4,096 and d = 128: ms and errors."""

from figures._bench import table
from tables._practices import rows

WAYS = ("standard", "math", "efficient", "ours")
SAY = {
    "en": {
        "head": ("fp32 inputs", "ms", "error", "ms, TF32 allowed", "error"),
        "standard": "written out", "math": "PyTorch's math", "ours": "ours",
        "efficient": "memory-efficient",
    },
    "zh": {
        "head": ("输入是 fp32", "ms", "误差", "ms，允许 TF32", "误差"),
        "standard": "照公式写", "math": "PyTorch 的 math", "ours": "本书",
        "efficient": "memory-efficient",
    },
}  # fmt: skip


def power(x):
    """4.3 · 10⁻⁴ as HTML, one digit behind the point, on one line."""
    digits, exponent = f"{x:.1e}".split("e-")
    return f"{digits}\u00a0·\u00a010<sup>−{int(exponent)}</sup>"


def row(what, how, n=4096, d=128, dtype="float32"):
    """The row of a way to compute with the switch at highest or high."""
    (found,) = rows("tf32", what=f"{what}, {how}", n=n, d=d, dtype=dtype)
    return found


def draw(lang):
    """A Markdown table with a row for each way."""
    say, lines = SAY[lang], []
    for what in WAYS:
        cells = [say[what]]
        for how in ("highest", "high"):
            found = row(what, how)
            cells += [f"{found['ms']:.1f}", power(found["error"]["o"])]
        lines.append(cells)
    return table(say["head"], lines)
