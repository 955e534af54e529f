"""What the calculator says of a result, in both languages."""

WORDS = {
    "en": {
        "standard": "standard attention",
        "flash1": "Flash\u00adAttention\u20111",
        "flash2": "Flash\u00adAttention\u20112",
        "ideal": "FlashAttention-2, repeated accesses from a cache",
        "now": "N = {n}: standard attention holds {a} ({fits_a}), FlashAttention-2"
        " {b} ({fits_b}). ",
        "said": "{memory} GiB have room for {standard} tokens with standard attention"
        " and {flash2} with FlashAttention-2, {times} times as many.",
        "said nothing": "{memory} GiB have room for no token with standard attention"
        " and {flash2} with FlashAttention-2.",
        "card": "{gpu}: {sram} KiB of SRAM for a thread block, {bandwidth} TB/s,"
        " {tflops} TFLOP/s, {memory} GiB.",
        "own": "A card of your own",
        "fit": "What fits",
        "longest": "longest N",
        "held": "in HBM at once",
        "saved": "kept for the backward pass",
        "asked": "If every access goes to HBM",
        "bytes": "HBM traffic",
        "flops": "matrix products",
        "intensity": "arithmetic intensity",
        "rate": "place on the roofline",
        "seconds": "time bound",
        "once": "If a cache answers every repeated access",
        "chip": "On the chip",
        "none": "none",
        "tile": "tile, rows × columns",
        "sram": "SRAM, if it holds all of a tile",
        "on memory": "memory-bound",
        "on compute": "compute-bound",
        "fits": "fits",
        "large": "too large",
        "even": "FlashAttention-1 moves less than standard attention where"
        " M > {leading} d², here {about} elements. M is {sram}.",
        "exact": " Counted exactly, FlashAttention-1 moves less from tiles of"
        " {cols} columns on, that is, from M = {m} on.",
        "never": " Counted with ℓ and m, it never moves less here.",
        "masked": " This is without a mask; a causal one spares FlashAttention-1 up to"
        " half of its traffic, and standard attention nothing.",
        "command": "The same in the terminal: ",
        "as table": "The plot as a table",
        "held_bytes": "Memory: in HBM at once",
        "caption": "{what}; * does not fit the card",
        "chart": "{what} over N from {a} to {b} tokens, both axes logarithmic, one line"
        " per algorithm. The numbers are in the table below.",
        "capacity": "{memory} of HBM",
        "beyond": "does not fit",
        "bytes plot": "HBM traffic",
        "seconds plot": "Time bound",
        "roof": "Roofline of {bandwidth}/s and {peak} with its ridge at {ridge}, and"
        " six points on it: three algorithms, every access to HBM or repeated ones to"
        " a cache.",
        "roof title": "Roofline",
        "roof x": "FLOP per byte of HBM traffic",
        "how asked": "every access to HBM",
        "how once": "repeated accesses to a cache",
        "hint": "Filled: every access goes to HBM. Open: a cache answers repeated ones."
        " Point at a mark to see its numbers.",
        "comma": ", ",
        "colon": ": ",
    },
    "zh": {
        "standard": "标准注意力",
        "flash1": "Flash\u00adAttention\u20111",
        "flash2": "Flash\u00adAttention\u20112",
        "ideal": "FlashAttention-2（重复的读写命中缓存）",
        "now": "N = {n}：标准注意力要占 {a}（{fits_a}），FlashAttention-2 要占 {b}"
        "（{fits_b}）。",
        "said": "{memory} GiB 显存里，标准注意力最多放得下 {standard} 个 token，"
        "FlashAttention-2 放得下 {flash2} 个，是前者的 {times} 倍。",
        "said nothing": "{memory} GiB 显存里，标准注意力一个 token 也放不下，"
        "FlashAttention-2 放得下 {flash2} 个。",
        "card": "{gpu}：每个线程块可用 SRAM {sram} KiB，{bandwidth} TB/s，"
        "{tflops} TFLOP/s，{memory} GiB。",
        "own": "自己填的显卡",
        "fit": "放得下多少",
        "longest": "最大的 N",
        "held": "HBM 峰值占用",
        "saved": "留给反向传播",
        "asked": "如果每次读写都走 HBM",
        "bytes": "HBM 访问量",
        "flops": "矩阵乘法",
        "intensity": "算术强度",
        "rate": "在屋顶线上的位置",
        "seconds": "时间下限",
        "once": "如果重复的读写全部命中缓存",
        "chip": "片上",
        "none": "无",
        "tile": "块，行 × 列",
        "sram": "整块都放在 SRAM 时要占",
        "on memory": "访存受限",
        "on compute": "计算受限",
        "fits": "放得下",
        "large": "放不下",
        "even": "M > {leading} d² 时，FlashAttention-1 搬得比标准注意力少，"
        "在这里要超过 {about} 个元素；现在 M 是 {sram}。",
        "exact": "精确计算，每块至少 {cols} 列，即 M 至少 {m} 时，它才搬得更少。",
        "never": "算上 ℓ 和 m，在这里它怎么也不会搬得比标准注意力少。",
        "masked": "这是没有掩码的情形；因果掩码最多能让 FlashAttention-1 少搬一半，"
        "标准注意力则一点也不少。",
        "command": "命令行的写法：",
        "as table": "以表格查看",
        "held_bytes": "显存：HBM 峰值占用",
        "caption": "{what}；带 * 的放不下",
        "chart": "{what}随 N 的变化，N 从 {a} 到 {b}，两个坐标轴都是对数刻度，"
        "每种算法一条线。数值在下面的表格里。",
        "capacity": "显存 {memory}",
        "beyond": "放不下",
        "bytes plot": "HBM 访问量",
        "seconds plot": "时间下限",
        "roof": "屋顶线：{bandwidth}/s，{peak}，脊点在 {ridge}；线上有六个点，"
        "三种算法各两个：每次读写都走 HBM，或重复的读写命中缓存。",
        "roof title": "屋顶线",
        "roof x": "算术强度（FLOP/HBM 字节）",
        "how asked": "每次读写都走 HBM",
        "how once": "重复的读写命中缓存",
        "hint": "实心：每次读写都走 HBM。空心：重复的读写命中缓存。"
        "指向一个点，可以读出它的数值。",
        "comma": "，",
        "colon": "：",
    },
}
