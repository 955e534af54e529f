# ---
# description: FlashAttention's forward pass on four queries and four keys, every S, m, P, l and O of all four tile steps as exact fractions.
# keywords: numerical example, step by step, by hand, trace
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # The worked example, N = 4 and d = 2 { #worked-example }
#
# A formula is more convincing once you have put numbers into it. On this page we follow FlashAttention's forward pass through all four tiles of a small example, without leaving out a single step. Every number is an exact fraction, and you can check each one of them with pen and paper.
# { .tw-lead }
#
# At the end you will have seen every load, every rescaling and every store of Algorithm 1 once, so that you can find the first wrong number in a program of your own. You should know [the forward pass](forward.md). The machine on that page plays the same numbers; here they are written out, and in each step we check a row by hand. If you have followed them there, go on to [the section on the traffic](#more-traffic), which is new: it explains why FlashAttention-1 moves more than standard attention here. Reading takes about ten minutes, and a little longer with a pencil. This page is a notebook: [download it](worked-example.ipynb) to run it yourself.
#
# ## The input { #input }
#
# We have four queries and four keys with \(d = 2\), in blocks of two, so that \(N = 4\), \(B_r = B_c = 2\) and \(T_r = T_c = 2\). The scale is \(\tau = \ln 2\). Therefore \(e^{\tau x} = 2^x\), and the whole
# computation stays within fractions.

# %%
from tilewise.render import matrices_latex, memory_html, result_latex, step_latex
from tilewise.trace import forward
from tilewise.worked_example import EXACT, K, Q, V

# %%
matrices_latex({"Q": Q, "K": K, "V": V}, beside=3)

# %% [markdown]
# The function `forward` yields one state for each tile. To make it compute exactly, we give it fractions and powers of two in place of floats and `exp`. Scores and maxima then come out in
# units of \(\tau\).

# %%
steps = list(forward(Q, K, V, 2, 2, **EXACT))
len(steps)

# %% [markdown]
# Before the first step, HBM holds \(Q\), \(K\) and \(V\), and also the start values \(O = 0\), \(\ell = 0\), \(m = -\infty\). The tables below count what moves from here on.
#
# ## Step 1: queries 1 and 2, keys 1 and 2 { #step-1 }
#
# The outer loop takes keys 1 and 2, and the inner loop begins with queries 1 and 2. Nothing was known before, so \(\alpha = 0\) and \(\beta = 1\). In other words, the new state is the
# tile's own.

# %%
step_latex(steps[0])

# %% [markdown]
# Let us check both rows. In row 1 the two scores are equal, so \(O\) is the plain mean of the two values, \((\tfrac{0 + 9}2, \tfrac{9 + 9}2)\). In row 2 the first key counts 1 and the second counts \(\tfrac12\), which gives
# \((\tfrac{0 + 9/2}{3/2},\ 9) = (3, 9)\).

# %%
memory_html(steps[:1])

# %% [markdown]
# ## Step 2: queries 3 and 4, the same keys { #step-2 }
#
# \(K_1\) and \(V_1\) are still on the chip, so only \(Q_2\) and the state of rows 3 and 4 have to be loaded. In row 3 the scores are 0 and 1, so that the first key counts \(\tfrac12\) and the second counts 1, and the mean is \(O = (\tfrac{0 + 9}{3/2},\ 9) = (6, 9)\).

# %%
step_latex(steps[1])

# %%
memory_html(steps[:2])

# %% [markdown]
# Half of the work is done. \(O\) already holds four complete outputs, each of which is attention over the first two keys only. None of them is the final one yet.
#
# ## Step 3: queries 1 and 2, keys 3 and 4 { #step-3 }
#
# Now the state begins to matter. In row 1 the maximum moves from \(-1\) to \(0\), which is one unit, so everything from before counts half: \(\alpha = \tfrac12\). In row 2 the maximum stays where it is, so
# \(\alpha = 1\), and it is the tile's own numbers that are scaled to the old maximum: \(\beta = \tfrac12\).

# %%
step_latex(steps[2])

# %% [markdown]
# You can compute row 1 on paper. The old part has the weight \(\alpha \ell = \tfrac12 \cdot 2 = 1\) and the new part has \(\beta\tilde\ell = \tfrac54\), which is \(\tfrac94\) together. The tile's \(\tilde P V\) is
# \(\tfrac14(-9, 0) + 1 \cdot (9, 0) = (\tfrac{27}4, 0)\). Therefore
#
# $$
# o = \frac{1 \cdot (\tfrac92, 9) + 1 \cdot (\tfrac{27}4, 0)}{9/4} = \frac{(\tfrac{45}4, 9)}{9/4} = (5, 4).
# $$

# %%
memory_html(steps[:3])

# %% [markdown]
# ## Step 4: queries 3 and 4, keys 3 and 4 { #step-4 }
#
# In the last step the maximum moves by one unit in both rows, so the old part counts half in both. In row 4, for example, the old part has the weight \(\alpha\ell = \tfrac12 \cdot 2 = 1\), the tile's \(\tilde P V\) is \(1 \cdot (-9, 0) + \tfrac14(9, 0) = (-\tfrac{27}4, 0)\), and therefore
#
# $$
# o = \frac{1 \cdot (\tfrac92, 9) + 1 \cdot (-\tfrac{27}4, 0)}{9/4} = \frac{(-\tfrac94, 9)}{9/4} = (-1, 4).
# $$

