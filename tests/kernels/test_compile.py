"""What ptxas makes of the forward rungs on the cards they claim, without any card.

compiled.json holds the counts, in bf16 and the tiles that the rungs choose, and the
triton they belong to; `python -m tests.kernels.test_compile` writes it anew.
"""

import json
import re
import sys
from pathlib import Path

import pytest
import triton

from tilewise.kernels import FORWARD

from ._child import asked, told

TABLE = Path(__file__).with_name("compiled.json")
POINTERS = FORWARD[: FORWARD.index("descriptors")]
CLAIMS = {  # architecture → (rungs, head dims)
    80: (POINTERS, (128, 256)),
    90: ((*POINTERS, "descriptors"), (64, 128, 256)),
    100: ((*POINTERS, "descriptors"), (128,)),
}
GLUON = [  # d, causal, N: every kernel that gluon_forward chooses
    (64, False, 1024),
    (64, True, 1024),
    (64, True, 2048),
    (128, False, 1024),
    (128, True, 1024),
]
WIDE = [(256, False, 1024), (256, True, 1024)]  # and where a head is twice as wide
PACKED = {80: (128,), 90: (64, 128, 256), 100: (128,)}  # architecture → d of varlen
GLUON_PACKED = [(64, 128), (64, 192), (128, 128)]  # d, block_rows
SHARED = {80: 163 * 1024, 90: 227 * 1024, 100: 227 * 1024}  # bytes a program may have
SPILLS = 64  # stores; the best tile of some rungs at d = 128 has a few, on an H200 too
UNIT = {80: "mma", 90: "wgmma", 100: "tcgen05"}  # the instruction of the tensor cores


def jobs():
    """All that is compiled; causal or not is no other kernel here."""
    for arch, (rungs, dims) in CLAIMS.items():
        for rung in rungs:
            for d in dims:
                yield {"rung": rung, "arch": arch, "d": d, "causal": True}
    for d, causal, n in GLUON + WIDE:
        job = {"rung": "gluon_forward", "arch": 90, "d": d, "causal": causal}
        yield job | {"n": n, "overlap": True}
    for arch, dims in PACKED.items():
        for d in dims:
            yield {"rung": "varlen", "arch": arch, "d": d, "causal": True}
    for d, rows in GLUON_PACKED:
        job = {"rung": "gluon_varlen", "arch": 90, "d": d, "causal": True}
        yield job | {"options": {"block_rows": rows}, "overlap": True}


def title(job):
    more = f" causal={job['causal']} N={job['n']}" if "n" in job else ""
    more += f" B_r={job['options']['block_rows']}" if "options" in job else ""
    return f"{job['rung']} sm_{job['arch']} d={job['d']}{more}"


def compiled(wanted):
    """title → kernel → counts, from a process without the interpreter."""
    given = list(wanted)
    return dict(zip(map(title, given), told("_compile.py", given)))


@pytest.fixture(scope="module")
def found(request):
    return compiled([job for (job,) in asked(request, "job")] or jobs())


@pytest.mark.few(2)
@pytest.mark.parametrize("job", list(jobs()), ids=title)
def test_rung_compiles_for_what_it_claims(found, job):
    kernels = found[title(job)]
    assert "error" not in kernels, kernels["error"]
    products = {name for name in kernels if name not in ("softmax", "plan_kernel")}
    for name, count in kernels.items():
        assert count["shared"] <= SHARED[job["arch"]], (name, count)
        assert count["spills"] <= SPILLS, (name, count)
        for arch, unit in UNIT.items():  # this card's tensor cores and no other's
            wanted = arch == job["arch"] and name in products
            assert (count[unit] > 0) == wanted, (name, count)


@pytest.mark.full
@pytest.mark.parametrize("d, causal, n", GLUON)
def test_both_products_are_in_flight_in_gluon(found, d, causal, n):
    """S and P V start together; S is waited for alone, and its maxima run under P V.

    Then P V is waited for, which lets go of V's buffer, and the exponentials run under
    the products of the next consumer. Each of the two orders is worth 4 % on an H200.
    """
    name = f"gluon_forward sm_90 d={d} causal={causal} N={n}"
    consumers = 3 if d == 64 and not (causal and n <= 1024) else 2
    overlap(found[name]["gluon_forward"], d, consumers)


@pytest.mark.full
@pytest.mark.parametrize("d, causal, n", WIDE)
def test_both_products_are_in_flight_at_256(found, d, causal, n):
    """A tile has 64 keys here, and half of the exponentials run underneath P V."""
    count = found[f"gluon_forward sm_90 d={d} causal={causal} N={n}"]["gluon_forward"]
    assert count["spills"] == 0 and "overwritten" not in count, count
    assert count["asked"] == count["skips"] > 0, count
    assert len(count["overlap"]) == 2, count
    for loop in count["overlap"]:
        assert loop["started"] == d // 16 + 4, loop  # 64 × 64 × 16, 64 × d × 16
        assert loop["in flight"] == 1 and loop["maxima between"] >= 16, loop
        assert loop["ex2 between"] >= 16 and loop["spills"] == 0, loop


@pytest.mark.full
@pytest.mark.parametrize("d, rows", GLUON_PACKED)
def test_both_products_are_in_flight_for_packed_documents_too(found, d, rows):
    name = f"gluon_varlen sm_90 d={d} B_r={rows}"
    overlap(found[name]["gluon_varlen"], d, rows // 64)


def overlap(count, d, consumers):
    """No spills, the order that is worth the time, no factor of O skipped unasked."""
    assert count["spills"] == 0 and count["tma"] > 0, count
    assert "overwritten" not in count, count
    assert len(count["overlap"]) == consumers, count
    assert count["asked"] == count["skips"], count
    assert (count["skips"] > 0) == (d == 64), count
    for loop in count["overlap"]:
        assert loop["started"] == d // 16 + 8, loop  # 64 × 128 × 16, 64 × d × 16
        assert loop["in flight"] == 1 and loop["maxima between"] >= 16, loop
        assert loop["ex2 between"] <= 8 and loop["ex2 after"] >= 58, loop
        assert loop["spills"] == 0, loop


@pytest.mark.full
def test_counts_are_those_of_the_table(found):
    table = json.loads(TABLE.read_text("utf-8"))
    if table["triton"] != triton.__version__:
        pytest.skip(f"the table is of triton {table['triton']}")
    assert found == table["kernels"]


if __name__ == "__main__":
    found = compiled(jobs())
    if failed := [f"{name}: {x['error']}" for name, x in found.items() if "error" in x]:
        sys.exit("does not compile, so the table stays as it is:\n" + "\n".join(failed))
    table = {"triton": triton.__version__, "kernels": found}
    text = json.dumps(table, indent=1)
    text = re.sub(r"\{[^{}]*\}", lambda x: " ".join(x[0].split()), text)  # a line each
    TABLE.write_text(text + "\n", "utf-8")
