"""What was tried on the Gluon kernels can still be translated, without a GPU."""

import pytest
from measure.variants import _backward_variants as backward
from measure.variants import _forward_variants as forward
from measure.variants import _order_variants as order
from measure.variants import backward_walks as walks

from . import _child

JOBS = [
    (module.__name__.rpartition(".")[2], name)
    for module in (forward, backward, order, walks)
    for name in module.VARIANTS
]


@pytest.mark.full
def test_every_variant_is_a_kernel():
    said = dict(zip(JOBS, _child.told("_traced.py", JOBS), strict=True))
    assert {job: text for job, text in said.items() if text != "ok"} == {}
