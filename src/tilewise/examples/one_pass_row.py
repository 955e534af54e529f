from fractions import Fraction

m, l, o = float("-inf"), Fraction(0), [Fraction(0)] * 2
for x, v in zip((0, 1, 2, 1), ([0, 9], [9, 9], [-9, 0], [9, 0])):  # row 3: x/τ, v
    m_new = max(m, x)
    old = Fraction(2) ** (m - m_new) * l if l else 0  # e^{τx} is 2^x
    new = Fraction(2) ** (x - m_new)
    l = old + new
    o = [(old * a + new * b) / l for a, b in zip(o, v)]
    m = m_new
    print(f"m = {m}   l = {l!s:3}   o = ({', '.join(map(str, o))})")
