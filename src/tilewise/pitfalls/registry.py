"""What is said of each wrong variant, as plain data."""

from collections.abc import Callable
from typing import NamedTuple


class Pitfall(NamedTuple):
    """A wrong piece, the right one in its place, and the two inputs that matter.

    exposed_by is a name in `inputs.INPUTS`: there it differs from float64 attention.
    passes is a name in `checks.CHECKS`: a test that one may write, and that it passes.
    also holds (name, piece) of other wrong ones, where one alone makes no mistake.
    """

    wrong: Callable
    right: Callable
    exposed_by: str
    passes: str
    also: tuple = ()

    @property
    def name(self):
        """The wrong function's name, unique in the gallery."""
        return self.wrong.__name__

    @property
    def kind(self):
        """The file that it stands in."""
        return self.wrong.__module__.rpartition(".")[2]
