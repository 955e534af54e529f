"""What scripts/measure/varlen/varlen.py measured, by what is asked of it."""

import functools
import json

from draw.figures._bench import newest


@functools.cache
def results():
    """The newest results."""
    return json.loads(newest("varlen").read_text("utf-8"))


def ratios(way, name="gluon_varlen"):
    """{(d, n, causal): speed over the fixed-length kernel's} on documents n long."""
    return {
        (row["d"], row["n"], row["causal"]): row["found"][name]["ratio"]
        for row in results()["rows"]
        if row["work"] == "equal" and row["pass"] == way
    }


def tail(way, name):
    """{(d, causal): ms} on the long tail; None where it gave wrong results."""
    return {
        (row["d"], row["causal"]): row["found"][name].get("ms")
        for row in results()["rows"]
        if row["work"] == "tail" and row["pass"] == way
    }


def longer(way, name, than="gluon_varlen"):
    """{(d, causal): how many times as long as another} where both were timed."""
    ms, other = tail(way, name), tail(way, than)
    return {at: ms[at] / other[at] for at in ms if ms[at] and other[at]}
