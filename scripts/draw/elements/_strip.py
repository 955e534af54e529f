"""What stands in a <tw-strip> before a script runs: a table, and the same as data.

The table is complete where no script runs; where one does, it goes on with the data
and with the table's row names.
"""

import json

from tilewise.live import strip

SAY = {
    "en": {
        "score": "score {x}", "max": "maximum so far {m}",
        "factor": "factor {f}", "factors": "factors {fs}",
        "sum": "sum so far {l}", "halves": "the halves",
        "both": "merged", "online": "weight, online", "exp": "naive: {e}",
        "naive": "weight, naive", "is": "{m} = {0}, {l} = {1}",
    },
    "zh": {
        "score": "分数 {x}", "max": "当前最大值 {m}",
        "factor": "系数 {f}", "factors": "系数 {fs}",
        "sum": "累计和 {l}", "halves": "两半",
        "both": "合并", "online": "权重，在线", "exp": "朴素：{e}",
        "naive": "权重，朴素", "is": "{m} = {0}，{l} = {1}",
    },
}
WORDS = {  # for the script
    "en": {
        "scores": "Scores", "unit": "Unit", "unit-2": "τ = ln 2: powers of 2",
        "unit-e": "1: powers of e", "try": "Try", "back": "Back", "step": "Step",
        "left": "Move left", "right": "Move right", "swap": "Swap the halves",
        "score": "score {i}: {x}", "cut": "cut after score {i}: {x}",
        "old": "so far: {s}", "new": "score {x}: {s}", "a": "A: {s}", "b": "B: {s}",
        "is": "m = {m}, ℓ = {l}",
        "begin": "Nothing is read yet: m = −∞ and ℓ = 0.",
        "moves": "The maximum moves from {a} to {b}: what was summed before is"
        " multiplied by {f}.",
        "first": "The first finite score is the maximum, and counts 1.",
        "stays": "The maximum stays, and so does the old sum.",
        "nothing": "A score of −∞ weighs 0 and changes nothing.",
        "swapped": "The other way round, A merged into B: {back}.",
        "empty": "{h} has no finite score. Its state (−∞, 0) is the identity: merging"
        " gives the other half back.",
        "overflow": "Naive softmax fails: eˣ, or the sum, exceeds 1.8 · 10³⁰⁸ and"
        " becomes ∞; ∞/∞ is NaN.",
        "zero": "Naive softmax fails: every eˣ is rounded to 0, and 0/0 is NaN.",
        "none": "Only −∞: there are no weights to give. Online softmax gives 0,"
        " naive softmax 0/0.",
    },
    "zh": {
        "scores": "分数", "unit": "单位", "unit-2": "τ = ln 2：2 的幂",
        "unit-e": "1：e 的幂", "try": "试试", "back": "后退", "step": "前进",
        "left": "左移", "right": "右移", "swap": "两半对调",
        "score": "第 {i} 个分数：{x}", "cut": "在第 {i} 个分数之后切开：{x}",
        "old": "已读：{s}", "new": "分数 {x}：{s}", "a": "A：{s}", "b": "B：{s}",
        "is": "m = {m}，ℓ = {l}",
        "begin": "还没有读：m = −∞，ℓ = 0。",
        "moves": "最大值从 {a} 变成 {b}，之前累加的和要乘上 {f}。",
        "first": "第一个有限的分数就是最大值，ℓ 记 1。",
        "stays": "最大值不变，旧的和也不变。",
        "nothing": "分数 −∞ 的权重是 0，什么也不改变。",
        "swapped": "反过来，把 A 并进 B：{back}。",
        "empty": "{h} 里没有有限的分数，它的状态 (−∞, 0) 是单位元："
        "合并的结果就是另一半。",
        "overflow": "朴素 softmax 失效：eˣ 或它们的和超过 1.8 · 10³⁰⁸，成了 ∞；"
        "∞/∞ 是 NaN。",
        "zero": "朴素 softmax 失效：每个 eˣ 都舍入成 0，0/0 是 NaN。",
        "none": "全是 −∞，没有权重可给：在线 softmax 给 0，朴素 softmax 得 0/0。",
    },
}
MATHS = {"x": "<i>x</i>", "m": "<i>m</i>", "l": "<i>ℓ</i>", "e": "<i>e<sup>x</sup></i>"}
MATHS["f"] = "<i>e<sup>m − m′</sup></i>"
MATHS["fs"] = ", ".join(f"<i>e<sup>m<sub>{x}</sub> − m</sup></i>" for x in "AB")


def cells(pairs, spans=()):
    """The texts of some quantities as cells; spans may make them wider."""
    wide = [f' colspan="{n}"' if n > 1 else "" for n in spans] or [""] * len(pairs)
    return "".join(f"<td{w}>{x}</td>" for w, x in zip(wide, pairs, strict=True))


def table(rows, say):
    """[(name of the row, its cells)] as a table; the first row is the scores."""
    made = [
        f'<tr><th scope="row">{say[name].format(**MATHS)}</th>{made}</tr>'
        for name, made in rows
    ]
    lines = "\n".join(made)
    return f'<div class="tw-scroll"><table class="tw-row">\n{lines}\n</table></div>'


def state(join, say):
    """A state in words: m = −1, ℓ = 2."""
    return say["is"].format(join["m"][1], join["l"][1], **MATHS)


def texts(pairs):
    """The texts of quantities."""
    return [text for _, text in pairs]


def draw(scores, cut, lang):
    """The table of a row, read one by one, or cut after some scores and merged."""
    say, asked = SAY[lang], {"scores": scores, "unit": "2"}
    made = strip.steps(asked) if cut is None else strip.cuts(asked)
    n, joins = len(made["scores"]), made["joins"]
    if cut is None:
        middle = [
            ("max", cells(texts(j["m"] for j in joins))),
            ("factor", cells(texts(j["a"]["factor"] for j in joins))),
            ("sum", cells(texts(j["l"] for j in joins))),
        ]
    else:
        join, spans = joins[cut], (cut, n - cut)
        halves = [WORDS[lang][h].format(s=state(join[h], say)) for h in "ab"]
        middle = [
            ("halves", cells(halves, spans)),
            ("factors", cells(texts(join[h]["factor"] for h in "ab"), spans)),
            ("both", cells([state(join, say)], [n])),
        ]
    rows = [("score", cells(texts(made["scores"]))), *middle]
    for name, pairs in (
        ("online", made["online"]),
        ("exp", made["naive"]["exps"]),
        ("naive", made["naive"]["weights"]),
    ):
        rows.append((name, cells(texts(pairs))))
    made["words"] = WORDS[lang]
    data = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    script = f'<script type="application/json">{data}</script>'
    return f"{table(rows, say)}\n{script}"
