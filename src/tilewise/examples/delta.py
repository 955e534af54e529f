from fractions import Fraction

from tilewise.worked_example import DO, K, O, Q, V


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


for q, o, do in zip(Q, O, DO):
    weights = [Fraction(2) ** dot(q, k) for k in K]  # e^S, as τ = ln 2
    p = [w / sum(weights) for w in weights]
    from_p = dot(p, [dot(do, v) for v in V])  # a sum over all keys
    from_o = dot(do, o)  # a sum over d
    print(from_p, from_o)
