"""The help of the command line, in both languages."""

HELP = {
    "en": {
        "tilewise": "FlashAttention, one tile at a time.",
        "--version": "print the version and exit",
        "--lang": "language of the words (default: en)",
        "trace": "Show every number of FlashAttention's forward or backward pass,\n"
        "step by step.",
        "trace epilog": "Without --input, N = 4 and d = 2 is the running example,\n"
        "exact, in fractions. Other sizes take the small whole numbers of a\n"
        "formula, named in the output, and show decimals. JSON holds floats,\n"
        "and null for minus infinity; its i and j count from 0.",
        "--n": "rows of Q, K and V, 1 to 64 (default: 4)",
        "--d": "columns of Q, K and V, 1 to 64 (default: 2)",
        "--block-rows": "rows of a block of Q (default: 2)",
        "--block-cols": "rows of a block of K and V (default: 2)",
        "--order": "which loop is the outer one (default: kv-outer)",
        "--format": "form of the output (default: text)",
        "--causal": "query r sees keys up to r + N_k - N, and no later ones",
        "--backward": "show the backward pass: dQ, dK and dV from dO",
        "--input": 'a file {"q": rows, "k": rows, "v": rows}, each at most\n'
        '64 × 64 numbers, maybe with "scale" (default: 1/√d);\n'
        '--backward needs "do", the gradient of O, in it',
    },
    "zh": {
        "tilewise": "一块一块看懂 FlashAttention。",
        "--version": "显示版本并退出",
        "--lang": "用哪种语言显示（默认：en）",
        "trace": "一步一步显示 FlashAttention 前向或反向传播的每一个数。",
        "trace epilog": "不带 --input 时，N = 4、d = 2 是贯穿全书的例子，"
        "用有理数精确显示。\n"
        "其他大小的输入是按公式生成的小整数（公式写在输出里），用小数显示。\n"
        "JSON 中是浮点数，负无穷写作 null，i 和 j 从 0 数起。",
        "--n": "Q、K、V 的行数，1 到 64（默认：4）",
        "--d": "Q、K、V 的列数，1 到 64（默认：2）",
        "--block-rows": "每个 Q 块的行数（默认：2）",
        "--block-cols": "每个 K、V 块的行数（默认：2）",
        "--order": "谁在外层循环（默认：kv-outer）",
        "--format": "输出的形式（默认：text）",
        "--causal": "查询 r 只能看到不晚于 r + N_k - N 的键",
        "--backward": "显示反向传播：由 dO、O、m、ℓ 求 dQ、dK、dV",
        "--input": '文件 {"q": 各行, "k": 各行, "v": 各行}，\n'
        '每个矩阵至多 64 × 64 个数，可以带 "scale"（默认：1/√d）\n'
        '和 "do"（即 O 的梯度，--backward 需要它）',
    },
}
