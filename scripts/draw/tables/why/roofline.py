"""Attention's kernels under the measured roofline: traffic, intensity, share of it."""

from draw.figures._plot import digits, results

from tilewise.hardware import CEILINGS

SHAPE = {"batch": 16, "heads": 32, "n": 1024, "d": 64}
SAY = {
    "en": {
        "head": (
            "kernel { .tw-above }", "time", "HBM traffic", "FLOP/byte", "TFLOP/s",
            "of roof",
        ),
        "qk": "$QK^\\top$", "scale": "scaling", "softmax": "softmax", "pv": "$PV$",
        "standard": "all four together",
        "three_kernels": "three, scaling fused with softmax",
        "flash": "FlashAttention-2", "cudnn": "fused attention of cuDNN",
    },
    "zh": {
        "head": (
            "内核 { .tw-above }", "用时", "HBM 访问量", "FLOP/字节", "TFLOP/s",
            "与屋顶之比",
        ),
        "qk": "$QK^\\top$", "scale": "缩放", "softmax": "softmax", "pv": "$PV$",
        "standard": "四个依次执行",
        "three_kernels": "三个依次执行（缩放与 softmax 融合）",
        "flash": "FlashAttention-2", "cudnn": "cuDNN 的融合注意力",
    },
}


def lines(say):
    """SHAPE in bf16, forward, on the H200."""
    found = results("h200-2026-11-20-roofline")["rows"]
    rows = {x["what"]: x for x in found if SHAPE.items() <= x.items()}
    flat, slope = CEILINGS["bf16"]["value"] / 1e12, CEILINGS["hbm"]["value"] / 1e12
    for what in list(say)[1:]:
        row = rows[what]
        moved = row["dram_read"] + row["dram_write"]
        intensity = row["flops"] / moved
        share = row["tflops"] / min(flat, slope * intensity)
        yield (
            say[what], f"{row['ms']:.2f} ms", f"{moved / 1e9:.2f} GB",
            digits(intensity), digits(row["tflops"]), f"{100 * share:.0f}%",
        )
