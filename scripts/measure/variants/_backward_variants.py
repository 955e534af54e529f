"""What was tried on the Gluon backward pass, one change each, made in its text.

All of them, and the kernel that they are compared with, have a program for each walk.
"""

from measure.variants._variants import BACKWARD, changed

DV = "    dv = warpgroup_mma(pt16, do, dv, is_async=True)\n"
LEFT = "    tma.store_wait(pendings=0)\n"
RELEASE = "    if i > 0:\n        mbarrier.arrive(sm.empty.index(s ^ 1), count=1)\n"
STORE = (
    "    mbarrier.wait(sm.dq_empty.index(w), (i & 1) ^ 1)\n"
    "    sm.dq.index(w).store(dq.reshape(128, 32))  # while dK goes on\n"
    "    fence_async_shared()\n"
    "    mbarrier.arrive(sm.dq_full.index(w), count=1)\n"
)
DPT_0 = "    dpt = warpgroup_mma_wait(0, deps=(dpt,))\n"
ORDER = ".reshape(4, 2, 4, 2, 4, 2, 4, 2).permute(0, 1, 4, 2, 3, 6, 5, 7)"
BACK = ".reshape(4, 2, 4, 4, 2, 4, 2, 2).permute(0, 1, 3, 4, 2, 6, 5, 7)"
HALF_K = "        k1 = first_half(sm, slot + w, MASKED)\n"
WHOLE_K = (
    "st = warpgroup_mma(k1, q.permute((1, 0)), zero, use_acc=False, is_async=True)"
)
K_LEFT = (
    "        S: Constant = gl.NVMMADistributedLayout("
    "[3, 0], [4, 1], [16, walk.rows, 16])\n"
    "        KL: Constant = gl.DotOperandLayout(0, S, 2)\n"
    "        k1 = sm.k.index(w).reshape([64, D]).load(KL)\n"
)
LOOPS = "        for _ in range(walk.share):\n            t, at, end ="
ONE_WALK = ("return kind == 0 and (dims", "return False and (dims")
ADD = (
    "    PL: Constant = parts.type.layout\n"
    "    at = gl.arange(0, 128, gl.SliceLayout(1, PL))[:, None] * 32\n"
    "    at += gl.arange(0, 32, gl.SliceLayout(0, PL))[None, :]\n"
    "    at += 4096 * (2 * (before + i) + w)\n"
    '    gl.atomic_add(DQ + at, parts, sem="relaxed")\n'
)


def given_to_consumers(name):
    """Changes that bring DQ, or its address, and a tile's place to the consumers."""
    before = (
        "            before = (walk.unit * walk.share + g).to(gl.int64)\n"
        "            before = before * walk.n_pad // walk.rows + walk.first - done\n"
    )
    loops = LOOPS.replace("_ in", "g in").replace(
        "            t, at", before + "            t, at"
    )
    return [
        ("step(sm, k1, i, slot", "step(sm, k1, DQ, before, i, slot"),
        ("steps(sm, k1, walk", "steps(sm, k1, DQ, before, walk"),
        ("def consume(sm, work, walk, DK", "def consume(sm, work, walk, DQ, DK"),
        ("(consume, (sm, work, walk, DK", f"(consume, (sm, work, walk, {name}, DK"),
        (LOOPS, loops),
        ("            (add_dq, (sm, work, walk, DQ, TURNS)),\n", ""),
        ("    mbarrier.wait(sm.dq_empty.index(w), (done & 1) ^ 1)\n", LEFT),
        ("[4, 1, 1],  #", "[4, 1],  #"),
        ("[240, 24, 24],  #", "[240, 24],  #"),
    ]


VARIANTS = {  # name: (what it is, [(text, text instead)])
    "own_round": (
        "a stage is let go of in its own round, not beside the next one's arrival",
        [
            (RELEASE, ""),
            (
                "    # --8<-- [end:products]\n",
                "    mbarrier.arrive(sm.empty.index(s), count=1)\n",
            ),
        ],
    ),
    "fragment_order": (
        "dQ in the order of the fragments, in which a warp stores whole lines",
        [
            ("store(dq.reshape(", f"store(dq{ORDER}.reshape("),
            (".reshape(1, 1, 64, 64)", f"{BACK}.reshape(1, 1, 64, 64)"),
        ],
    ),
    "no_pin": (
        "without the poll that keeps ptxas from moving the wait for dP",
        [("w, MASKED, LARGE, LARGE)", "w, MASKED, LARGE, False)")],
    ),
    "delta_first": (
        "the sum of dP begins at -delta instead of 0",
        [
            (
                "    dpt = warpgroup_mma(v, do.permute((1, 0)), zero, use_acc=False,",
                "    dpt = zero - sm.delta.index(s).load(COLUMN)[None, :]\n"
                "    dpt = warpgroup_mma(v, do.permute((1, 0)), dpt,",
            ),
            ("(pt * (dpt - delta[None, :]))", "(pt * dpt)"),
        ],
    ),
    "no_add_warp": (
        "each consumer starts the addition of its half of dQ itself",
        [
            (
                STORE,
                "    tma.store_wait(pendings=0)\n"
                "    sm.dq.index(w).store(dq.reshape(128, 32))\n"
                "    fence_async_shared()\n"
                "    at = ((before + i) * 2 + w).to(gl.int32) * 128\n"
                "    reduce_add(DQ, [at, 0], sm.dq.index(w))\n",
            ),
            *given_to_consumers("DQ"),
        ],
    ),
    "k_in_registers": (
        "K as the left operand of S from registers instead of shared memory",
        [
            ("    k, v = sm.k.index(slot + w).reshape([64, D]), sm.v", "    v = sm.v"),
            ("st = start_scores(sm, k1, k, q, zero)", WHOLE_K),
            (HALF_K, K_LEFT),
        ],
    ),
    "threads_add": (
        "each thread adds its own numbers to dQ, the TMA unit does nothing",
        [
            (STORE, f"    parts = dq{ORDER}.reshape(128, 32)\n" + ADD),
            (".reshape(1, 1, 64, 64)", f"{BACK}.reshape(1, 1, 64, 64)"),
            *given_to_consumers("DQ32"),
            ("    Q, K, V, DO, DK, DV, DQ", "    DQ32, Q, K, V, DO, DK, DV, DQ"),
            (
                "            describe(q, rows, dims), describe(k",
                "            dq32, describe(q, rows, dims), describe(k",
            ),
        ],
    ),
    "dv_early": (
        "dV is started before dP is waited for",
        [(DV, ""), (DPT_0, DV + DPT_0.replace("(0,", "(1,"))],
    ),
}


def text(name):
    """The source of a variant, four files in one; of the kernel itself for "base"."""
    changes = VARIANTS[name][1] if name != "base" else ()
    return changed(name, BACKWARD, (ONE_WALK, *changes))
