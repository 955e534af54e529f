"""What was tried on the Gluon forward pass, one change each, made in its text."""

from measure.variants._variants import changed

SCORES = (
    "        s = warpgroup_mma_wait(1, deps=(s,))  # S is there; P V goes on\n"
    "        self.k.free(tile + 1)\n"
)
SCORES_AND_O = (
    "        s, acc = warpgroup_mma_wait(0, deps=(s, acc))\n"
    "        self.k.free(tile + 1)\n"
    "        self.v.free(tile)\n"
)
LAST_WAIT = (
    "        acc = warpgroup_mma_wait(0, deps=(acc,))\n"
    "        self.v.free(tile)\n"
    "        return"
)
ZERO_SUMS = (
    "    l = row_sums(gl.zeros([64, reach.cols], gl.float32, fragment(reach.cols)))\n"
)
HELD_Q = """            if D == 128:
                q = q.load(gl.DotOperandLayout(0, fragment(128), 2))
                fence_async_shared()  # the next Q must not be copied there before
                me.q.free(block)
"""
RESCALE = "acc = scale_rows(acc, alpha) if acc.shape[1] == 128 else rescale(acc, alpha)"
MAXIMUM = "m_new = gl.maximum(m, row_max(s, m) * tau2)"
TOP = "top = row_max(s, m) * tau2; m_new = gl.where(top > m + {}, top, m)"
SOFTMAX = "@gluon.jit\ndef softmax("
EXP2 = "    return gl.exp2(s * tau2 - base[:, None]), m_new"
EXP2_IN_PART = """    x = s * tau2 - base[:, None]
    p = gl.exp2(x) if MASKED else exponentials(x)
    return p, m_new"""
POLYNOMIAL = """
        max.NaN.f32 x, ${x}, -126.0; add.f32 t, x, 12583039.0;
        sub.f32 f, t, 12583039.0; sub.f32 f, x, f; mov.b32 e, t; shl.b32 e, e, 23;
        fma.rn.f32 x, f, 0.0551717, 0.2426111; fma.rn.f32 x, x, f, 0.6932610;
        fma.rn.f32 x, x, f, 0.9999281; mov.b32 t, e; mul.f32 ${y}, x, t;"""
EXPONENTIALS = f'''@gluon.jit
def exponentials(x):
    """2^x of eight numbers, one of them as 2^n (0.99993 + 0.69326 f + …), x = n + f."""
    return gl.inline_asm_elementwise(
        """{{ .reg .f32 x, t, f; .reg .b32 e;{POLYNOMIAL.format(x=15, y=7)}
        {" ".join(f"ex2.approx.ftz.f32 ${i}, ${i + 8};" for i in range(7))} }}""",
        "{",".join(8 * ["=&f"] + 8 * ["f"])}", [x], gl.float32, True, 8,
    )


'''


def variant(what, *changes, dims=(64, 128), **tile):
    """What it is, [(text, text instead)], at which d, and what the call names."""
    return {"what": what, "changes": changes, "dims": dims, "tile": tile}


def threshold(grown):
    """m follows the maximum once that has grown by more than so much, in base 2."""
    return variant(
        f"m and O follow a maximum that has grown by more than {grown} in base 2",
        (MAXIMUM, TOP.format(grown)),
        (RESCALE, "acc = rescale(acc, alpha)"),
    )


VARIANTS = {
    "no_turns": variant(
        "consumers start their products whenever they are ready",
        ("bar.sync $1, 256; ", ""),
        ("bar.arrive $1, 256; ", ""),
    ),
    "both_at_once": variant(
        "both products are waited for before the softmax",
        (SCORES, SCORES_AND_O),
        (LAST_WAIT, "        return"),
    ),
    "one_q": variant(
        "one buffer of Q instead of two", ("2 if D == 64 else 1,", "1,"), dims=(64,)
    ),
    "q_in_shared_memory": variant(
        "Q is read from shared memory in every tile, and has V's third buffer",
        ("2 if D == 64 else 1,", "2,"),
        ("STAGES + (D == 128)", "STAGES"),
        (HELD_Q, ""),
        ("            if D == 64:\n", "            if True:\n"),
        dims=(128,),
    ),
    "two_v": variant(
        "two buffers of V instead of three",
        ("STAGES + (D == 128)", "STAGES"),
        dims=(128,),
    ),
    "row_sums_at_once": variant(
        "the row sums of every tile are added up over a row's four threads",
        ("scale_rows(l, alpha) + row_sums(p)", "l * alpha + gl.sum(p, 1)"),
        (ZERO_SUMS, "    l = gl.zeros([64], gl.float32, ROW)\n"),
        ("gl.convert_layout(gl.sum(l, 1), m.type.layout)", "l"),
    ),
    "longest_first": variant(
        "each crew begins with its longest block, no program draws to and fro",
        ("gl.where(turned, programs - 1 - program, program)", "program"),
        ("gl.where((self.crews - crew) % 2 != 0, tiles - 1 - i, i)", "tiles - 1 - i"),
    ),
    "two_consumers": variant(
        "two consumers, 128 rows together", dims=(64,), block_rows=128
    ),
    "rescale_always": variant(
        "O is multiplied by α in every tile, also where α = 1",
        (RESCALE, "acc = scale_rows(acc, alpha)"),
        dims=(64,),
    ),
    "rescale_asked": variant(
        "O is multiplied by α only where a row of the warp has a new maximum",
        (RESCALE, "acc = rescale(acc, alpha)"),
        dims=(128,),
    ),
    "threshold_2": threshold(2),
    "threshold_8": threshold(8),
    "polynomials": variant(
        "one exponential in eight by a polynomial of degree 3, in tiles without a mask",
        (SOFTMAX, EXPONENTIALS + SOFTMAX),
        (EXP2, EXP2_IN_PART),
    ),
    "held_back": variant(
        "the wait for O stays behind the exponentials",
        (LAST_WAIT, "        self.v.wait(tile + 1)\n" + LAST_WAIT),
    ),
    "half_tiles": variant("tiles of 64 keys", block_cols=64, num_stages=4),
}


def text(name):
    """The source of a variant, three files in one; of the kernel itself for "base"."""
    files = "shared/gluon", "shared/work", "gluon_forward"
    return changed(name, files, VARIANTS[name]["changes"] if name != "base" else ())
