"""Numbers of three digits with units, as the command line and the pages write them.

They are rounded here and not by format(), because MicroPython's format rounds 2.125 to
2.13 and CPython's to 2.12.
"""

import math

DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB", "RB", "QB")
BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB")
PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"))
TIMES = ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms"))


def whole(x: float) -> str:
    """A number x as 1,234,567, rounded to a whole number with halves upwards."""
    digits, out = str(x if isinstance(x, int) else math.floor(x + 0.5)), ""
    while len(digits.lstrip("-")) > 3:
        digits, out = digits[:-3], "," + digits[-3:] + out
    return digits + out


def three(x: float) -> str:
    """A number x with three digits, or all before the point: 0.123, 1.00, 1,024."""
    if x >= 99.95:
        return whole(x)
    places = 1 if x >= 9.995 else 2 if x >= 0.9995 else 3
    while places > 2 and 0 < x * 10**places < 99.95 and places < 15:
        places += 1
    digits = str(math.floor(x * 10**places + 0.5))
    digits = "0" * (places + 1 - len(digits)) + digits
    return digits[:-places] + "." + digits[-places:]


def size(count: float, base: int = 1000, units: tuple[str, ...] = DECIMAL) -> str:
    """A count of bytes with a unit that is a power of the base: 8.91 MB, 137 GB."""
    power = 0
    while count >= base ** (power + 1) and power + 1 < len(units):
        power += 1
    return f"{three(count / base**power)} {units[power]}"


def binary(count: float) -> str:
    """A count of bytes in powers of two: 80.0 GiB, 1.50 MiB."""
    return size(count, 1024, BINARY)


def si(x: float, unit: str) -> str:
    """A number x with a prefix before its unit: 213 FLOP/B, 4.40 TFLOP, 989 TFLOP/s."""
    for power, prefix in PREFIXES:
        if x >= power:
            return f"{three(x / power)} {prefix}{unit}"
    return f"{three(x)} {unit}"


def time(seconds: float) -> str:
    """Seconds in the unit that suits them: 4.28 µs, 15.6 ms, 1,234 s."""
    for most, factor, unit in TIMES:
        if seconds < most:
            return f"{three(seconds * factor)} {unit}"
    return f"{three(seconds)} s"


def plain(text: str) -> str:
    """The text of a round number without its zeros: 1.00 GiB becomes 1 GiB."""
    number, _, unit = text.partition(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {unit}" if unit else number
