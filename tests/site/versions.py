"""What pyproject.toml asks for, and what is pinned."""

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from repository import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS = PROJECT["optional-dependencies"]


def requirements(extra):
    """The requirements of an extra, those of the extras it names among them."""
    for text in EXTRAS[extra]:
        found = Requirement(text)
        if found.name == PROJECT["name"]:
            for inner in found.extras:
                yield from requirements(inner)
        else:
            yield found


def entries(name):
    """(requirement, hashes) of each line of a file of pins, continued lines as one."""
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line := line.partition("#")[0].strip():
            what, *hashes = re.split(r"\s+--hash=", line)
            yield Requirement(what), hashes


def pins(name="constraints.txt"):
    """{name: version} of a file of pins."""
    found = {}
    for pin, _ in entries(name):
        (clause,) = pin.specifier
        assert clause.operator == "==" and "*" not in clause.version, pin
        assert canonicalize_name(pin.name) not in found, pin
        found[canonicalize_name(pin.name)] = Version(clause.version)
    return found