# %%
step_latex(steps[3])

# %%
memory_html(steps[:4])

# %% [markdown]
# ## All four, move by move { #play }
#
# In the tile machine you can play the same four tiles, with every load and every store as a move of its own. Press the button FA2 for the order of FlashAttention-2, which keeps the queries outside: the tiles of steps 2 and 3 change places, and 52 elements move instead of 112. The colours of the bar for FA1 say why it is more than twice as long as the one for FA2: 80 of its elements are \(O\), \(\ell\) and \(m\). They are 16 numbers, which are written at the start and then come and go for each of the two blocks of keys, so they cross 5 times.
#
# Put in other numbers, other block sizes or a mask, and try to predict each step before you play it. If you point at an output, you see its \(\alpha\) and \(\beta\) in every tile.
#
# <figure class="tw-figure tw-widget tw-broad" markdown="0">
# <tw-stepper id="stepper" data-pass="forward" data-order="kv-outer">
# <p>The steps are listed above on this page, with every number.</p>
# </tw-stepper>
# <figcaption>Below, HBM; above, what is in SRAM now. The place of S in HBM stays empty. An arrow is as wide as the elements that it moves; a corner marks what a step has changed.</figcaption>
# </figure>
#
# ## The result { #result }
#
# All four sums are \(\tfrac94\). The log-sum-exp is \(L = m + \ln\ell\). Since \(m\) is a multiple of \(\tau = \ln 2\), \(L\) is the logarithm of a fraction.

# %%
result_latex(steps[-1])

# %% [markdown]
# ## Against ordinary attention { #check-numpy }
#
# As a check, this is the formula in NumPy, with floats, with \(e^x\), and with all of \(S\) at once:

# %%
import numpy as np

s = np.log(2) * np.array(Q) @ np.array(K).T
p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
print(np.round(p * 9, 12))
bool(np.abs(p @ np.array(V) - np.array(steps[-1]["o"], dtype=float)).max() < 1e-14)

# %% [markdown]
# The printed matrix is \(9P\), and it is the one that [standard attention](../why/standard-attention.md#example) gave: the weights of row 1, for example, are \(\tfrac29, \tfrac29, \tfrac19, \tfrac49\). The outputs agree as well.
#
# ## Why it moves more here { #more-traffic }
#
# One thing may surprise you. The tables counted what crossed between HBM and the chip, namely 64 elements in and 32 out. The start values of \(O\), \(\ell\) and \(m\) had to be written first, which is another 16, so
# it is 112 in all. For the same input, standard attention moves only [96](../why/standard-attention.md#bill). FlashAttention-1 moves *more* here, because \(O\), \(\ell\) and \(m\) travel
# for each of the two blocks of keys.
#
# With the same tiles, a larger \(N\) would hardly change the ratio, since both counts grow with \(N^2\). What does change it is the width of the tiles. Compare the parts that grow with \(N^2\), divided by the number of scores: standard attention moves 4 numbers per score, and FlashAttention-1 moves \((3d + 4)/B_c\).
# In this example that makes \(10/2 = 5\) for FlashAttention-1, but with \(d = 64\) and \(B_c = 326\), the [formula's tile on an A100](tiling.md#does-it-fit), it is only 0.6. FlashAttention-1 begins to win where \((3d + 4)/B_c < 4\), that is, from about \(B_c = \tfrac34 d\) on, and the wider its tiles are, the more it saves (see [which side saves traffic](tiling.md#traffic)).
#
# ## What to remember { #remember }
#
# - After each step, the \(O\) of every row is exact for the keys that the row has seen.
# - \(\alpha\) converts the old part to the new maximum, and \(\beta\) converts the tile. As soon as the row has seen a key, at least one of them is 1.
# - After the last tile, \(O\) is the result. No step is needed at the end.
#
# ## Check yourself { #check }
#
# ??? question "In step 3, row 2 has \(\alpha = 1\) and \(\beta = \tfrac12\). Why is the old output not kept unchanged?"
#     The maximum stays, but new values arrive: the tile adds the weight \(\beta\tilde\ell = \tfrac34\) to the old \(\tfrac32\). \(O\) would stay the same only if the tile's own output happened to be the same, or if all its keys were masked.
#
# ??? question "Could both \(\alpha\) and \(\beta\) be below 1?"
#     No. \(m^{\text{new}}\) is either \(m\) or \(\tilde m\), and the one that it equals has the factor \(e^0 = 1\). The exception, under a mask, is a row that has seen no key yet: both maxima are \(-\infty\), and the code makes both factors 0.
#
# ??? question "Which numbers change if queries are in the outer loop?"
#     The numbers of each step stay the same, and only the order of the steps becomes 1, 3, 2, 4. What changes is the traffic. \(O\), \(\ell\) and \(m\) are stored twice instead of four times and never loaded, whereas each block of \(K\) and \(V\) is loaded twice instead of once. In all, 40 elements go in and 16 go out, instead of 64 and 32. FlashAttention-2 stores only \(L\) in place of \(\ell\) and \(m\), so 12 go out. Try `python -m tilewise trace --order q-outer`.
#
# ## Sources { #sources }
#
# - T. Dao et al., [FlashAttention](https://arxiv.org/abs/2205.14135), 2022, Algorithm 1. The example is this book's own.
