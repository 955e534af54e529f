"""The Gluon kernels with stamps: each role notes the SM's clock at points of a tile.

The changes are made in the kernels' text. A stamp reads %clock, the cycle counter of
the SM, and stores it without waiting, into TIMES (programs, roles, tiles, points).
"""

import re
from textwrap import indent

from measure.variants._variants import BACKWARD as FILES
from measure.variants._variants import changed

SHAPE = PROGRAMS, ROLES, TILES, POINTS = 132, 4, 128, 12
CLOCK = '"mov.u32 $0, %clock;", "=r,r", [0], gl.int32, False, 1'
STAMP = f'''
@gluon.jit
def stamp(times, role, tile, point):
    """The SM's clock, now, as this point of a tile of keys or queries."""
    now = gl.inline_asm_elementwise({CLOCK})
    of = gl.program_id(2) * gl.num_programs(1) + gl.program_id(1)
    of = of * gl.num_programs(0) + gl.program_id(0)
    at = ((of * {ROLES} + role) * {TILES} + tile % {TILES}) * {POINTS} + point
    gl.store(times + at, now, of < {PROGRAMS})

'''
# Each role's points of a tile, in order; the first one begins it.
NAMES = {
    "forward": {
        "consumer": "begin k turn start scores softmax values out".split(),
        "producer": ["begin", "k", "v"],
    },
    "backward": {
        "consumer": "begin q do scores dp ds other dv dq room dk".split(),
        "producer": ["begin", "empty", "asked"],
        "adder": ["begin", "first", "second", "left"],
    },
}


def stamped(depth, role, tile, first, text):
    """(lines, lines with stamps): a line @ of the text is where the next point is."""
    lines, point, new = text.lstrip("\n").splitlines(True), first, ""
    for line in lines:
        new += f"stamp({role}, {tile}, {point})\n" if line == "@\n" else line
        point += line == "@\n"
    old = "".join(x for x in lines if x != "@\n")
    return indent(old, " " * depth), indent(new, " " * depth)


