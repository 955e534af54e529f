"""The running example's backward pass: every number of every step, as equations."""

from tilewise.render import backward_latex, gradients_latex
from tilewise.trace import backward, forward
from tilewise.worked_example import BLOCK_COLS, BLOCK_ROWS, DO, EXACT, K, Q, V

BLOCKS = BLOCK_ROWS, BLOCK_COLS


def steps():
    """The states of the backward pass, S in units of τ and everything in fractions."""
    *_, end = forward(Q, K, V, *BLOCKS, **EXACT)
    saved = end["o"], DO, end["m"], end["l"]
    return list(backward(Q, K, V, *saved, *BLOCKS, **EXACT))


def draw(lang):
    """Sections step-1 … step-4 and result; equations are the same in both languages."""
    states = steps()
    sections = {f"step-{n}": backward_latex(x) for n, x in enumerate(states, 1)}
    sections["result"] = gradients_latex(states[-1])
    lines = []
    for name, equation in sections.items():
        lines += [f"<!-- --8<-- [start:{name}] -->", "$$", str(equation), "$$"]
        lines.append(f"<!-- --8<-- [end:{name}] -->")
    return "\n".join(lines)
