from math import exp, log, log1p

# row 1 of the running example in two halves, each with its L = m + ln l and its o
lse_a, o_a = 0.0, [4.5, 9.0]  # keys 1 and 2: m = -ln 2, l = 2
lse_b, o_b = log(5 / 4), [5.4, 0.0]  # keys 3 and 4: m = 0, l = 5/4

lse = max(lse_a, lse_b) + log1p(exp(-abs(lse_a - lse_b)))  # ln(e^L_a + e^L_b)
w_a, w_b = exp(lse_a - lse), exp(lse_b - lse)
print([round(w_a * x + w_b * y, 12) for x, y in zip(o_a, o_b)])

lse = lse_a + lse_b  # wrong: the product of the sums, not their sum
w_a, w_b = exp(lse_a - lse), exp(lse_b - lse)
print([round(w_a * x + w_b * y, 12) for x, y in zip(o_a, o_b)])
