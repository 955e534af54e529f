from math import exp, exp2, log, log2

o_a, o_b = [4.5, 9.0], [5.4, 0.0]  # row 1: keys 1 and 2, keys 3 and 4
sum_a, sum_b = 1, 5 / 4  # of e^s over these keys


def merged(w_a, w_b):
    total = w_a + w_b
    return [round((w_a * x + w_b * y) / total, 2) for x, y in zip(o_a, o_b)]


print("e^L with L = ln   ", merged(exp(log(sum_a)), exp(log(sum_b))))
print("2^L with L = log2 ", merged(exp2(log2(sum_a)), exp2(log2(sum_b))))
print("e^L with L = log2 ", merged(exp(log2(sum_a)), exp(log2(sum_b))))
