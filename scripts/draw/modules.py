"""Finds what draws figures, tables and elements, and what computes a page's numbers."""

import importlib
import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from draw.figures import _bench

HERE = Path(__file__).resolve().parent
# Drawings that share a helper: kind -> name -> (the helper, its arguments but `lang`).
ROWS = {
    "figures": {
        "speed_forward": ("_speed", "forward"),
        "speed_backward": ("_speed", "backward"),
    },
    "tables": {
        "ladder": ("_ladder", "forward"),
        "ladder_backward": ("_ladder", "backward"),
        "speed_forward_64": ("_speed", "forward", 64),
        "speed_forward_128": ("_speed", "forward", 128),
        "speed_backward_64": ("_speed", "backward", 64),
        "speed_backward_128": ("_speed", "backward", 128),
        "speed_means_forward": ("_means", "forward"),
        "speed_means_backward": ("_means", "backward"),
        "doctor_symbols": ("_doctor", "symbols"),
        "doctor_files": ("_doctor", "files"),
        "doctor_parts": ("_doctor", "parts"),
        "doctor_machine": ("_doctor", "machine"),
        "stepper_forward": ("_stepper", {}),
        "stepper_backward": ("_stepper", {"pass": "backward"}),
        "stepper_orders": ("_stepper", {"order": "kv-outer"}, {"order": "q-outer"}),
    },
    "elements": {
        # Row 3 of the example, score by score, and row 1, cut into two halves.
        "strip_online": ("_strip", "0 1 2 1", None),
        "strip_merging": ("_strip", "-1 -1 -2 0", 2),
    },
}


def paths(kind):
    """{name: path} of the modules of one kind: "figures", "tables" or "elements"."""
    return {path.stem: path for path in (HERE / kind).glob("*/[!_]*.py")}


def names(kind):
    """The names of all drawings of one kind, in order."""
    return sorted([*paths(kind), *ROWS[kind]])


def module(kind, name):
    """What has the function draw(lang) of a drawing: its module, row or table."""
    if name in ROWS[kind]:
        helper, *arguments = ROWS[kind][name]
        shared = importlib.import_module(f"draw.{kind}.{helper}")
        return SimpleNamespace(draw=lambda lang: shared.draw(*arguments, lang))
    part = paths(kind)[name].parent.name
    made = importlib.import_module(f"draw.{kind}.{part}.{name}")
    return made if hasattr(made, "draw") else SimpleNamespace(draw=partial(table, made))


def film(way):
    """The function that gives what the widget on a pass's time line shows, in JSON."""
    return importlib.import_module(f"draw.figures.gpu.{way}_timeline").film


def table(made, lang):
    """The Markdown table of a module that has its words, SAY, and its lines(say).

    Its first column is on the left, or as many as it says by LEFT; others on the right.
    """
    say = made.SAY[lang]
    head = say["head"] if isinstance(say, dict) else say
    return _bench.table(head, made.lines(say), getattr(made, "LEFT", 1))


def pages_with_numbers():
    """The names of the modules of numbers, one for each page that has any."""
    return sorted(path.stem for path in (HERE / "numbers").glob("[!_]*.py"))


def numbers(name):
    """The numbers that a page's sentences take, in JSON, a line each."""
    module = importlib.import_module(f"draw.numbers.{name}")
    parts = getattr(module, "PARTS", None)
    found = dict(x for part in parts for x in part()) if parts else module.numbers()
    return json.dumps(found, indent=1, ensure_ascii=False)
