"""The running example in motion: tiles go up, outputs come down, N × N stays away.

An HTML fragment, the SVG with its radio buttons (play, pause, the four tiles, the
end): it needs no JavaScript, and who prefers no motion sees tile 3.
"""

from itertools import pairwise

from draw.figures import _svg as s
from draw.figures._example import START, STEPS
from draw.figures._motion import controls, style

from tilewise.worked_example import K, Q, V

X = {"q": 12, "k": 76, "s": 140, "v": 204, "o": 268, "l": 327, "m": 361}  # columns
COLS = {"q": 2, "k": 2, "s": 2, "v": 2, "o": 2, "l": 1, "m": 1}
NAME = {"q": "Q", "k": "K", "v": "V", "o": "O", "l": "ℓ", "m": "m"}
CSS = {"q": "q", "k": "k", "v": "v", "o": "o", "l": "m", "m": "m"}
TILE_Y, HBM_Y = 165, 301  # where tiles lie in SRAM, matrices in HBM
STILL = 3  # the tile that is seen where nothing moves
QUIET = "tw-small tw-muted"
SAY = {
    "en": {
        "label": "Attention for N = {n} and d = {d} in {t} tiles. Tiles of Q, K, V and"
        " O move from HBM to SRAM, a tile of S and P̃ appears in SRAM only, and O, ℓ"
        " and m move back. The N × N matrix is never stored.",
        "map": [
            "$S$ and $P$:", "$N × N$ = {n} × {n},", "never stored,", "tile by tile",
        ],
        "sram": "SRAM: on chip, small, fast",
        "hbm": "HBM: the GPU’s memory, large, slow",
        "none": ["no $S$", "no $P$"],
        "tile": "Tile {n} of {t}: $i = {i}$, $j = {j}$",
        "load": "load", "store": "store", "new": "update",
        "done": [
            "All {t} tiles done.", "$O$ is in HBM, exact.", "$S$ and $P$ never were.",
        ],
    },
    "zh": {
        "label": "N = {n}、d = {d} 的注意力分 {t} 块算完：Q、K、V、O 的块从 HBM"
        " 搬进 SRAM，S 与 P̃ 的块只在 SRAM 中出现，O、ℓ、m 再写回 HBM；"
        "N × N 的矩阵从未存下来。",
        "map": [
            "$S$ 与 $P$：", "$N × N$ = {n} × {n}，", "从不完整保存，", "一次只算一块",
        ],
        "sram": "SRAM：在片上，小而快",
        "hbm": "HBM：GPU 的显存，大而慢",
        "none": ["没有 $S$", "没有 $P$"],
        "tile": "第 {n}/{t} 块：$i = {i}$，$j = {j}$",
        "load": "读入", "store": "写回", "new": "更新",
        "done": [
            "{t} 块全部算完。", "$O$ 已在 HBM，分毫不差。",
            "$S$ 与 $P$ 从没进过 HBM。",
        ],
    },
}


def changing(*parts, kind, stills=(), step=0, row=None):
    """A group that comes and goes: its step, and how far below SRAM its tile lies."""
    css = " ".join(["om-h", f"om-{kind}", *(f"om-{n}" for n in stills)])
    drop = "" if row is None else f";--y:{HBM_Y - TILE_Y + row * s.ROW}px"
    return s.group(*parts, cls=css, more=f'style="--n:{step}{drop}"')


def tile(name, values):
    """A tile of a tensor at its place in SRAM."""
    box = s.grid(X[name], TILE_Y, 2, COLS[name], f"tw-{CSS[name]}")
    return box + s.numbers(X[name], TILE_Y, values)


def memory(say):
    """What never changes: SRAM with its empty places, the lanes, Q, K and V in HBM."""
    out = [s.rect(7, 119, 386, 99, "tw-sram", 'rx="7"')]
    out.append(s.rect(1, 258, 398, 140, "tw-hbm", 'rx="3"'))
    out += [s.text(17, 135, say["sram"], QUIET), s.text(12, 274, say["hbm"], QUIET)]
    out.append(s.rect(X["s"], TILE_Y, 2 * s.CELL, 2 * s.ROW, "tw-slot"))
    for x, name in NAME.items():
        wide, css = COLS[x] * s.CELL, CSS[x]
        centre, sub = X[x] + wide / 2, "_j" if x in "kv" else "_i"
        both = x in STEPS[0]["store"]
        out.append(s.rect(X[x], TILE_Y, wide, 2 * s.ROW, "tw-slot"))
        out.append(s.middle(centre, 157, f"${name}{sub}$", f"tw-t{css}"))
        # four units a number: two rows of COLS[x] numbers move at a time
        out.append(s.arrow(centre, 255, 0, -34, 8 * COLS[x], f"tw-{css}", both))
        out.append(s.middle(centre, 294, f"${name}$", f"tw-t{css}"))
        out.append(s.grid(X[x], HBM_Y, 4, COLS[x], f"tw-{css}"))
    out += [s.numbers(X[x], HBM_Y, rows) for x, rows in (("q", Q), ("k", K), ("v", V))]
    signs = [(69, "×"), (133, "→"), (197, "×"), (261, "→")]
    out += [s.middle(x, TILE_Y + 27, sign, QUIET) for x, sign in signs]
    return out + s.lines(165, 340, 18, say["none"], QUIET, "middle")


