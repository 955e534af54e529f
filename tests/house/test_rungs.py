"""Every rung of the kernel ladder can be read on its own."""

from tilewise.kernels import BACKWARD, DECODING, FORWARD, VARIANTS, VARLEN

from ._house import SOURCE, imports

KERNELS = SOURCE / "kernels"
RUNGS = {*FORWARD, *BACKWARD, *VARLEN, *VARIANTS, *DECODING}


def rungs_in(path):
    """The rungs that a file imports from."""
    names = [name.removeprefix("tilewise.kernels.") for name in imports(path)]
    return {name for name in names if name in RUNGS}


def test_a_rung_extends_at_most_one_other():
    many = {name: rungs_in(KERNELS / f"{name}.py") for name in RUNGS}
    assert {name: rungs for name, rungs in many.items() if len(rungs) > 1} == {}


def test_shared_helpers_import_no_rung():
    paths = [*KERNELS.glob("shared/*.py"), *KERNELS.glob("host/*.py")]
    assert {path.name: rungs_in(path) for path in paths if rungs_in(path)} == {}
