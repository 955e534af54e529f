# ---
# description: 四个查询、四个键，把 FlashAttention 的前向传播走完四步，S、m、P、ℓ、O 的每个数都是精确的有理数。
# keywords: 数值例子、逐步演算、手算、推演
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# source: "3f7ca5f222f9"
# ---

# %% [markdown]
# # 完整算例：N = 4，d = 2 { #worked-example }
#
# 把数代进去算一遍，公式才真正让人信服。这一页跟着 FlashAttention 的前向传播，把一个小例子的四块从头到尾算一遍，一步也不省略。每个数都是精确的有理数，都可以用纸笔验算。
# { .tw-lead }
#
# 跟着算一遍，算法 1 的每次读入、重新缩放和写回，你就都亲手核对过了；以后自己写的程序出了错，也能找出第一个不对的数。请先读《[FlashAttention-1：前向传播](forward.md)》。那一页的演示器已经把这些数播放过一遍，这一页把它们写开，每步挑一行用纸笔验算。如果在那里已经逐步看过，可以直接读新的内容，即《[为什么在这里反而搬得更多](#more-traffic)》一节。读本页大约要十分钟，动笔算的话要久一点。这一页是一份 notebook，[下载](worked-example.ipynb)以后可以自己运行。
#
# ## 输入 { #input }
#
# 例子有四个查询（query）、四个键（key），\(d = 2\)，两行一块（tile），即 \(N = 4\)，\(B_r = B_c = 2\)，\(T_r = T_c = 2\)。缩放系数是 \(\tau = \ln 2\)，因此 \(e^{\tau x} = 2^x\)，从头到尾只会出现有理数。

# %%
from tilewise.render import matrices_latex, memory_html, result_latex, step_latex
from tilewise.trace import forward
from tilewise.worked_example import EXACT, K, Q, V

# %%
matrices_latex({"Q": Q, "K": K, "V": V}, beside=3)

# %% [markdown]
# 函数 `forward` 每算完一块就给出一个状态。为了让它精确计算，传给它的是有理数和 2 的幂，而不是浮点数和 `exp`；这样，注意力分数（score）和最大值就以 \(\tau\) 为单位。

# %%
steps = list(forward(Q, K, V, 2, 2, **EXACT))
len(steps)

# %% [markdown]
# 第一步之前，高带宽内存（HBM）里存放着 \(Q\)、\(K\)、\(V\)，以及初值 \(O = 0\)、\(\ell = 0\)、\(m = -\infty\)。下面各表从这里数起，不含写这些初值。
#
# ## 第 1 步：第 1、2 个查询，第 1、2 个键 { #step-1 }
#
# 外层循环取第 1、2 个键，内层循环从第 1、2 个查询开始。之前一个键也没有看过，所以 \(\alpha = 0\)、\(\beta = 1\)。也就是说，新状态就是这一块自己的状态。

# %%
step_latex(steps[0])

# %% [markdown]
# 验算一下这两行。第 1 行的两个分数相等，所以 \(O\) 就是两个值（value）的普通平均 \((\tfrac{0 + 9}2, \tfrac{9 + 9}2)\)。第 2 行里，第一个键占 1，第二个键占 \(\tfrac12\)，得 \((\tfrac{0 + 9/2}{3/2},\ 9) = (3, 9)\)。

# %%
memory_html(steps[:1], lang="zh")

# %% [markdown]
# ## 第 2 步：第 3、4 个查询，键不变 { #step-2 }
#
# \(K_1\) 和 \(V_1\) 还在片上，所以只需要读入 \(Q_2\) 和第 3、4 行的状态。第 3 行的分数是 0 和 1，所以第一个键占 \(\tfrac12\)，第二个键占 1，平均值是 \(O = (\tfrac{0 + 9}{3/2},\ 9) = (6, 9)\)。

# %%
step_latex(steps[1])

# %%
memory_html(steps[:2], lang="zh")

