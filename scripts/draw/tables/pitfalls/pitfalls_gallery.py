"""Every wrong variant, by kind: what is wrong, what it passes, what exposes it."""

import math
from functools import cache

from draw.tables._pitfalls import WORDS, anchor, rounded, wrong

from tilewise.pitfalls import KINDS, use
from tilewise.pitfalls.assembled import run
from tilewise.pitfalls.inputs import INPUTS
from tilewise.pitfalls.truth import error, truth

OUTPUTS = {"o": "O", "dq": "dQ", "dk": "dK", "dv": "dV", "lse": "L"}


@cache
def first_error(pitfall):
    """(output, error) of the first output that the exposing input makes wrong."""
    case, wrong = INPUTS[pitfall.exposed_by](), use(pitfall)
    found, exact = run(wrong, case), truth(case, wrong["keep"])
    right = run(use(pitfall, right=True), case)
    for name in OUTPUTS:
        allowed = 100 * error(right, truth(case), (name,))
        by = error(found, exact, (name,))
        if not by <= allowed:
            return OUTPUTS[name], by
    raise ValueError(f"{pitfall.name} is not exposed")


def exposed(pitfall, words):
    """The input, and by how much which output is off."""
    name = pitfall.exposed_by
    of, by = first_error(pitfall)
    say, shown = words.SAY, words.INPUT[name]
    if "result" in INPUTS[name]():
        return say["yes"].format(input=shown)
    form = say["nan" if math.isnan(by) else "error"]
    return form.format(input=shown, of=of, by=rounded(by))


def entry(pitfall, words, lang):
    """One variant: its name, what is wrong, and the two inputs."""
    apart = "" if lang == "zh" else " "  # for the search, which leaves <br> out
    yield f"    `{pitfall.name}`{{ #{anchor(pitfall.name)} }}"
    yield f"    :   {wrong(pitfall, lang)}{apart}<br>" + words.SAY["inputs"].format(
        passes=words.CHECK[pitfall.passes], exposed=exposed(pitfall, words)
    )
    yield ""


def draw(lang):
    """One folded list a kind. A table of so many words is no use on a phone."""
    words, lines = WORDS[lang], []
    for kind in KINDS:
        name = kind.__name__.rpartition(".")[2]
        title = words.SAY["count"].format(kind=words.KIND[name], n=len(kind.PITFALLS))
        lines += [f'??? note "{title}"', ""]
        for pitfall in kind.PITFALLS:
            lines += entry(pitfall, words, lang)
    return "\n".join(lines)
