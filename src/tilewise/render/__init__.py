"""Beside the floors: a trace as text, LaTeX, JSON and HTML, in two languages.

Standard library only. What notebooks and pages use is imported here; the command line
uses the modules text, latex and json, which yield a whole trace piece by piece.
"""

from tilewise.render.html import Html, backward_memory_html, memory_html
from tilewise.render.latex import (
    Latex,
    backward_latex,
    gradients_latex,
    matrices_latex,
    matrix,
    result_latex,
    step_latex,
)

__all__ = [
    "Html",
    "Latex",
    "backward_latex",
    "backward_memory_html",
    "gradients_latex",
    "matrices_latex",
    "matrix",
    "memory_html",
    "result_latex",
    "step_latex",
]