def lives():
    """(first row, tile that wrote it, tile that writes it anew) of what HBM holds."""
    made = []
    for r in sorted({t["rows"][0] for t in STEPS}):
        wrote = [n for n, t in enumerate(STEPS, 1) if t["rows"][0] == r]
        made += [(r, *pair) for pair in pairwise([0, *wrote, len(STEPS) + 1])]
    return made


def stored():
    """O, ℓ and m in HBM: at first, and after each tile that wrote some rows."""
    out, versions = [], [START, *STEPS]
    for r, born, dies in lives():
        y, rows = HBM_Y + r * s.ROW, slice(r, r + 2)
        parts = [s.numbers(X[x], y, versions[born][x][rows]) for x in "olm"]
        seen = range(born + 1, dies + 1)
        out.append(changing(*parts, kind=f"v{born}{dies}", stills=seen))
    return out


def movers(n, t):
    """The tiles that step n moves up, and the outputs that also go back down."""
    r, c = t["rows"][0], t["cols"][0]
    at = {"stills": [n], "step": n - 1}
    out = [changing(tile("q", t["q"]), kind="q", row=r, **at)]
    for x in "kv":
        if x in t["load"]:  # it stays for the next tile too
            kept = {"kind": "kv", "stills": [n, n + 1], "step": n - 1}
            out.append(changing(tile(x, t[x]), row=c, **kept))
    boxes = [s.grid(X[x], TILE_Y, 2, COLS[x], f"tw-{CSS[x]}") for x in "olm"]
    for age, stills in (("old", []), ("new", [n])):
        values = [s.numbers(X[x], TILE_Y, t[f"{x}_{age}"]) for x in "olm"]
        boxes.append(changing(*values, kind=age, stills=stills, step=n - 1))
    return [*out, changing(*boxes, kind="o", row=r, **at)]


def scores(n, t):
    """The tile of S, then of P̃, in SRAM, and where it lies in the N × N matrix."""
    x, y = 129 + 18 * t["cols"][0], 26 + 18 * t["rows"][0]
    here = [s.rect(x, y, 36, 36, "tw-s"), s.rect(121, y, 4, 36, "tw-q")]
    here += [s.rect(x, 18, 36, 4, "tw-k"), s.grid(X["s"], TILE_Y, 2, 2, "tw-s")]
    out = [changing(*here, kind="t", stills=[n], step=n - 1)]
    for kind, key, name in (("s", "s", "S_{ij}/τ"), ("p", "p_tilde", "P̃_{ij}")):
        stills = [n] if kind == "p" else []
        title = s.middle(165, 157, f"${name}$", "tw-ts")
        cells = s.numbers(X["s"], TILE_Y, t[key])
        out.append(changing(title, cells, kind=kind, stills=stills, step=n - 1))
    return out


def words(n, t, say):
    """What step n does, in five lines that light up one after the other."""
    i, j = t["i"] + 1, t["j"] + 1
    name = {x: f"${NAME[x]}_{j if x in 'kv' else i}$" for x in NAME}
    made = [
        f"{say['load']} " + " ".join(name[x] for x in t["load"]),
        f"$S_{{{i}{j}}} = τ Q_{i} K_{j}^⊤$",
        f"$P̃_{{{i}{j}}}$ = exp($S_{{{i}{j}}} − m̃_{{{i}{j}}}$)",
        f"{say['new']} " + " ".join(name[x] for x in "olm"),
        f"{say['store']} " + " ".join(name[x] for x in t["store"]),
    ]
    head = say["tile"].format(n=n, t=len(STEPS), i=i, j=j)
    parts = [
        s.text(216, 33 + 19.5 * f, line, "om-f", more=f'style="--n:{n - 1};--f:{f}"')
        for f, line in enumerate(made)
    ]
    return changing(s.text(216, 14, head), *parts, kind="a", stills=[n], step=n - 1)


def draw(lang):
    """The figure with its buttons, in English or Chinese."""
    say = SAY[lang]
    facts = {"n": len(Q), "d": len(Q[0]), "t": len(STEPS)}
    board = [s.grid(129, 26, 4, 4, "tw-ghost", 18, 18)]
    board += s.lines(112, 40, 18, [x.format(**facts) for x in say["map"]], QUIET, "end")
    board += memory(say) + stored()
    for n, t in enumerate(STEPS, 1):
        board += [*movers(n, t), *scores(n, t), words(n, t, say)]
    done = s.lines(216, 35, 22, [x.format(**facts) for x in say["done"]])
    board.append(changing(*done, kind="d", stills=[len(STEPS) + 1]))
    css = style(STILL, [life[1:] for life in lives()])
    size = 400, 399
    picture = s.svg(*size, say["label"].format(**facts), css, *board)
    return controls(lang, picture, *size)
