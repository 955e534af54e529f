"""Command-line options whose errors are one sentence in either language."""

import argparse
import re
from functools import partial

from tilewise.checks import short
from tilewise.cli.errors import Bad

ARGPARSE = (  # what argparse says, and what is said instead
    (r"argument (\S+): expected one argument", "needs_value", "option"),
    (r"argument (\S+): ignored explicit argument", "takes_no_value", "option"),
    (r"unrecognized arguments: (.*)", "unknown_option", "value"),
)
REAL = r"[0-9]{1,9}(\.[0-9]{1,9})?"  # no sign, no exponent


class Parser(argparse.ArgumentParser):
    """An argument parser that raises Bad where argparse would print and exit."""

    def __init__(self, **how):
        form = argparse.RawTextHelpFormatter  # keeps the line breaks of HELP
        super().__init__(**how, allow_abbrev=False, formatter_class=form)

    def error(self, message):
        for pattern, key, name in ARGPARSE:
            if match := re.match(pattern, message, re.S):
                value = match[1] if name == "option" else short(match[1])
                raise Bad(key, **{name: value})
        raise Bad("usage", message=" ".join(message.split()))

    def _print_message(self, message, file=None):
        """Write a help or the version; argparse's own hides that it cannot."""
        if file is not None:  # None: it is closed
            file.write(message)


def add_choice(parser, option, choices, about):
    """Add an option that takes one of a few words, the first unless told."""
    metavar = "{" + ",".join(choices) + "}"
    convert = partial(one_of(choices), option)
    how = {"type": convert, "metavar": metavar, "default": choices[0], "help": about}
    parser.add_argument(option, **how)


def add_size(parser, option, limit, metavar, default, about):
    """Add an option that takes a whole number from 1 to limit."""
    convert = partial(size_of(limit), option)
    how = {"type": convert, "metavar": metavar, "default": default, "help": about}
    parser.add_argument(option, **how)


def add_real(parser, option, limit, about):
    """Add an option that takes a number above 0, at most limit; None unless given."""

    def convert(text):
        value = float(text) if re.fullmatch(REAL, text) else 0
        if not 0 < value <= limit:
            raise Bad("real", option=option, limit=limit, value=short(text))
        return value

    how = {"type": convert, "metavar": "X", "default": None, "help": about}
    parser.add_argument(option, **how)


def add_score(parser, option, about):
    """Add an option that takes any number of moderate size; None unless given."""

    def convert(text):
        if not re.fullmatch("-?" + REAL, text):
            raise Bad("score", option=option, value=short(text))
        return int(text) if text.lstrip("-").isdecimal() else float(text)

    how = {"type": convert, "metavar": "X", "default": None, "help": about}
    parser.add_argument(option, **how)


def add_window(parser, limit, about):
    """Add --window L,R: two whole numbers, either of which may be "none"."""

    def convert(text):
        sides = text.split(",")
        numbers = [int(x) if re.fullmatch(r"[0-9]{1,9}", x) else -1 for x in sides]
        good = [x == "none" or 0 <= n <= limit for x, n in zip(sides, numbers)]
        if len(sides) != 2 or not all(good):
            raise Bad("window", limit=limit, value=short(text))
        return tuple(None if x == "none" else n for x, n in zip(sides, numbers))

    how = {"type": convert, "metavar": "L,R", "default": None, "help": about}
    parser.add_argument("--window", **how)


def add_variants(parser, limit, words):
    """Add --window, --softcap and --sink, which `trace` and `ledger` share."""
    add_window(parser, limit, words["--window"])
    add_real(parser, "--softcap", 1000, words["--softcap"])
    add_score(parser, "--sink", words["--sink"])


def add_list(parser, option, convert, metavar, default, about):
    """Add an option that takes values with commas between; convert(option, text)."""

    def split(text):
        return tuple(dict.fromkeys(convert(option, x) for x in text.split(",")))

    how = {"type": split, "metavar": metavar, "default": default, "help": about}
    parser.add_argument(option, **how)


def one_of(choices):
    """A converter, convert(option, text): a word of choices."""

    def convert(option, text):
        if text not in choices:
            names = ", ".join(choices)
            raise Bad("choice", option=option, choices=names, value=short(text))
        return text

    return convert


def size_of(limit, multiple=1):
    """The same: a whole number up to limit, a multiple of something."""

    def convert(option, text):
        value = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0
        if not 1 <= value <= limit or value % multiple:
            key = "size" if multiple == 1 else "multiple"
            how = {"option": option, "limit": limit, "multiple": multiple}
            raise Bad(key, **how, value=short(text))
        return value

    return convert
