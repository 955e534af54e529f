"""From what a reader typed to numbers, and back to text; every limit is checked here.

Python's own float() is wider than a field should be, and differs between CPython and
MicroPython ("1_0", "１", "."), so numbers are read by a grammar of their own:
−1.5e3, 1/3 and, where it is allowed, −inf.
"""

import math

LONGEST = 100000  # characters of a field that are looked at, at most
PLAIN = {"−": "-", "–": "-", "，": ",", "、": ",", "；": ";", "。": ".", "／": "/"}
PLAIN |= {"－": "-", "＋": "+", "．": ".", "［": "[", "］": "]", "\u3000": " "}


class Problem(Exception):
    """What is wrong with a field: a code, the field's name, and what to say of it."""

    def __init__(self, code, field=None, **values):
        super().__init__(code)
        self.code, self.field, self.values = code, field, values


def numbers(text, field, most, *, limit=1e6, infinite=False):
    """The numbers of a text or a list, one to `most` of them, each at most `limit`.

    Blanks, commas, semicolons, line ends and brackets stand between them.
    Raises Problem: empty, too-long, too-many(n, most), and those of `real`.
    """
    tokens = [token for row in rows(text, field) for token in row]
    if not tokens:
        raise Problem("empty", field)
    if len(tokens) > most:
        raise Problem("too-many", field, n=len(tokens), most=most)
    return [real(x, field, -limit, limit, infinite=infinite) for x in tokens]


def matrix(text, field, most_rows, most_cols, *, limit=1e6):
    """The rows of a matrix, as lists of floats of one length.

    A text has one row a line, or a semicolon between rows, or is a list of lists.
    Raises Problem: empty, too-long, too-many-rows and too-many-cols(n, most),
    ragged(row, n, first), and those of `real`.
    """
    table = rows(text, field)
    if not table:
        raise Problem("empty", field)
    if len(table) > most_rows:
        raise Problem("too-many-rows", field, n=len(table), most=most_rows)
    for number, row in enumerate(table, 1):
        if len(row) > most_cols:
            raise Problem("too-many-cols", field, n=len(row), most=most_cols)
        if len(row) != len(table[0]):
            n, first = len(row), len(table[0])
            raise Problem("ragged", field, row=number, n=n, first=first)
    return [[real(x, field, -limit, limit) for x in row] for row in table]


def rows(text, field):
    """The tokens of a text, row by row, or the same of a list; empty rows left out."""
    if isinstance(text, (list, tuple)):
        split = [x if isinstance(x, (list, tuple)) else [x] for x in text]
        return [list(row) for row in split if row]
    text = str(text)
    if len(text) > LONGEST:
        raise Problem("too-long", field, most=LONGEST)
    text = ascii_of(text).replace("]", ";").replace("[", " ").replace("\r", "\n")
    split = [x.replace(",", " ").split() for x in text.replace("\n", ";").split(";")]
    return [row for row in split if row]


def ascii_of(text):
    """The text with the digits and marks of a Chinese keyboard as ASCII ones."""
    if all([c < "\x7f" for c in text]):
        return text
    marks = [PLAIN.get(c, c) for c in text]
    return "".join([chr(ord(c) - 0xFEE0) if "０" <= c <= "９" else c for c in marks])


def real(value, field, least=None, most=None, *, infinite=False):
    """A float between least and most (None: any finite one) from a text or a number.

    Raises Problem: empty, not-a-number(token), not-finite(token),
    out-of-range(token, least, most).
    """
    token = token_of(value)
    if not token:
        raise Problem("empty", field)
    x = parse(token)
    if x is None:
        raise Problem("not-a-number", field, token=token)
    if infinite and x == -math.inf:
        return x
    if math.isnan(x) or math.isinf(x):
        raise Problem("not-finite", field, token=token)
    if (least is not None and x < least) or (most is not None and x > most):
        raise Problem("out-of-range", field, token=token, least=least, most=most)
    return x


def whole(value, field, least, most):
    """A whole number between least and most, from a text or a number.

    Raises Problem: those of `real`, not-whole(token).
    """
    x = real(value, field)
    if x != math.floor(x):
        raise Problem("not-whole", field, token=token_of(value))
    if not least <= x <= most:
        token = token_of(value)
        raise Problem("out-of-range", field, token=token, least=least, most=most)
    return int(x)


def choice(value, field, options):
    """The value, if it is one of the options. Raises Problem: not-a-choice(token)."""
    for option in options:
        if type(option) is type(value) and option == value:
            return option
    raise Problem("not-a-choice", field, token=token_of(value))


def token_of(value):
    """A value as the token to read and to name in a sentence: at most 40 characters."""
    if isinstance(value, str):
        token = ascii_of(value[:LONGEST]).strip()
    else:
        token = "" if value is None else str(value)
    return token if len(token) <= 40 else token[:39] + "…"


def parse(token):
    """The float that a token means, or None: a decimal, a fraction, inf or nan."""
    top, slash, bottom = token.partition("/")
    if slash:
        a, b = parse(top), parse(bottom) if "/" not in bottom else None
        return a / b if a is not None and b else None
    sign = -1.0 if token[:1] == "-" else 1.0
    body = (token[1:] if token[:1] in ("+", "-") else token).lower()
    if body in ("inf", "infinity", "∞"):
        return sign * math.inf
    if body == "nan":
        return math.nan
    mantissa, e, power = body.partition("e")
    digits = (mantissa.replace(".", "", 1), power.lstrip("+-") if e else "0")
    if len(power) - len(digits[1]) > 1 and e:
        return None
    if not all([part and all(["0" <= c <= "9" for c in part]) for part in digits]):
        return None
    return sign * float(body)


def safe(x):
    """x with "inf", "-inf" and "nan" for what JSON cannot hold, tuples as lists."""
    if isinstance(x, dict):
        return {key: safe(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [safe(value) for value in x]
    if isinstance(x, float):
        if math.isnan(x):
            return "nan"
        if math.isinf(x):
            return "inf" if x > 0 else "-inf"
    return x


def fraction(x, most=1000, near=1e-12):
    """The number as text: whole, an exact small fraction, or 4 significant digits.

    The first convergent p/q of its continued fraction with q ≤ most and p ≤ 10 most
    that is within `near`, relative to x; a minus is −.
    """
    if x != x or x in (math.inf, -math.inf):
        return "nan" if x != x else "∞" if x > 0 else "−∞"
    sign, rest = "−" if x < 0 else "", abs(x)
    (p, q), (p_new, q_new) = (0, 1), (1, 0)
    while rest < 1e9:
        a = math.floor(rest)
        (p, q), (p_new, q_new) = (p_new, q_new), (a * p_new + p, a * q_new + q)
        if q_new > most or (q_new > 1 and p_new > 10 * most):
            break
        if abs(p_new / q_new - abs(x)) <= near * abs(x):
            return sign + (str(p_new) if q_new == 1 else f"{p_new}/{q_new}")
        if rest == a:
            break
        rest = 1 / (rest - a)
    return f"{x:.4g}".replace("-", "−")
