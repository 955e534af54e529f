"""The Gluon backward pass without a GPU: what ptxas makes of it, and in which order.

The order is what makes it fast, and it is ptxas that decides: exponentials while dPᵀ is
being computed, dQ stored while dK is, no product waiting for the one before.
"""

from itertools import product

import pytest
import torch

from tilewise.kernels import gluon_backward

from ._child import asked, told

TABLE = {  # d, causal, heads of K and V, parts, order of dQ's sums if there is one,
    # whether programs go on: most spills outside of loops, bytes of shared memory,
    (64, False, 4, 1): (4, 199184, 2),  # copies of the loop over tiles
    (64, True, 4, 1): (8, 199184, 4),
    (128, False, 4, 1): (0, 198160, 2),
    (128, True, 4, 1): (0, 198160, 4),
    (128, True, 1, 1): (16, 198160, 4),
    (128, True, 1, 4): (0, 198160, 4),
    (64, False, 1, 2): (16, 199184, 2),
    (64, True, 4, 1, 1): (8, 199200, 4),
    (128, True, 4, 1, 2): (0, 198176, 4),
    (64, True, 4, 1, 0, True): (8, 215760, 4),
    (128, False, 4, 1, 0, True): (8, 231120, 2),
    (128, True, 4, 1, 0, True): (11, 231120, 4),
}
NAMES = "d", "causal", "kv_heads", "parts", "order", "draws"
WAITS = ["wait ≤ 1", "wait ≤ 0", "wait ≤ 2", "wait ≤ 1", "wait ≤ 0"]


@pytest.fixture(scope="module")
def compiled(request):
    """What _gluon_backward.py found, by the keys of TABLE that the tests ask for."""
    keys = [*dict.fromkeys(key for (key,) in asked(request, "key"))] or [*TABLE]
    jobs = [dict(zip(NAMES, key)) for key in keys]
    return dict(zip(keys, told("_gluon_backward.py", jobs)))


@pytest.mark.few(1)
@pytest.mark.parametrize("key", TABLE, ids=str)
def test_fits_and_takes_the_units_of_hopper(compiled, key):
    found, (spills, shared, copies) = compiled[key]["main_kernel"], TABLE[key]
    assert found["spills"] <= spills and found["registers"] <= 168, found
    assert found["shared"] <= shared <= 227 * 1024, found
    assert found["wgmma"] == 32 * copies and found["mma"] == 0, found
    assert found["tma"] > 0 and found["reductions"] >= 2, found
    assert "overwritten" not in found, found
    others = compiled[key].keys() - {"main_kernel", "loops"}
    assert len(others) == 2 + (key[3] > 1), others  # rows, dq, and the sum of parts
    assert all(compiled[key][name]["spills"] == 0 for name in others)


@pytest.mark.few(1)
@pytest.mark.parametrize("key", TABLE, ids=str)
def test_order_in_the_loops(compiled, key):
    """Five waits, half of exp before the second, dQ stored before the last.

    Where programs go on, ptxas leaves 14 of the 32 there in one of the loops.
    """
    least = (14 / 32 if key[5:] else 1 / 2) if key[0] == 128 else 0
    ordered(compiled[key]["loops"], key[0], TABLE[key][2], least)


def ordered(found, d, copies, least=1 / 2):
    """The loops over tiles as they should be; without a poll exp may come later.

    least: the part of the exponentials that is computed while dPᵀ is.
    """
    assert len(found) == copies
    for loop in found:
        assert [x for x in loop if x.startswith("wait")] == WAITS, loop
        assert loop.count("product") == 32 and loop.count("exp") == 4096 // d, loop
        assert "spill" not in loop, loop
        at = [i for i, x in enumerate(loop) if x.startswith("wait")]
        beneath = loop[at[0] : at[1]].count("exp")  # while dPᵀ is being computed
        assert beneath >= least * loop.count("exp"), loop
        assert loop[at[3] : at[4]].count("store") >= 8, loop  # while dK is


SHARED_OUT = {  # heads of K and V, group, N, d, causal: at once, parts
    (512, 1, 1024, 64, True): (512, 1),  # short rows: all
    (32, 1, 8192, 128, False): (32, 1),
    (16, 1, 16384, 128, True): (8, 1),  # 64 MiB of fp32 dQ
    (32, 1, 16384, 64, False): (16, 1),
    (12, 1, 16384, 128, False): (6, 1),  # not 8 and 4
    (1, 16, 16384, 128, True): (1, 4),  # whole heads of K
    (4, 16, 4096, 128, True): (4, 4),
    (4, 16, 4096, 128, False): (4, 1),
    (1, 16, 4096, 128, False): (1, 4),
    (16, 4, 4096, 128, True): (16, 1),
    (1, 7, 256, 64, True): (1, 7),
    (80_000, 1, 16, 64, True): (40_000, 1),  # a grid's axis ends at 65,535
}


