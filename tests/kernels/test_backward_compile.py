"""What ptxas makes of the backward rungs: registers, shared memory, no spills.

Compiled for the GPUs that they are for, without one, in a process of its own. A number
in the table is the most that a kernel may take: what it takes in triton 3.6 or 3.7.
"""

import pytest

from tilewise.kernels.shared.common_backward import ELSEWHERE

from ._child import asked, told

SHARED = {80: 163 * 1024, 90: 227 * 1024, 100: 227 * 1024}  # bytes a program may have
SPLIT, TMA = "backward_split", "backward_descriptors"
PACKED = "varlen_backward"
TABLE = {  # rung, arch, d: registers and bytes of shared memory, dK and dV, then dQ
    (SPLIT, 80, 64): ((255, 28928), (238, 32768)),
    (SPLIT, 80, 128): ((196, 53504), (164, 73728)),
    (SPLIT, 80, 256): ((255, 84096), (206, 102400)),
    (SPLIT, 90, 64): ((210, 58368), (128, 81920)),
    (SPLIT, 90, 96): ((244, 181248), (218, 163840)),
    (SPLIT, 90, 128): ((239, 181248), (181, 163840)),
    (SPLIT, 90, 256): ((216, 131072), (239, 196608)),
    (SPLIT, 100, 64): ((94, 28944), (121, 58368)),
    (SPLIT, 100, 128): ((133, 53520), (80, 115712)),
    (SPLIT, 100, 256): ((144, 84112), (121, 148480)),
    (PACKED, 80, 128): ((206, 53504), (164, 73728)),
    (PACKED, 90, 64): ((237, 58368), (136, 81920)),
    (PACKED, 90, 128): ((252, 181248), (181, 163840)),
    (PACKED, 90, 256): ((216, 131072), (241, 196608)),
    (PACKED, 100, 128): ((148, 53520), (83, 115712)),
    (TMA, 90, 64): ((255, 83968), (122, 82944)),
    (TMA, 90, 96): ((254, 99328), (174, 164864)),
    (TMA, 90, 128): ((254, 99328), (174, 164864)),
    (TMA, 90, 256): ((254, 131344), (242, 196624)),
    (TMA, 100, 64): ((86, 41984), (115, 58368)),
    (TMA, 100, 128): ((72, 82944), (62, 115712)),
    (TMA, 100, 256): ((102, 114912), (116, 148480)),
}


def job(rung, arch, d):
    """What _compile.py is asked; on other GPUs than Hopper the tiles are others."""
    made = {"rung": rung, "pass": "backward", "arch": arch, "d": d}
    made |= {"dtype": "bfloat16", "causal": True}
    if arch != 90:
        dkdv_tile, dq_tile = ELSEWHERE[max(64, 1 << (d - 1).bit_length())]
        made["options"] = {"dkdv_tile": dkdv_tile, "dq_tile": dq_tile}
    return made


@pytest.fixture(scope="module")
def compiled(request):
    """What _compile.py found, by the keys of TABLE that the tests ask for."""
    keys = [*dict.fromkeys(key for (key,) in asked(request, "key"))] or [*TABLE]
    return dict(zip(keys, told("_compile.py", [job(*key) for key in keys])))


@pytest.mark.full
@pytest.mark.parametrize("key", TABLE, ids=str)
def test_fits_without_spills(compiled, key):
    found = compiled[key]
    assert "error" not in found, found
    for kernel, (registers, shared) in zip(("dkdv_kernel", "dq_kernel"), TABLE[key]):
        counts = found[kernel]
        assert counts["spills"] == 0, (kernel, counts)
        assert counts["registers"] <= registers, (kernel, counts)
        assert counts["shared"] <= shared <= SHARED[key[1]], (kernel, counts)


@pytest.mark.full
@pytest.mark.parametrize("key", TABLE, ids=str)
def test_products_take_the_tensor_cores_of_the_card(compiled, key):
    rung, arch, d = key
    unit = {80: "mma", 90: "wgmma", 100: "tcgen05"}[arch]
    for kernel in ("dkdv_kernel", "dq_kernel"):
        counts = compiled[key][kernel]
        assert counts[unit] > 0, (kernel, counts)
        assert (counts["tma"] > 0) == (rung == TMA), (kernel, counts)
        if arch == 90 and (rung == TMA or d < 256):  # nothing goes the old way
            assert counts["mma"] == 0, (kernel, counts)
