"""What was tried on the Gluon backward pass, one change each, made in its text."""

from measure.variants._variants import changed

DV = "    dv = warpgroup_mma(pt16, do, dv, is_async=True)\n"
RELEASE = (
    "    if i > 0:\n"
    "        mbarrier.arrive(sm.empty.index((i - 1) % STAGES), count=1)\n"
)
STORE = (
    "    mbarrier.wait(sm.dq_empty.index(w), (i & 1) ^ 1)\n"
    "    sm.dq.index(w).store(dq.reshape(128, 32))  # while dK goes on\n"
    "    fence_async_shared()\n"
    "    mbarrier.arrive(sm.dq_full.index(w), count=1)\n"
)
DPT_0 = "    dpt = warpgroup_mma_wait(0, deps=(dpt,))\n"
ORDER = ".reshape(4, 2, 4, 2, 4, 2, 4, 2).permute(0, 1, 4, 2, 3, 6, 5, 7)"
BACK = ".reshape(4, 2, 4, 4, 2, 4, 2, 2).permute(0, 1, 3, 4, 2, 6, 5, 7)"
K_LEFT = (
    "    S: Constant = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, walk.rows, 16])\n"
    "    KL: Constant = gl.DotOperandLayout(0, S, 2)\n"
    "    k = sm.k.index(w).reshape([64, D]).load(KL)\n"
)
LOOPS = "    for g in range(walk.share):\n        start, at ="
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
        "        before = (walk.unit * walk.share + g).to(gl.int64)\n"
        "        before = before * walk.n_pad // walk.rows + walk.first\n"
        "        before -= g * walk.tiles\n"
    )
    return [
        ("def step(sm, i, dk", "def step(sm, DQ, before, i, dk"),
        ("step(sm, i, dk", "step(sm, DQ, before, i, dk"),
        ("steps(sm, walk, g", "steps(sm, DQ, before, walk, g"),
        ("def consume(sm, walk, DK", "def consume(sm, walk, DQ, DK"),
        ("(consume, (sm, walk, DK", f"(consume, (sm, walk, {name}, DK"),
        (LOOPS, LOOPS.replace("        start", before + "        start")),
        ("            (add_dq, (sm, walk, DQ, TURNS)),\n", ""),
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
            ("    k, v = sm.k.index(w).reshape([64, D]), sm.v", "    v = sm.v"),
            ("def step(sm, i, dk", "def step(sm, k, i, dk"),
            ("step(sm, i, dk", "step(sm, k, i, dk"),
            ("steps(sm, walk, g", "steps(sm, k, walk, g"),
            (LOOPS, K_LEFT + LOOPS),
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
    """The source of a variant, three files in one; of the kernel itself for "base"."""
    files = "shared/work_backward", "shared/gluon_backward", "gluon_backward"
    return changed(name, files, VARIANTS[name][1] if name != "base" else ())