# %% [markdown]
# 工作完成了一半。\(O\) 里已经有四个完整的输出，每个都是只看前两个键的注意力。不过还没有一个是最终结果。
#
# ## 第 3 步：第 1、2 个查询，第 3、4 个键 { #step-3 }
#
# 从这一步开始，状态起作用了。第 1 行的最大值从 \(-1\) 升到 \(0\)，升了一个单位，所以之前的一切减半：\(\alpha = \tfrac12\)。第 2 行的最大值不变，所以 \(\alpha = 1\)，要换算到旧基准的是这一块自己的数：\(\beta = \tfrac12\)。

# %%
step_latex(steps[2])

# %% [markdown]
# 第 1 行可以在纸上算：旧的部分权重是 \(\alpha \ell = \tfrac12 \cdot 2 = 1\)，新的部分权重是 \(\beta\tilde\ell = \tfrac54\)，合计 \(\tfrac94\)。这一块的 \(\tilde P V\) 是 \(\tfrac14(-9, 0) + 1 \cdot (9, 0) = (\tfrac{27}4, 0)\)。于是
#
# $$
# o = \frac{1 \cdot (\tfrac92, 9) + 1 \cdot (\tfrac{27}4, 0)}{9/4} = \frac{(\tfrac{45}4, 9)}{9/4} = (5, 4).
# $$

# %%
memory_html(steps[:3], lang="zh")

# %% [markdown]
# ## 第 4 步：第 3、4 个查询，第 3、4 个键 { #step-4 }
#
# 在最后一步，两行的最大值都升高一个单位，所以两行里旧的部分都减半。例如第 4 行，旧的部分权重是 \(\alpha\ell = \tfrac12 \cdot 2 = 1\)，这一块的 \(\tilde P V\) 是 \(1 \cdot (-9, 0) + \tfrac14(9, 0) = (-\tfrac{27}4, 0)\)，于是
#
# $$
# o = \frac{1 \cdot (\tfrac92, 9) + 1 \cdot (-\tfrac{27}4, 0)}{9/4} = \frac{(-\tfrac94, 9)}{9/4} = (-1, 4).
# $$

# %%
step_latex(steps[3])

# %%
memory_html(steps[:4], lang="zh")

# %% [markdown]
# ## 四步连起来看 { #play }
#
# 在分块演示器里可以把这四块连起来播放，每次读入和写回都单独成一小步。按下 FA2 按钮，就换成 FlashAttention-2 的次序：查询在外层，第 2 步和第 3 步的两块对调，搬的元素从 112 个降到 52 个。FA1 的条形比 FA2 的长一倍多，看条形上各段的颜色就知道原因：其中 80 个元素是 \(O\)、\(\ell\) 和 \(m\)。它们一共 16 个数，先要写好初值，此后两块键各让它们往返一趟，所以总共搬了 5 遍。
#
# 也可以换一组数、换块大小，或者加上掩码，在播放之前先猜一猜每一步的结果。把鼠标移到某个输出上，可以看到它在每一块里的 \(\alpha\) 和 \(\beta\)。
#
# <figure class="tw-figure tw-widget tw-broad" markdown="0">
# <tw-stepper id="stepper" data-pass="forward" data-order="kv-outer">
# <p>演示器没有加载时，请看上面各步，每个数都在那里。</p>
# </tw-stepper>
# <figcaption>下面是 HBM，上面是此刻 SRAM 里的内容。S 在 HBM 里的位置一直空着。箭头越宽，搬的元素越多；折角标出这一步改动的数。</figcaption>
# </figure>
#
# ## 结果 { #result }
#
# 四行的和都是 \(\tfrac94\)。logsumexp（LSE）是 \(L = m + \ln\ell\)。\(m\) 是 \(\tau = \ln 2\) 的整数倍，所以 \(L\) 是一个有理数的对数。

# %%
result_latex(steps[-1])

# %% [markdown]
# ## 与标准注意力核对 { #check-numpy }
#
# 作为核对，用 NumPy 照公式写一遍：用浮点数，用 \(e^x\)，整个 \(S\) 一次算出来。

