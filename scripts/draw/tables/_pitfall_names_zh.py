"""What is wrong with each variant, and what is right, in Chinese."""

WRONG = {
    "scale_multiplied": "分数乘了 √d。正确：除以 √d，τ = 1 / √d。",
    "scale_of_length": "缩放系数取错了轴，成了 1 / √N。正确：1 / √d，取最后一个轴。",
    "scale_twice": "q 缩放一次，分数又缩放一次，一共乘了 τ²。正确：只乘一次 τ。",
    "softmax_over_queries": "P 每列的和是 1。正确：每行的和是 1，即 dim=-1。",
    "columns_divided": "漏了 keepdim，`(N, N) / (N,)` 让第 j 列除以 ℓ_j。"
    "正确：第 i 行除以 ℓ_i。",
    "maximum_left_out": "e^S 会上溢（float64 超过 709 就会）。"
    "正确：e^{S − m}，至多是 1。",
    "maximum_of_tile": "一块的各行共用一个最大值：分数低的行全归零。正确：每行一个。",
    "maximum_from_zero": "m 从 0 开始：分数都低于 −745（fp32 是 −104）的行，ℓ = 0。"
    "正确：从 −∞ 开始。",
    "maximum_from_infinity": "m 从 +∞ 开始，再也不变。"
    "正确：从 −∞ 开始，任何分数都比它大。",
    "output_not_rescaled": "最大值变了，o 还停在旧基准上。正确：α o + P V。",
    "sum_not_rescaled": "最大值变了，ℓ 还停在旧基准上。正确：α ℓ + rowsum P。",
    "inverse_factor": "从第二块起，o 除以了 α：该缩小的反而放大。正确：α o + P V。",
    "unguarded_maximum": "第一块全被遮住，算出 −∞ − (−∞)，就是 NaN。"
    "正确：e^{−∞ − m} 是 0。",
    "nan_set_to_zero": "第一块全被遮住，出了 NaN，到最后才改成 0："
    "后面各块的贡献都丢了。"
    "正确：根本不出 NaN，不论 m 是多少，e^{−∞ − m} 都是 0（`weight`）。",
    "rescaled_twice": "新的一块已经换到新基准上，又乘了一次 β。正确：只乘一次。",
    "factor_of_other_tile": "新的一块 P̃ V，乘的却是旧状态的因子。"
    "正确：β = e^{m̃ − m'}。",
    "mean_taken_for_sum": "o 已经除过旧的 ℓ，却还当成和来用。"
    "正确：(α ℓ o + β P̃ V) / ℓ'。",
    "values_of_row_block": "P_ij 乘成了 V_i。"
    "正确：V_j，分数由哪些键算出，就用哪些键的值。",
    "last_keys_left_out": "只有 N // B 块：末尾不满一块的键从没读过。"
    "正确：⌈N / B⌉ 块。",
    "last_keys_read_twice": "最后一块往前挪，好凑满一块：有的键算了两次。"
    "正确：最后一块小一些，或者把算过的键遮住。",
    "zeros_for_keys": "键补零，凑成整块，而全零的键分数是 0。正确：这些键的分数取 −∞。",
    "square_tiles_assumed": "第 i 个行块只访问键块 0 .. i，好像 B_r 就等于 B_c。"
    "正确：一直访问到块里最后一行能看到的最后一个键。",
    "plus_infinity": "被遮住的分数成了 +∞。正确：−∞，取指数得 0。",
    "minus_a_million": "一个键也看不到的行，分数都是 −10⁶，结果得到 mean(V)。"
    "正确：分数是 −∞，这一行的结果是 0。",
    "score_zero": "被遮住的分数成了 0，而 0 只是个普通的分数：e⁰ = 1。正确：−∞。",
    "mask_after_softmax": "ℓ 把所有的键都加完了，才把权重置 0。"
    "正确：softmax 之前就把分数换成 −∞。",
    "top_left": "N_k > N_q 时，第 0 行仍只看到第 0 个键。"
    "正确：最后一行看到最后一个键为止，第 r 行看到第 r + N_k − N_q 个为止。",
    "tril_in_every_tile": "每一块都按块内下标遮成三角：丢了过去的键，露了未来的键。"
    "正确：按全局下标。",
    "diagonal_hidden": "该写 ≤ 却写了 <，一行看不到自己的键。正确：c ≤ r + N_k − N_q。",
    "padding_inverted": "True 在一处表示遮住，在另一处表示看得到：只看得到填充。"
    "正确：看得到的是 c < n 的键。",
    "documents_forgotten": "打包的几篇文档，掩码却全是 1：每一篇都看得到别的文档。"
    "正确：只看得到自己这一篇。",
    "jacobian_unweighted": "dS = P ∘ dP − δ：δ 没有乘权重。"
    "正确：P ∘ (dP − δ)，每行的和是 0。",
    "delta_of_tile": "只加了这一块的键，δ = rowsum(dP ∘ P)。"
    "正确：加上所有的键，也就是 rowsum(dO ∘ O)，第一块之前就已知道。",
    "scale_left_out": "dQ = dS K 和 dK = dSᵀ Q 少乘了 τ。"
    "正确：S = τ Q Kᵀ，两个都要乘。",
    "weights_not_divided": "P = e^{S − m}，是正确值的 ℓ 倍。"
    "正确：e^{S − L}，或者 e^{S − m} / ℓ。",
    "unguarded_again": "一个键也看不到的行，S − L 是 −∞ − (−∞)。"
    "正确：S 是 −∞，P 就是 0。",
    "mask_forgotten": "反向传播看得到所有的键：被遮住的权重又回来了。"
    "正确：沿用前向的掩码。",
    "gradient_overwritten": "每块的贡献都盖掉前一块的。正确：累加上去。",
    "mask_from_stream": "随机数挨个往下取：块大小或循环次序一变，掩码就变。"
    "正确：只由元素自己的位置决定。",
    "dropped_before_sum": "ℓ 只加了留下的权重：除以这个 ℓ，它们就变大，补上了空缺。"
    "正确：先求完 ℓ，dropout 作用于 P / ℓ。",
    "not_scaled_up": "留下的权重没有放大，平均值就小了。正确：Z = kept / (1 − p)。",
    "dropped_forward_only": "反向时 dP 没有经过 dropout。正确：dP = dO Vᵀ ∘ Z。",
    "heads_repeated": "查询头依次用 KV 头 0 1 0 1。正确：0 0 1 1，相邻的共用一个。",
    "last_head_counts": "KV 头的 dK 和 dV 只取自它的一个查询头。正确：取整组的和。",
    "splits_averaged": "各段的输出直接取了平均。正确：以 e^{L_s − L} 为权重。",
    "lse_added": "L = Σ L_s，那是乘积的对数。正确：L = ln Σ e^{L_s}。",
    "split_counts_from_zero": "分段算因果掩码，把每段的第一个键都当成键 0。"
    "正确：用整个序列里的下标。",
    "sum_not_logged": "L = m + ℓ。正确：m + ln ℓ，因为 e^L = e^m ℓ。",
    "lse_in_base_2": "L = log₂ Σ e^s，出自以 2 为底计算的内核。"
    "正确：别处要的是自然对数，最后乘上 ln 2。",
    "parts_added": "各段的输出直接相加，而每段都已经除过自己的 ℓ。"
    "正确：以 e^{L_s − L} 为权重。",
    "lse_averaged": "L 取各段 L_s 的平均：输出是对的，下一次合并就错了。"
    "正确：L = ln Σ e^{L_s}。",
    "longest_length": "因果掩码的对角线画到缓存的最后一个位置，好像序列占满了缓存。"
    "正确：到这个序列自己的长度为止。",
    "last_page_read": "键一直读到最后一页的末尾，这里每页 4 个键。正确：c < n。",
    "sums_in_input_dtype": "S、m、ℓ、o 都跟着输入的 dtype：用 fp16，"
    "相同的键超过 65,504 个，ℓ 就成了 ∞；块小时，ℓ 停得更早。"
    "正确：不管输入是什么，四个都用 fp32。",
    "half_in_base_2": "P 改成了 2^{S log₂ e − m'}，α 却还是 e^{m − m'}。"
    "正确：两处都以 2 为底。",
    "rounded_to_tf32": "fp32 的输入，23 位尾数丢了 13 位，和 TF32 一样。"
    "正确：写明要用完整的 fp32。",
    "smoothed_tile_by_tile": "K 的每一块各减自己的均值，一行的分数在各块里平移得不同。"
    "正确：不减，或者像 FP8 内核那样，全部的键减同一个均值，softmax 的结果不变。",
    "queries_rotated_alone": "Q 乘了正交矩阵，K 没有乘，分数就成了别的查询的。"
    "正确：都不乘，或者都乘：(Q M)(K M)ᵀ = Q Kᵀ。",
    "buffer_kept": "所有的调用共用一块缓冲区：后一次的结果覆盖前一次的。"
    "正确：每次调用都用新内存。",
    "scaled_in_place": "q_i 是视图，*= 改的是调用者的 q，而且每块改一次。"
    "正确：scale · q_i，得到新的张量。",
    "strides_ignored": "不管 x 怎样存放，一律当成连续的来读。正确：按步长读。",
    "nan_agrees": "写成“误差大于容差就报错”，而 NaN 不大于任何数，于是不报错。"
    "正确：error <= tolerance。",
    "shapes_agree": "allclose 会广播：`(1, d)` 和 `(d,)` 也算一致。正确：先比形状。",
    "window_one_more": "窗口大小为 w，却在自己的键之前又看了 w 个，一共 w + 1 个。"
    "正确：一共 w 个，自己的键也算在内。",
    "mask_before_softcap": "被遮住的分数也过了 softcap：−∞ 变成 −c。"
    "正确：先 softcap，再加掩码。",
    "bias_before_softcap": "ALiBi 和分数一起过了 softcap。正确：先 softcap，再加偏置。",
    "softcap_not_derived": "softcap 之后的 dS 原样传给 Q 和 K。"
    "正确：乘上 1 − (s / c)²，s 是 softcap 之后的分数。",
    "alibi_from_top_left": "N_k > N_q，距离却按 |r − c| 算。"
    "正确：|r + N_k − N_q − c|。",
    "tile_of_the_loop": "分块列表的块大小与循环的不同，查表时却直接用循环的块号。"
    "正确：按列表的块算，r // B。",
    "listed_means_full": "列表里有的块一律当满块，忘了对角线会穿过它。"
    "正确：块内其他掩码照样有效。",
    "rows_for_columns": "外层是第 j 个键块，遍历的却是第 j 个行块的列表。"
    "正确：遍历列出了这个键块的那些行块，即转置。",
    "sink_in_every_tile": "每一块都合并一次 sink，一共算了 T_c 次。"
    "正确：每行只合并一次。",
    "sink_with_a_value": "sink 的权重也加进了 o，好像它的值是 1。"
    "正确：只加进 ℓ。",
}
