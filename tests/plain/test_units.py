"""Numbers as readers see them, against decimals that are rounded halves upwards."""

import random
from decimal import ROUND_HALF_UP, Decimal

from tilewise.ledger import units
from tilewise.ledger.units import binary, plain, si, size, three, time, whole


def in_decimal(x):
    """Three digits of x, by the number's own digits; halves upwards."""
    x = Decimal(x)
    first = Decimal(1).scaleb(x.adjusted() - 2)  # what the third digit counts
    top = x.quantize(first, ROUND_HALF_UP).adjusted() if x else -1
    places = min(15, max(0, 2 - top))
    return f"{x.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):,f}"


EDGES = """0 0.5 1 2.125 9.125 9.994 10 12.25 99.9375 99.96 100 100.5 1023.5 999999.5
    1234567 0.0625 0.001953125 0.0999 0.1 0.9994 0.9996"""


def test_three_digits():
    rng = random.Random(1)
    many = [10 ** rng.uniform(-12, 9) for _ in range(2000)]
    for x in [*map(float, EDGES.split()), 2.0**-30, *many]:
        assert three(x) == in_decimal(x), x


def test_what_rounds_up_to_a_digit_more_drops_one_after_the_point():
    edges = {99.95: "100", 9.995: "10.0", 0.9995: "1.00", 0.09995: "0.100"}
    below = {99.94: "99.9", 9.994: "9.99", 0.9994: "0.999", 0.0999: "0.0999"}
    assert {x: three(x) for x in edges | below} == edges | below
    assert three(1e-13) == "0.000000000000100" and three(0) == "0.000"
    assert three(1.2e-14) == "0.000000000000012" and three(1e-20) == "0." + 15 * "0"


def test_whole_numbers_have_commas():
    for n in (0, 7, 12345, 2**64, -1, -123456, *(10**k - 1 for k in range(1, 19))):
        for x in (n, n + 1, -n):
            assert whole(x) == f"{x:,}"
    rounded = {0.5: "1", 1.5: "2", 2.5: "3", 999.5: "1,000", 1234.4: "1,234"}
    assert {x: whole(x) for x in rounded} == rounded


def test_bytes():
    names = "B kB MB GB TB PB EB ZB YB RB QB".split()
    for power, name in enumerate(names):
        assert size(1000**power) == f"1.00 {name}"
        assert size(999 * 1000**power) == f"999 {name}"
    assert size(10**33) == "1,000 QB" and size(0) == "0.000 B"
    names = "B KiB MiB GiB TiB PiB EiB ZiB YiB".split()
    for power, name in enumerate(names):
        assert binary(2 ** (10 * power)) == f"1.00 {name}"
        assert binary(1023 * 2 ** (10 * power)) == f"1,023 {name}"
    assert binary(2**90) == "1,024 YiB" and size(8, 2, ["x", "y"]) == "4.00 y"


def test_prefixes_and_seconds():
    for power, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")):
        assert si(power, "FLOP") == f"1.00 {prefix}FLOP"
        assert si(999 * power, "B/s") == f"999 {prefix}B/s"
    assert si(999999, "B") == "999,999 B" and si(2, "FLOP/B") == "2.00 FLOP/B"
    cases = {1e-9: "1.00 ns", 9.99e-7: "999 ns", 1e-6: "1.00 µs", 9.99e-4: "999 µs"}
    cases |= {1e-3: "1.00 ms", 0.999: "999 ms", 1: "1.00 s", 1234: "1,234 s"}
    assert {x: time(x) for x in cases} == cases


def test_plain_leaves_the_zeros_out():
    cases = {"1.00 GiB": "1 GiB", "1.50 MB": "1.5 MB", "100 B": "100 B", "2.0": "2"}
    cases |= {"1,200 s": "1,200 s", "0.100 ms": "0.1 ms", "80.0 GB": "80 GB"}
    assert {x: plain(x) for x in cases} == cases
    assert plain(three(10)) == "10" and units.BINARY[0] == units.DECIMAL[0] == "B"
