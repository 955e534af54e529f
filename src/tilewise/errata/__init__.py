"""Beside the floors: lines as printed elsewhere, each run beside the right one.

ENTRIES is a list of dicts, one an erratum, in the order of the page pitfalls/errata:
id (its anchor there), source, place, printed and right (in our own words), reported
(issues of Dao-AILab/flash-attention), mended (where), test (what tells the two apart)
and run, a function without arguments that gives what each of the two comes to.
"""

from tilewise.errata import claims, fa1, fa2, fa3, forward, gradients, practice
from tilewise.errata.registry import show

MODULES = fa2, fa3, fa1, forward, gradients, practice, claims
ENTRIES = [entry for module in MODULES for entry in module.ENTRIES]

__all__ = ["ENTRIES", "show"]
