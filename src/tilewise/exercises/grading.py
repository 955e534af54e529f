"""Grading: call the reader's function on every case and say what differs.

A fault is a dict of texts: kind, call, and, where they mean something, at (the place
within the result, such as [1][0]), got, expected. Its kinds:

none     the function gives nothing back        type     another thing than expected
length   a list of another length               nan      NaN where a number is due
number   another number                         changed  an argument is not as it was
raised   an exception: what the caller's where(error) makes of it comes along
"""

import math

from tilewise.exercises.writing import call, short

TOLERANCE = 1e-9  # relative to the largest number expected; counts are exact


def compare(got, expected, tolerance=TOLERANCE):
    """(kind, place, got, expected) of the first difference, or None.

    Lists and tuples are the same here. A number may be off by `tolerance` times the
    largest number expected, or 1.
    """
    if got is None:
        return "none", "", got, expected
    return differ(got, expected, tolerance * max(1, largest(expected)), "")


def differ(got, expected, slack, place):
    """compare, with the place of both within the result; NaN differs from all."""
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)):
            return "type", place, got, expected
        if len(got) != len(expected):
            return "length", place, got, expected
        for i, want in enumerate(expected):
            difference = differ(got[i], want, slack, place + "[" + str(i) + "]")
            if difference:
                return difference
        return None
    if not is_number(got) or not is_number(expected):
        if type(got) is type(expected) and got == expected:
            return None
        kind = "number" if type(got) is type(expected) else "type"
        return kind, place, got, expected
    if got != got:
        return "nan", place, got, expected
    if got == expected or is_finite(got) and abs(got - expected) <= slack:
        return None
    return "number", place, got, expected


def is_number(x):
    """Whether x is an int or a float; True and False are not."""
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def is_finite(x):
    return -math.inf < x < math.inf


def largest(x):
    """The largest size of a finite number in nested lists; 0 if there is none."""
    if isinstance(x, (list, tuple)):
        return max([largest(y) for y in x] + [0])
    return abs(x) if is_number(x) and is_finite(x) else 0


def copied(x):
    """Nested lists and tuples, with all lists new."""
    if isinstance(x, list):
        return [copied(y) for y in x]
    return tuple([copied(y) for y in x]) if isinstance(x, tuple) else x


def grade(exercise, function, where):
    """[(check, fault or None)] for each check of an exercise, in its order.

    function is the reader's; where(error) makes a dict of an exception that it raises.
    A check ends at its first fault.
    """
    order, faults = [], {}
    for check, arguments, expected in exercise.cases():
        if check not in faults:
            order.append(check)
        if faults.get(check) is None:
            faults[check] = fault(exercise, function, arguments, expected, where)
    return [(check, faults[check]) for check in order]


def fault(exercise, function, arguments, expected, where):
    """What is wrong with one call, as a dict, or None."""
    once = getattr(exercise, "ONCE", ())  # arguments that can be read but once
    mine = [copied(x) for x in arguments]
    handed = [iter(x) if i in once else x for i, x in enumerate(mine)]
    report = {"call": call(exercise.SOLUTION.__name__, arguments, once)}
    try:
        got = function(*handed)
        difference = compare(got, expected, getattr(exercise, "TOLERANCE", TOLERANCE))
    except BaseException as error:  # SystemExit and KeyboardInterrupt too
        return report | {"kind": "raised", "expected": short(expected)} | where(error)
    if difference:
        kind, place, one, two = difference
        texts = {"got": short(one), "expected": short(two)}
        return report | {"kind": kind, "at": place} | texts
    if any(differ(a, b, 0, "") for a, b in zip(mine, arguments)):
        return report | {"kind": "changed"}
    return None
