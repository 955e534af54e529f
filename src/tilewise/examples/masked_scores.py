from fractions import Fraction

from tilewise.worked_example import K, Q, V


def attention(sees, after_softmax=False):
    """P and O of the example, e^{τx} = 2^x; row r sees key c where sees(r, c)."""
    p = []
    for r, q in enumerate(Q):
        weights = [Fraction(2) ** sum(a * b for a, b in zip(q, k)) for k in K]
        visible = [x * sees(r, c) for c, x in enumerate(weights)]  # e^{−∞} = 0
        total = sum(weights if after_softmax else visible)
        p.append([x / total for x in visible])
    o = [[sum(x * v[c] for x, v in zip(row, V)) for c in (0, 1)] for row in p]
    return p, o


def show(name, p, o):
    print(name)
    for weights, output in zip(p, o):
        row, out = (" ".join(str(x) for x in xs) for xs in (weights, output))
        print(f"  {row:15}  sum {sum(weights)!s:3}  O {out}")


show("causal", *attention(lambda r, c: c <= r))
show("masked after softmax", *attention(lambda r, c: c <= r, after_softmax=True))
show("indices within 2 × 2 tiles", *attention(lambda r, c: c % 2 <= r % 2))
