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
        "--window": "a query sees the key at its place, L before it and R\n"
        "after it; none is no limit, as in --window 2,none",
        "--softcap": "replace each score s by C·tanh(s / C)",
        "--sink": "one more logit for each query, whose value is zeros;\n"
        "give a negative one as --sink=-1",
        "--backward": "show the backward pass: dQ, dK and dV from dO",
        "--input": 'a file {"q": rows, "k": rows, "v": rows}, each at most\n'
        '64 × 64 numbers, maybe with "scale" (default: 1/√d);\n'
        '--backward needs "do", the gradient of O, in it',
        "ledger": "Count what standard attention, FlashAttention-1 and -2\n"
        "move, compute and keep.",
        "ledger epilog": "Every load from HBM and every store to it is counted, as if\n"
        "there were no cache; FLOPs are those of the matrix products. FA1 is\n"
        "FlashAttention's first paper, FA2 the second.",
        "ledger --n": "rows of Q (default: 1024)",
        "--n-k": "rows of K and V (default: as many as Q)",
        "ledger --d": "columns of Q, K and V (default: 64)",
        "ledger --block-rows": "rows of a block of Q (default: M/4d, at most d)",
        "ledger --block-cols": "rows of a block of K and V (default: M/4d)",
        "--sram": "M, the elements that fit in SRAM",
        "--gpu": "the GPU whose SRAM is meant (default: h100)",
        "--bandwidth": "bandwidth of the HBM in TB/s (default: the GPU's)",
        "--tflops": "peak of the card in TFLOP/s (default: the GPU's)",
        "--memory": "HBM of the card in GiB (default: the GPU's)",
        "--tiles": "how tiles are chosen: by the paper's M/4d, or as\n"
        "FlashAttention-2 and -3 do (default: paper)",
        "--heads": "query heads (default: 1)",
        "--kv-heads": "heads of K and V (default: as many as query heads)",
        "--batch": "sequences (default: 1)",
        "--dtype": "the format of all elements (default: bf16)",
        "ledger --backward": "count the backward pass",
        "exercise": "Write a piece of FlashAttention yourself and have it graded.",
        "exercise epilog": "Without a name: the list of all. With one: NAME.py is\n"
        "written, with what is to be done, and never overwritten. Once it is\n"
        "there, it is graded, in a process of its own and for 10 seconds at\n"
        "most; the exit status is 0 where every check passes, else 1.",
        "exercise NAME": "an exercise of the list",
        "--hint": "show a hint, 1 or 2",
        "--solution": "show a solution",
        "ledger --training": "count both passes",
        "bench": "Time every kernel of the ladder beside its peers on a GPU,\n"
        "after checking that it is right.",
        "bench epilog": "B · N = 16,384 tokens, H · d = 2,048, bf16. What is wrong is\n"
        "not timed, and the exit status is then 1. The JSON holds every\n"
        "number and how it was measured; an interruption leaves what there is.",
        "bench --n": "lengths (default: 1024,2048,4096,8192,16384)",
        "bench --d": "head dims (default: 64,128)",
        "bench --causal": "with a causal mask (default: both)",
        "bench --passes": "which pass (default: both)",
        "bench --parts": "what to measure, of speed, memory, unaligned, host\n"
        "(default: all)",
        "bench --only": "kernels and peers by name, with commas (default: all)",
        "bench --seconds": "time for a cell's rounds (default: 4)",
        "bench --flush": "empty the L2 before every call",
        "bench --out": "file or folder for the JSON\n(default: benchmarks/results)",
        "serve": "Answer POST /v1/attention over HTTP, on the CPU: for tests and\n"
        "for teaching.",
        "serve epilog": "It needs the extra `serve`. What it answers to is listed by\n"
        "/openapi.json, /health and /metrics. SIGTERM or Ctrl-C: what has begun\n"
        "is finished, then it ends.",
        "serve default": "{about} (default: {default})",
        "serve --host": "where to listen; there is no login",
        "serve --port": "the port, 0 for any that is free",
        "serve --name": "a name by which clients may call this server, apart from\n"
        "localhost and the address; may be repeated",
        "serve threads": "attentions computed at the same time",
        "serve queue": "requests that may wait; more get 429",
        "serve deadline": "seconds for a request, its body included",
        "serve max_body": "MiB of a body",
        "serve max_json": "MiB of a body in JSON",
        "serve max_elements": "numbers in each of q, k, v and o",
        "serve max_heads": "batch × heads",
        "serve max_dim": "d of q and k, and of v",
        "serve max_work": "billions of multiply-adds of a request",
        "serve memory": "MiB of all bodies and answers together",
        "serve connections": "connections open at the same time",
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
        "--window": "查询只看得到自己位置上的键、之前 L 个、之后 R 个；\n"
        "none 表示没有限制，例如 --window 2,none",
        "--softcap": "把每个分数 s 换成 C·tanh(s / C)",
        "--sink": "给每个查询多加一个分数，它的值向量是零；\n负数要写成 --sink=-1",
        "--backward": "显示反向传播：由 dO、O、m、ℓ 求 dQ、dK、dV",
        "--input": '文件 {"q": 各行, "k": 各行, "v": 各行}，\n'
        '每个矩阵至多 64 × 64 个数，可以带 "scale"（默认：1/√d）\n'
        '和 "do"（即 O 的梯度，--backward 需要它）',
        "ledger": "数一数标准注意力、FlashAttention-1、FlashAttention-2\n"
        "各要搬多少、算多少、留多少。",
        "ledger epilog": "每次读 HBM、写 HBM 都算，就像没有缓存一样；"
        "浮点运算只算矩阵乘法的。\n"
        "FA1 是 FlashAttention 第一篇论文的算法，FA2 是第二篇的。",
        "ledger --n": "Q 的行数（默认：1024）",
        "--n-k": "K、V 的行数（默认：与 Q 相同）",
        "ledger --d": "Q、K、V 的列数（默认：64）",
        "ledger --block-rows": "每个 Q 块的行数（默认：M/4d，至多为 d）",
        "ledger --block-cols": "每个 K、V 块的行数（默认：M/4d）",
        "--sram": "M，即 SRAM 放得下的元素个数",
        "--gpu": "按哪种 GPU 的 SRAM 算（默认：h100）",
        "--bandwidth": "显卡 HBM 的带宽，单位 TB/s（默认：该 GPU 的）",
        "--tflops": "显卡的峰值，单位 TFLOP/s（默认：该 GPU 的）",
        "--memory": "显卡的 HBM 容量，单位 GiB（默认：该 GPU 的）",
        "--tiles": "块大小怎么定：按论文的 M/4d，或照 FlashAttention-2、\n"
        "FlashAttention-3 的内核（默认：paper）",
        "--heads": "查询头的个数（默认：1）",
        "--kv-heads": "K、V 头的个数（默认：与查询头相同）",
        "--batch": "序列的条数（默认：1）",
        "--dtype": "所有元素的格式（默认：bf16）",
        "ledger --backward": "算反向传播的账",
        "exercise": "自己动手写 FlashAttention 的一个零件，然后评分。",
        "exercise epilog": "不带题名：列出全部题目。带上题名：写出 NAME.py，"
        "里面有题目，\n已有的文件绝不覆盖。文件已经存在时给它评分，"
        "在单独的进程里运行，\n至多 10 秒；"
        "全部检查通过时退出状态为 0，否则为 1。",
        "exercise NAME": "列表中的一道题",
        "--hint": "显示一条提示，1 或 2",
        "--solution": "显示参考答案",
        "ledger --training": "前向和反向一起算",
        "bench": "在 GPU 上先检查，再测量阶梯上每个内核和同类实现用的时间。",
        "bench epilog": "B · N = 16,384 个 token，H · d = 2,048，bf16。"
        "结果不对的不计时，这时\n退出状态为 1。JSON 里有每一个数和测量方法；"
        "中断时保留已经测到的。",
        "bench --n": "序列长度（默认：1024,2048,4096,8192,16384）",
        "bench --d": "头维度（默认：64,128）",
        "bench --causal": "是否用因果掩码（默认：both，两种都测）",
        "bench --passes": "测前向还是反向（默认：both，两种都测）",
        "bench --parts": "测什么：speed、memory、unaligned、host（默认：全部）",
        "bench --only": "只测这些内核，名字之间用逗号（默认：全部）",
        "bench --seconds": "每种情形轮流计时的秒数（默认：4）",
        "bench --flush": "每次调用之前清空 L2",
        "bench --out": "JSON 写到哪个文件或目录（默认：benchmarks/results）",
        "serve": "启动 HTTP 服务，用 POST /v1/attention 计算注意力。\n"
        "只用 CPU，供测试和教学。",
        "serve epilog": "要先安装可选依赖 serve。"
        "接口见 /openapi.json、/health 和 /metrics。\n"
        "收到 SIGTERM 或 Ctrl-C 后，先做完已经开始的请求，再退出。",
        "serve default": "{about}（默认：{default}）",
        "serve --host": "监听哪个地址；没有身份验证",
        "serve --port": "监听哪个端口；0 表示任选一个空闲的",
        "serve --name": "除 localhost 和监听地址外，客户端还可以用哪个主机名访问；\n"
        "可以写多次",
        "serve threads": "同时计算的请求数",
        "serve queue": "最多有几个请求排队，再多就回答 429",
        "serve deadline": "一个请求限几秒，接收请求体的时间也算在内",
        "serve max_body": "请求体的上限，单位 MiB",
        "serve max_json": "JSON 请求体的上限，单位 MiB",
        "serve max_elements": "q、k、v、o 各自的元素个数上限",
        "serve max_heads": "batch × 头数的上限",
        "serve max_dim": "d 的上限，v 的 d 也一样",
        "serve max_work": "一个请求的乘加次数上限，单位十亿次",
        "serve memory": "同时持有的请求体和回答的上限，单位 MiB",
        "serve connections": "同时连接数的上限",
    },
}
