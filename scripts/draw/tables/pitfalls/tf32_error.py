"""What fp32 inputs cost when the product is TF32's, on the H200."""

from draw.figures._plot import results
from draw.tables._errors import FILE, power, rows

ROWS = (  # what and format in the errors, name in the probe
    ("standard", "fp32", "torch highest"), ("triton ieee", "fp32", "triton ieee"),
    ("triton tf32x3", "fp32", "triton tf32x3"), ("standard", "tf32", "torch high"),
    ("triton default", "fp32", "triton default"),
)
LEFT = 2
SAY = {
    "en": {
        "head": ("fp32 inputs, product by", "operands", "largest error",
                 "rms / result"),
        "kept": "as they are", "nearest": "to the nearest", "cut off": "cut off",
        "torch highest": "PyTorch", "torch high": "PyTorch, TF32 allowed",
        "triton ieee": "`tl.dot`, `ieee`", "triton tf32x3": "`tl.dot`, `tf32x3`",
        "triton default": "`tl.dot`, nothing said",
    },
    "zh": {
        "head": ("fp32 输入，怎样相乘", "操作数", "最大误差", "相对均方根误差"),
        "kept": "原样", "nearest": "就近舍入", "cut off": "截断",
        "torch highest": "PyTorch", "torch high": "PyTorch，允许 TF32",
        "triton ieee": "`tl.dot`，`ieee`", "triton tf32x3": "`tl.dot`，`tf32x3`",
        "triton default": "`tl.dot`，默认",
    },
}


def lines(say):
    """Five ways to multiply."""
    found, probe = rows("gpu_rows"), results(FILE)["probe"]
    for what, name, way in ROWS:
        row = found[what, name, "o"]
        yield say[way], say[probe[way]], power(row["max"]), power(row["rms"])
