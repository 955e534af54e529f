"""What may be used, what is pinned, and what the workflows install are one."""

import re

from every import every
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from repository import ROOT
from versions import EXTRAS, PROJECT, SETTINGS, entries, pins, requirements

LOCKS = ["requirements-ci.txt", "requirements-tools.txt"]


def test_readers_need_no_torch():
    names = {canonicalize_name(x.name) for x in requirements("docs")}
    assert names and not names & {"torch", "triton"}
    assert not PROJECT.get("dependencies")


def test_pages_are_tested_with_the_plugin_they_were_written_for():
    (plugin,) = (x for x in requirements("test") if x.name == "pytest-codeblocks")
    assert str(plugin.specifier) == "==0.18.0"


@every("extra", EXTRAS)
def test_pins_satisfy_the_project(extra):
    found = pins()
    for needed in requirements(extra):
        version = found.get(canonicalize_name(needed.name))
        assert version, f"{needed.name} is not in constraints.txt"
        assert needed.specifier.contains(version, prereleases=True), needed


def test_tools_are_pinned():
    found = pins("requirements-tools.txt")
    for needed in map(Requirement, SETTINGS["dependency-groups"]["tools"]):
        assert needed.specifier.contains(found[canonicalize_name(needed.name)]), needed


def test_ci_installs_what_is_pinned():
    assert pins("requirements-ci.txt") == pins()


@every("name", LOCKS)
def test_locks_have_hashes_and_name_no_host(name):
    """`name==1.2 --hash=sha256:…` and no option, address or local version (+cpu)."""
    for pin, hashes in entries(name):
        assert not (pin.url or pin.marker or pin.extras), pin
        assert re.fullmatch(r"==[\w.]+", str(pin.specifier)), pin
        assert hashes and all(re.fullmatch("sha256:[0-9a-f]{64}", x) for x in hashes)
    assert not re.search(r"://|^-", (ROOT / name).read_text("utf-8"), re.M)


def test_torch_is_the_public_registrys():
    """That one is built for CUDA and brings NVIDIA's libraries; the one without, from
    another index, would have neither them nor the same hashes."""
    found = pins()
    assert any(name.startswith("nvidia-") for name in found) and "torch" in found
