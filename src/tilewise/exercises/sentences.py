"""What a fault of `grading` is in words, in both languages.

A sentence comes in parts, text and code in turn, so that a page can set the code apart
and the command line can join them.
"""

SENTENCES = {
    "en": {
        "none": "{call} gives nothing back. Is there a return?",
        "type": "{call} gives {got}{place}, where {expected} is expected.",
        "length": "{call} gives {got}{place}: its length is not that of {expected}.",
        "nan": "{call} gives NaN{place}, where {expected} is expected.",
        "number": "{call} gives {got}{place}, where {expected} is expected.",
        "changed": "{call} changed what it was given. Make new lists.",
        "raised": "{call} raised {message}{row}.",
        "broken": "Your code stopped with {message}{row}.",
        "missing": "Your code has no function {name}.",
        "place": " at {at}",
        "row": " in line {line}",
    },
    "zh": {
        "none": "{call} 什么也没有返回。是不是少了 return？",
        "type": "{call}{place} 得到 {got}，应为 {expected}。",
        "length": "{call}{place} 得到 {got}，长度和 {expected} 不同。",
        "nan": "{call}{place} 得到 NaN，应为 {expected}。",
        "number": "{call}{place} 得到 {got}，应为 {expected}。",
        "changed": "{call} 改动了传给它的参数。请另建列表。",
        "raised": "{call} 抛出 {message}{row}。",
        "broken": "代码出错：{message}{row}。",
        "missing": "代码里没有函数 {name}。",
        "place": " 在 {at} 处",
        "row": "（第 {line} 行）",
    },
}


def parts(fault, lang):
    """[text, code, text, …]: the sentence for a fault, every second part being code."""
    words = SENTENCES[lang]
    kind = fault["kind"]
    text = words["broken" if kind == "raised" and "call" not in fault else kind]
    if fault.get("at"):  # no space between 处 and 得到
        text = text.replace("{place} ", words["place"])
        text = text.replace("{place}", words["place"])
    text = text.replace("{place}", "")
    text = text.replace("{row}", words["row"] if fault.get("line") else "")
    pieces = []
    for part in text.split("{"):
        name, closed, rest = part.partition("}")
        pieces = pieces + [str(fault[name]), rest] if closed else pieces + [part]
    return pieces
