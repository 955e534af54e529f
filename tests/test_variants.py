"""What was tried on the Gluon kernels can be tried again: changes find their text."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "scripts/measure"))
try:
    import _backward_variants as backward
    import _forward_variants as forward
finally:
    sys.path.pop(0)
CASES = [(m, name) for m in (forward, backward) for name in m.VARIANTS]


@pytest.mark.parametrize("module, name", CASES, ids=lambda x: getattr(x, "__name__", x))
def test_a_variant_is_the_kernel_with_its_changes(module, name):
    base, text = module.text("base"), module.text(name)
    compile(base, "base", "exec")
    compile(text, name, "exec")
    tile = module is forward and forward.VARIANTS[name]["tile"]
    assert (text == base) == bool(tile)
