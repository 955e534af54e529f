"""What one block keeps for its backward pass, by policy, in units of batch · N · E."""

from draw.figures import _svg as s

from tilewise.ledger.activations import kept

N, E, HEADS = 2048, 2048, 16  # d = 128, so that P is N / d = 16 units
LEFT, TOP, STEP, TALL, UNIT, FULL = 4, 22, 50, 22, 23, 16  # FULL units fill a line
ROWS = (  # attention, policy
    ("standard", "none"), ("ours", "none"), ("ours", "mlp"), ("ours", "apart"),
    ("ours", "o"), ("ours", "block"),
)
COLOUR = {"q": "tw-q", "k": "tw-k", "v": "tw-v", "o": "tw-o", "P": "tw-s"}
SHOWN = {"h 1": "$h_1$", "h 2": "$h_2$", "a": "$a$", "g": "$g$", "P": "$P$"}
SHOWN |= {name: f"${name}$" for name in "xy"} | {n: f"${n.upper()}$" for n in "qkvo"}
SAY = {
    "en": {
        "label": "What one block keeps, in numbers of batch · N · E, for N = {n} and"
        " d = {d}. {rows}.",
        "row": "{name}, {units}", "join": "; ",
        "standard none": "standard attention, all kept",
        "ours none": "FlashAttention, all kept", "ours mlp": "mlp: the MLP recomputed",
        "ours apart": "apart: all around attention recomputed",
        "ours o": "o: all but attention recomputed",
        "ours block": "block: all recomputed",
        "case": "$N = {n}$, $d = {d}$; one unit is batch · $N$ · $E$ numbers",
    },
    "zh": {
        "label": "一个 Transformer 层留下多少份，一份是 batch · N · E 个数，N = {n}，"
        "d = {d}。{rows}。",
        "row": "{name}，{units} 份", "join": "；",
        "standard none": "标准注意力，全部保留",
        "ours none": "FlashAttention，全部保留", "ours mlp": "mlp：重计算 MLP",
        "ours apart": "apart：重计算注意力前后的部分",
        "ours o": "o：重计算整层，注意力除外",
        "ours block": "block：重计算整层",
        "case": "$N = {n}$，$d = {d}$；一份是 batch · $N$ · $E$ 个数",
    },
}


def bar(y, held):
    """The parts in a row, each as wide as it is large; P has a line of its own."""
    out, x = [], LEFT
    shown = [name for name in held if name in SHOWN]  # others are hairlines
    for name in sorted(shown, key="P".__eq__):
        wide = held[name] / E * UNIT
        if x + wide > LEFT + FULL * UNIT:
            x, y = LEFT, y + TALL
        out.append(s.rect(x, y, wide, TALL, COLOUR.get(name, "tw-hbm")))
        colour = COLOUR.get(name, "").replace("tw-", "tw-t")
        label = "$h$" if name.startswith("h") else SHOWN[name]
        out.append(s.middle(x + wide / 2, y + 16, label, f"tw-small {colour}".strip()))
        x += wide
    return out, x, y


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, told = SAY[lang], [], []
    facts = {"n": N, "d": E // HEADS}
    parts.append(s.text(LEFT, 14, say["case"].format(**facts), "tw-small tw-muted"))
    y = TOP + 20
    for attention, policy in ROWS:
        held = kept(N, E, HEADS, attention=attention, policy=policy)
        units = sum(x for x in held.values() if x >= E) // E
        name = say[f"{attention} {policy}"]
        parts.append(s.text(LEFT, y - 5, name, "tw-small"))
        made, end, y = bar(y, held)
        parts += [*made, s.text(end + 6, y + 16, str(units), "tw-strong")]
        y += STEP
        told.append(say["row"].format(name=name, units=units))
    label = say["label"].format(rows=say["join"].join(told), **facts)
    return s.svg(404, y - STEP + TALL + 4, label, *parts)
