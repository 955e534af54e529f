"""What MicroPython lacks of CPython's `fractions`, as far as the listings go.

A number on the left of <, ≤, > or ≥ does not ask the Fraction on its right: write
Fraction(1, 2) > x. Sums and products with a float are floats, as in CPython.
"""


def gcd(a, b):
    """The greatest common divisor, by Euclid's algorithm; b may be negative."""
    while b:
        a, b = b, a % b
    return abs(a)


class Fraction:
    """p/q of whole numbers, in lowest terms, q > 0."""

    def __init__(self, p=0, q=1):
        if isinstance(p, str):
            p, _, bottom = p.partition("/")
            p, q = int(p), int(bottom or 1)
        elif isinstance(p, float):
            while p != int(p):
                p, q = 2 * p, 2 * q
            p = int(p)
        p, q = as_fraction(p), as_fraction(q)
        p, q = p[0] * q[1], p[1] * q[0]
        if q == 0:
            raise ZeroDivisionError(f"Fraction({p}, 0)")
        common = gcd(p, q) * (1 if q > 0 else -1)
        self.numerator, self.denominator = p // common, q // common

    def __add__(self, x):
        return both(self, x, lambda a, b, c, d: (a * d + c * b, b * d), "+")

    def __sub__(self, x):
        return both(self, x, lambda a, b, c, d: (a * d - c * b, b * d), "-")

    def __rsub__(self, x):
        return -self + x

    def __mul__(self, x):
        return both(self, x, lambda a, b, c, d: (a * c, b * d), "*")

    def __truediv__(self, x):
        return both(self, x, lambda a, b, c, d: (a * d, b * c), "/")

    def __rtruediv__(self, x):
        if isinstance(x, float):
            return x / float(self)
        return Fraction(self.denominator, self.numerator) * x

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, n):
        n = n.numerator if isinstance(n, Fraction) and n.denominator == 1 else n
        if not isinstance(n, int):
            return float(self) ** float(n)
        p, q = self.numerator ** abs(n), self.denominator ** abs(n)
        return Fraction(p, q) if n >= 0 else Fraction(q, p)

    def __rpow__(self, x):
        n, whole = self.numerator, self.denominator == 1
        if whole and (n >= 0 or isinstance(x, float)):
            return x**n
        return Fraction(x) ** n if whole else x ** float(self)

    def __neg__(self):
        return Fraction(-self.numerator, self.denominator)

    def __abs__(self):
        return Fraction(abs(self.numerator), self.denominator)

    def __eq__(self, x):
        return order(self, x) == 0 if isinstance(x, NUMBERS) else False

    def __lt__(self, x):
        return order(self, x) < 0

    def __le__(self, x):
        return order(self, x) <= 0

    def __gt__(self, x):
        return order(self, x) > 0

    def __ge__(self, x):
        return order(self, x) >= 0

    def __bool__(self):
        return self.numerator != 0

    def __float__(self):
        return self.numerator / self.denominator

    def __int__(self):
        p = abs(self.numerator) // self.denominator
        return p if self.numerator >= 0 else -p

    def __hash__(self):
        whole = self.denominator == 1
        return hash(self.numerator if whole else (self.numerator, self.denominator))

    def __str__(self):
        bottom = "" if self.denominator == 1 else f"/{self.denominator}"
        return f"{self.numerator}{bottom}"

    def __repr__(self):
        return f"Fraction({self.numerator}, {self.denominator})"


NUMBERS = (int, bool, float, Fraction)  # MicroPython: a bool is no int


def as_fraction(x):
    """(p, q) of a whole number or a Fraction."""
    if isinstance(x, Fraction):
        return x.numerator, x.denominator
    if not isinstance(x, (int, bool)):
        raise TypeError("both arguments should be Rational instances")
    return int(x), 1


def both(a, b, formula, sign):
    """a and b joined: exactly, or as floats where b is one."""
    if isinstance(b, float):
        a = float(a)
        results = {"+": a + b, "-": a - b, "*": a * b}
        return a / b if sign == "/" else results[sign]
    return Fraction(*formula(a.numerator, a.denominator, *as_fraction(b)))


def order(a, b):
    """Below, equal to or above 0 as a is below, equal to or above b."""
    if isinstance(b, float):
        return (float(a) > b) - (float(a) < b) if b == b else 9
    p, q = as_fraction(b)
    return a.numerator * q - p * a.denominator
