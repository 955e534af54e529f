"""One token against a long cache: idle processors without parts, all busy with them."""

from draw.figures import _svg as s

from tilewise.trace.split_kv import parts

SMS, HEADS, SPLITS, TILES = 8, 2, 4, 16  # of a small GPU; KV heads, tiles of keys
LEFT, TOP, LANE, HIGH, UNIT = 54, 28, 19, 15, 21  # UNIT: width of a tile's time
PANEL = LANE * SMS + 32
SAY = {
    "en": {
        "label": "Time tables of {sms} SMs that decode one token with {heads} KV heads"
        " and {tiles} tiles of keys. Without parts, {heads} SMs work for the time of"
        " {tiles} tiles and {idle} are idle. With {splits} parts, all of them work for"
        " the time of {each} tiles, and a short merge follows.",
        "one": "no parts: {heads} of {sms} SMs work, for {tiles} tiles’ time",
        "many": "{splits} parts: all {sms} SMs work, for {each}; then merge",
        "sm": "SM {i}", "work": "head {h}, keys of tiles {a}–{b}",
        "part": "{h}: {a}–{b}", "idle": "idle", "merge": "merge",
    },
    "zh": {
        "label": "{sms} 个 SM 解码一个 token 的时间表，共 {heads} 个 KV 头、"
        "{tiles} 块键。不切分时，{heads} 个 SM 工作 {tiles} 块的时间，"
        "其余 {idle} 个空闲。分成 {splits} 份时，所有 SM 都工作 {each} 块的时间，"
        "最后有一次短暂的合并。",
        "one": "不切分：{sms} 个 SM 里 {heads} 个在工作，要 {tiles} 块的时间",
        "many": "分成 {splits} 份：{sms} 个 SM 全在工作，只要 {each} 块，再合并",
        "sm": "SM {i}", "work": "头 {h}，第 {a}–{b} 块的键",
        "part": "{h}：{a}–{b}", "idle": "空闲", "merge": "合并",
    },
}


def panel(y, splits, say, facts):
    """Each SM's time from left to right: what it reads, and where it is idle."""
    made, jobs = [], [
        (h, a, b) for h in range(HEADS) for a, b in parts(0, TILES, 1, splits)
    ]
    title = "one" if splits == 1 else "many"
    made.append(s.text(2, y - 10, say[title].format(**facts), "tw-strong"))
    for i in range(SMS):
        top = y + LANE * i
        made.append(s.text(2, top + 12, say["sm"].format(i=i), "tw-small tw-muted"))
        if i >= len(jobs):
            made.append(s.rect(LEFT, top, UNIT * TILES, HIGH, "tw-slot"))
            if i == len(jobs):
                x = LEFT + UNIT * TILES / 2
                made.append(s.middle(x, top + 12, say["idle"], "tw-small tw-muted"))
            continue
        h, a, b = jobs[i]
        wide = UNIT * (b - a)
        made.append(s.rect(LEFT, top, wide, HIGH, "tw-k"))
        words = say["work" if splits == 1 else "part"].format(h=h, a=a, b=b - 1)
        made.append(s.middle(LEFT + wide / 2, top + 12, words, "tw-small tw-tk"))
        if splits > 1 and i < HEADS:  # a program for each row merges its parts
            at = LEFT + wide + 4
            made.append(s.rect(at, top, 46, HIGH, "tw-o"))
            made.append(s.middle(at + 23, top + 12, say["merge"], "tw-small tw-to"))
    return made


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    facts = {"sms": SMS, "heads": HEADS, "splits": SPLITS, "tiles": TILES}
    facts |= {"idle": SMS - HEADS, "each": TILES // SPLITS}
    made = panel(TOP, 1, say, facts) + panel(TOP + PANEL, SPLITS, say, facts)
    return s.svg(400, TOP + PANEL + LANE * SMS, say["label"].format(**facts), *made)
