from fractions import Fraction

from tilewise.softmax import weight


def power_of_two(x):  # the running example's e^{τx}, exactly
    return Fraction(2) ** x


m, l = float("-inf"), 0
for x in (0, 1, 2, 1):  # row 3 of S, in units of τ = ln 2
    m_new = max(m, x)
    factor = weight(m, m_new, power_of_two)
    l = factor * l + weight(x, m_new, power_of_two)
    m = m_new
    print(f"x = {x}   m = {m}   factor = {factor!s:3}   l = {l}")