# %%
import numpy as np

s = np.log(2) * np.array(Q) @ np.array(K).T
p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
print(np.round(p * 9, 12))
bool(np.abs(p @ np.array(V) - np.array(steps[-1]["o"], dtype=float)).max() < 1e-14)

# %% [markdown]
# 打印出来的矩阵是 \(9P\)，与[标准注意力](../why/standard-attention.md#example)的结果相同，例如第 1 行的权重（weight）是 \(\tfrac29, \tfrac29, \tfrac19, \tfrac49\)。输出也一致。
#
# ## 为什么在这里反而搬得更多 { #more-traffic }
#
# 有一点可能出乎意料。把上面各表加起来：从 HBM 读入 64 个元素，写回 32 个。\(O\)、\(\ell\)、\(m\) 的初值要先写好，又是 16 个，一共 112 个。同样的输入，标准注意力只搬 [96](../why/standard-attention.md#bill) 个。FlashAttention-1 在这里搬得反而*更多*，因为键分成两块，每来一块，\(O\)、\(\ell\)、\(m\) 就要往返一趟。
#
# 块的大小不变，只让 \(N\) 变大，两者之比几乎不变，因为两边的主要部分都随 \(N^2\) 增长。能改变它的是块的宽度。只比较随 \(N^2\) 增长的部分：平均到每个分数，标准注意力搬 4 个数，FlashAttention-1 搬 \((3d + 4)/B_c\) 个。在这个例子里，FlashAttention-1 是 \(10/2 = 5\)，而 \(d = 64\)、\(B_c = 326\)（[A100 上按公式取的块](tiling.md#does-it-fit)）时只有 0.6。只要 \((3d + 4)/B_c < 4\)，也就是大约从 \(B_c = \tfrac34 d\) 起，FlashAttention-1 就搬得更少；块越宽，省得越多（见《分块》的“[哪条边决定访存量](tiling.md#traffic)”一节）。
#
# ## 要点 { #remember }
#
# - 每走完一步，每一行的 \(O\) 都是这一行看过的那些键的精确输出。
# - \(\alpha\) 把旧的部分换算到新的最大值，\(\beta\) 换算这一块。一行只要看到过一个键，两者就至少有一个是 1。
# - 算完最后一块，\(O\) 就是结果，末尾不需要再做任何一步。
#
# ## 自测 { #check }
#
# ??? question "第 3 步里，第 2 行的 \(\alpha = 1\)、\(\beta = \tfrac12\)。旧的输出为什么不能原样留着？"
#     最大值没变，但来了新的值：这一块给旧的 \(\tfrac32\) 添上了权重 \(\beta\tilde\ell = \tfrac34\)。只有这一块自己的输出碰巧和旧的一样，或者整块的键都被掩码（mask）遮住，\(O\) 才会原封不动。
#
# ??? question "\(\alpha\) 和 \(\beta\) 会不会都小于 1？"
#     不会。\(m^{\text{new}}\) 总是 \(m\) 与 \(\tilde m\) 中的一个，而它等于的那一个，系数是 \(e^0 = 1\)。例外是有掩码时还没有看到过键的行：两个最大值都是 \(-\infty\)，代码让两个系数都是 0。
#
# ??? question "换成查询在外层循环，哪些数会变？"
#     每一步里的数都不变，只是各步的次序变成 1、3、2、4。变的是访存量：\(O\)、\(\ell\)、\(m\) 从写回四次变成写回两次，也不用再读；\(K\) 和 \(V\) 的每一块则从读一次变成读两次。合计从进 64 个、出 32 个，变成进 40 个、出 16 个；FlashAttention-2 只存 \(L\) 来代替 \(\ell\) 和 \(m\)，所以出 12 个。跑一下 `python -m tilewise trace --order q-outer` 试试。
#
# ## 出处 { #sources }
#
# - T. Dao 等，[FlashAttention](https://arxiv.org/abs/2205.14135)，2022，算法 1。例子是本书自己的。
