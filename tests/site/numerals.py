"""The numbers of a text, in a form that does not depend on the language."""

import re
from collections import Counter
from decimal import Decimal

MONTHS = (
    "January February March April May June "
    "July August September October November December"
).split()
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "万": 10**4,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "十亿": 10**9,
    "万亿": 10**12,
}
# H100, float16, FlashAttention-2, sm_90a: a name that holds digits, not a number
NAME = re.compile(r"[A-Za-z][A-Za-z_]*(?:-(?=[0-9]))?[0-9]+(?:\.[0-9]+)*[A-Za-z0-9_]*")
NUMBER = re.compile(
    r"([0-9]{1,3}(?:[ ,][0-9]{3})+(?![0-9])|[0-9]+)(\.[0-9]+)?"
    r"(?:\s?(thousand|[mb]illion|trillion|万亿|十亿|百万|千万|万|亿))?"
)
MONTH = re.compile(
    rf"(?<=[0-9] )({'|'.join(MONTHS)})\b|\b({'|'.join(MONTHS)})(?= [0-9])"
)


def normalised(text):
    """The text with plain spaces, plain digits and months as numbers."""
    text = re.sub(r"[\u00a0\u2009\u202f]", " ", text)
    text = re.sub("[０-９．]", lambda m: chr(ord(m[0]) - 0xFEE0), text)
    # a number on each side, or 3 March and 2026 would read as thousands
    return MONTH.sub(lambda m: f"/{MONTHS.index(m[1] or m[2]) + 1}/", text)


def numbers(text):
    """Every number in figures as often as it stands there; words do not count.

    65 536, 65,536 and 65536 are the same number, and so are 4 million and 400 万.
    """
    found = Counter()
    for whole, part, scale in NUMBER.findall(NAME.sub("§", normalised(text))):
        value = Decimal(re.sub("[ ,]", "", whole) + part) * SCALES.get(scale, 1)
        found[f"{value.normalize():f}"] += 1
    return found


def words(text):
    """The numbers that an English text writes as words."""
    return Counter(
        str(WORDS.index(word))
        for word in re.findall(r"[a-z]+", text.lower())
        if word in WORDS
    )


def names(text):
    """The names that hold digits; how often each is repeated is a matter of style."""
    return set(NAME.findall(normalised(text)))
