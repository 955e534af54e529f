"""Beside the floors: wrong variants of attention, each with what exposes it.

`PITFALLS` is a tuple of `registry.Pitfall`. Each wrong function stands in the place of
one of `pieces`; `assembled.run(use(pitfall), case)` is an attention, forward and
backward, with this one mistake. Imported by nothing but examples, scripts and tests.
"""

from importlib import import_module

from tilewise.pitfalls.assembled import assemble

NAMES = "scores softmax steps tiles masks variants backward dropout heads merging"
NAMES += " decoding precision memory comparing"
KINDS = tuple(import_module(f"tilewise.pitfalls.{name}") for name in NAMES.split())
PITFALLS = tuple(pitfall for kind in KINDS for pitfall in kind.PITFALLS)


def named(name):
    """The pitfall of this name; KeyError if there is none."""
    return {pitfall.name: pitfall for pitfall in PITFALLS}[name]


def use(pitfall, right=False):
    """The pieces of an attention with this mistake, or of the same one without it."""
    if right:
        return assemble(pitfall.right, pitfall.right)
    return assemble(pitfall.wrong, pitfall.right, pitfall.also)
