"""What FlashAttention saves, measured: DRAM traffic, memory, time, and the error."""

from draw.tables._savings import memory, rows, traffic

SAY = {
    "en": {
        "head": (
            "forward", "standard", "scaling and softmax fused", "FlashAttention",
        ),
        "traffic": "moved to and from main memory (HBM)",
        "memory": "memory on top of the inputs",
        "time": "time", "error": "relative error against float64",
    },
    "zh": {
        "head": (
            "一次前向传播", "标准注意力", "缩放与 softmax 融合后", "FlashAttention",
        ),
        "traffic": "显存（HBM）访问量", "memory": "输入之外的显存",
        "time": "用时", "error": "与 float64 的相对误差",
    },
}


def lines(say):
    """Standard attention in four kernels, in three, and fused."""
    found = rows("standard", "three_kernels", "flash")
    for name, unit, of in (
        ("traffic", "{:.2f} GB", traffic),
        ("memory", "{:.2f} GB", memory),
        ("time", "{:.2f} ms", lambda row: row["ms"]),
        ("error", "{:.4f}", lambda row: row["error"]),
    ):
        yield say[name], *(unit.format(of(row)) for row in found)