@pytest.mark.parametrize("case", SHARED_OUT, ids=str)
def test_heads_are_shared_out(case):
    """dQ stays in 64 MiB, or what 4 ms of work need; programs are enough for a card."""
    total, group, n, dims, causal = case
    cols = -(-n // 128)
    found = gluon_backward.share_out(total, group, cols, n, n, dims, causal, 132)
    assert found == SHARED_OUT[case] and group % found[1] == 0


@pytest.mark.parametrize("causal", [False, True])
def test_the_last_crew_leaves_whole_crews(causal):
    """It is whole itself, has work for each SM, and is not the usual one if causal."""
    for units, cols in product((1, 7, 40, 512), (1, 8, 33)):
        crew = gluon_backward.crew_of(units, cols, causal)
        last = gluon_backward.last_of(units, cols, crew, causal, 132)
        assert 0 < last <= units and (units - last) % crew == 0
    assert gluon_backward.last_of(512, 8, 1, True, 132) * 8 == 2 * 132
    assert gluon_backward.last_of(512, 8, 1, False, 132) == 1


def test_programs_go_on_where_it_pays():
    """As many walks as SMs at least; never in an order; at d = 64 up to 4096 keys."""
    assert gluon_backward.draws(64, 32, 5, 132, 0)
    assert not gluon_backward.draws(64, 33, 50, 132, 0)
    assert gluon_backward.draws(128, 1024, 1, 132, 0)
    assert not gluon_backward.draws(128, 132, 1, 132, 0)
    assert not any(gluon_backward.draws(128, 32, 50, 132, kind) for kind in (1, 2))


def test_more_keys_than_a_grid_has_programs():
    with pytest.raises(ValueError, match="at most 8388480 rows"):
        gluon_backward.share_out(1, 1, 65_536, 16, 2**23, 64, False, 132)


@pytest.mark.parametrize("units", [1, 6, 7, 64, 65_535])
@pytest.mark.parametrize("cols", [1, 31, 32, 64, 128, 5000])
def test_crews_are_whole(units, cols):
    assert gluon_backward.crew_of(units, cols, False) == 1
    crew = gluon_backward.crew_of(units, cols, True)
    assert units % crew == 0 and (crew == 1 or 32 <= cols <= crew * cols <= 512)
    crew = gluon_backward.crew_of(units, cols, False, ordered=True)
    assert units % crew == 0 and (crew == 1 or crew * cols <= 128)


def test_sums_take_the_order_that_is_faster(monkeypatch):
    """None unless it is asked for; early keys first where causal programs are many."""
    cases = list(product((64, 128), (8, 31, 32, 128), (False, True)))
    assert not any(gluon_backward.order(*case) for case in cases)
    monkeypatch.setattr(torch, "are_deterministic_algorithms_enabled", lambda: True)
    early = [case for case in cases if gluon_backward.order(*case) == 2]
    assert early == [(128, 32, True), (128, 128, True)]
    assert all(gluon_backward.order(*case) == 1 for case in set(cases) - {*early})


def bad(**changes):
    given = {x: torch.zeros(1, 4, 20, 64).half() for x in ("q", "k", "v", "o", "do")}
    return given | {"lse": torch.zeros(1, 4, 20)} | changes


BAD = {
    "must have 16 bits": bad(q=torch.zeros(1, 4, 20, 64)),
    "d at most 128": bad(q=torch.zeros(1, 4, 20, 136).half()),
    "must be \\(batch, heads, N, d\\)": bad(k=torch.zeros(20, 64).half()),
    "differ in d": bad(k=torch.zeros(1, 4, 20, 72).half()),
    "multiple of 8": bad(
        **{x: torch.zeros(1, 4, 20, 12).half() for x in ("q", "k", "v", "o", "do")}
    ),
    "lse": bad(lse=torch.zeros(1, 4, 21)),
    "causal must be": bad(causal="left"),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_gets_one_sentence(message):
    with pytest.raises(ValueError, match=message):
        gluon_backward.backward(**BAD[message])