ME, ITS, W = "self.times, self.w", "me.times, me.w", "sm.times, w"
FORWARD = [
    ("# --8<-- [start:produce]\n", STAMP),
    ("    count: gl.constexpr\n", "    count: gl.constexpr\n    times: gl.tensor\n"),
    ("CONSUMERS), o.index", "CONSUMERS, TIMES), o.index"),
    ("    Q, K, V, O, LSE, n_q", "    Q, K, V, O, LSE, TIMES, n_q"),
    ("describe(o, 64, dims), lse, n_q", "describe(o, 64, dims), lse, TIMES, n_q"),
    ("feed = (q, k, v, Q, K, V, work)", "feed = (q, k, v, Q, K, V, work, TIMES)"),
    ("V, work):\n", "V, work, times):\n"),
    stamped(16, "times, 3", "tile", 0, """
@
k.fill(tile, K, batch, head // work.group, col)
@
v.fill(tile, V, batch, head // work.group, col)
@
"""),
    stamped(8, ME, "tile + 1", 0, """
@
self.k.wait(tile + 1)
@
self.wait_turn()
@
s = self.scores(block, tile + 1)
acc = self.values(tile, p, acc, alpha)
self.pass_turn()
@
s = warpgroup_mma_wait(1, deps=(s,))  # S is there; P V goes on
self.k.free(tile + 1)
@
"""),
    stamped(8, ME, "tile + 1", 5, """
acc = warpgroup_mma_wait(0, deps=(acc,))
self.v.free(tile)
@
return p, acc, l, m, alpha
"""),
    stamped(8, ME, "tile", 0, """
@
self.k.wait(tile)
@
self.wait_turn()
@
s = self.scores(block, tile)
self.pass_turn()
@
s = warpgroup_mma_wait(0, deps=(s,))
self.k.free(tile)
@
"""),
    stamped(8, ME, "tile", 5, """
p, m, alpha = softmax(s, m, self.tau2, MASKED)
@
return as_operand
""".rstrip()),
    stamped(12, ITS, "tile", 6, """
acc = warpgroup_mma_wait(0, deps=(acc,))
me.v.free(tile)
@
o = scale_rows(acc, 1 / l).to(O.dtype)
"""),
    stamped(12, ITS, "tile", 7, """
tma.async_copy_shared_to_global(O, [batch, head, row, 0], o_smem)
@
tile += 1
"""),
]  # fmt: skip
BACKWARD = [
    ("# --8<-- [start:reduce]\n", STAMP),
    ("    told_empty: Memory", "    told_empty: Memory\n    times: gl.tensor"),
    ("allocate(Q, K, LSE, DQ, ", "allocate(Q, K, LSE, DQ, TIMES, "),
    ("barriers(2),\n    )\n    mb", "barriers(2), TIMES,\n    )\n    mb"),
    ("SUMS, TURNS, FIRST", "SUMS, TIMES, TURNS, FIRST"),
    ("  sums, turns, head", "  sums, TIMES, turns, head"),
    stamped(4, W, "i", 0, """
@
mbarrier.wait(sm.q_full.index(s), phase)
@
st = start_scores(
""".rstrip()),
    stamped(4, W, "i", 2, """
mbarrier.wait(sm.do_full.index(s), phase)
@
dpt = warpgroup_mma(
""".rstrip()),
    stamped(4, W, "i", 3, """
st = warpgroup_mma_wait(1, deps=(st,))  # Sᵀ is there; dPᵀ goes on
@
"""),
    stamped(4, W, "i", 4, "dpt = warpgroup_mma_wait(0, deps=(dpt,))\n@\n"),
    stamped(4, W, "i", 5, "mbarrier.arrive(sm.ds_full.index(b), count=1)\n@\n"),
    stamped(4, W, "i", 6, """
@
dq = half_dq(sm, b, slot, w)
dv = warpgroup_mma_wait(2, deps=(dv,))  # dQ is two products
@
dk = warpgroup_mma(
""".rstrip()),
    stamped(4, W, "i", 8, """
dq = warpgroup_mma_wait(1, deps=(dq,))
@
mbarrier.wait(sm.dq_empty.index(w), (i & 1) ^ 1)
@
"""),
    stamped(4, W, "i", 10, "dk = warpgroup_mma_wait(0, deps=(dk,))\n@\n"),
    stamped(16, "sm.times, 2", "i", 0, """
@
mbarrier.wait(sm.empty.index(s), (i // STAGES & 1) ^ 1)
@
if g + tile == 0
""".rstrip()),
    stamped(16, "sm.times, 2", "i", 2, """
tma.async_copy_global_to_shared(DELTA, number, do_full, delta)
@
"""),
    stamped(12, "sm.times, 3", "done + g * walk.tiles + i", 0, """
@
for w in gl.static_range(2):
    mbarrier.wait(sm.dq_full.index(w), done + g * walk.tiles + i & 1)
"""),
    (
        "done + g * walk.tiles + i & 1)\n",
        "done + g * walk.tiles + i & 1)\n"
        "                stamp(sm.times, 3, done + g * walk.tiles + i, 1 + w)\n",
    ),
    stamped(12, "sm.times, 3", "done + g * walk.tiles + i", 3, """
tma.store_wait(pendings=0)
mbarrier.arrive(sm.dq_empty.index(1), count=1)
@
"""),
]  # fmt: skip


def only(text, points):
    """The text with consumers' stamps at these points, and with all of other roles."""
    return re.sub(
        r" *stamp\((?:self|me|sm)\.times, (?:self\.w|me\.w|w), .*, (\d+)\)\n",
        lambda x: x[0] if int(x[1]) in points else "",
        text,
    )


def forward(points, turns=True):
    """The forward kernel's text with stamps at these points, with turns or without."""
    more = [] if turns else [("bar.sync $1, 256; ", ""), ("bar.arrive $1, 256; ", "")]
    return only(changed("stamps", ("gluon_forward",), FORWARD + more), points)


def backward(points):
    """The backward kernel's text, four files in one, with stamps at these points."""
    return only(changed("stamps", FILES, BACKWARD), points)
