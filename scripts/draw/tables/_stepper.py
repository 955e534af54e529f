"""A film of the tile stepper as a table: every step, for readers without scripts."""

import re
from html import escape

from tilewise.live import stepper
from tilewise.live.names import KEYS
from tilewise.trace import symbols

WORDS = {
    "en": {
        "heads": ("step", "i, j", "in this step", "in, so far", "out, so far"),
        "keep": "keep {}",
        "store": "store {}",
        "start": "start values",
        "comma": ", ",
        "kv-outer": "K, V outside",
        "q-outer": "Q outside",
    },
    "zh": {
        "heads": ("步", "i, j", "这一步", "累计读入", "累计写回"),
        "keep": "保留 {}",
        "store": "写回 {}",
        "start": "初值",
        "comma": "、",
        "kv-outer": "K、V 在外层",
        "q-outer": "Q 在外层",
    },
}


def name(key, step):
    """Q_i → <i>Q</i><sub>1</sub>."""
    index = [str(step[letter] + 1) for letter in symbols.subscript(KEYS.get(key, key))]
    made = symbols.html(KEYS.get(key, key), "".join(index))
    return re.sub("<i>(.)\u0303", r'<i class="tw-tilde">\1', made)  # no face has ℓ̃


def matrix(rows):
    """[1 2; 3 4], a vector as a column: [1; 2]."""
    lines = [" ".join(row) if isinstance(row, list) else row for row in rows]
    return escape("[" + "; ".join(lines) + "]")


def happens(step, loads, say):
    """What a step stores, puts on the chip, or keeps there of what its phase loads."""
    storing, stored = step["phase"] == "store", step.get("store")
    if storing or not step.get("put"):
        keys = stored or loads["q" if storing else step["phase"]]
        names = say["comma"].join(name(key, step) for key in keys)
        return say["store" if stored else "keep"].format(names)
    made = []
    for key, rows in step["put"].items():
        unit = "/τ" if symbols.in_units(KEYS.get(key, key)) else ""
        made.append(f"{name(key, step)}{unit} = {matrix(rows)}")
    return "<br>".join(made)


def rows(film, say):
    """The table's rows, the start values first."""
    yield 0, "", say["start"] if film["first"] else "", 0, film["first"]
    loads = {}
    for t, step in enumerate(film["steps"], 1):
        loads.setdefault(step["phase"], list(step.get("put", {})))
        place = f"{step['i'] + 1},\u00a0{step['j'] + 1}"
        yield t, place, happens(step, loads, say), step["loaded"], step["stored"]


def table(asked, lang):
    """The whole table of a film; in and out are elements so far."""
    say, film = WORDS[lang], stepper.film(asked)
    heads = "".join(f'<th scope="col">{x}</th>' for x in say["heads"])
    out = ["<table>", f"<caption>{say[film['order']]}</caption>"]
    out += [f"<thead><tr>{heads}</tr></thead>", "<tbody>"]
    for row in rows(film, say):
        out.append("<tr>" + "".join(f"<td>{x}</td>" for x in row) + "</tr>")
    return "\n".join([*out, "</tbody></table>"])


def draw(*arguments):
    """The tables of one or several films in English or Chinese."""
    *questions, lang = arguments
    return "\n".join(table(asked, lang) for asked in questions)
