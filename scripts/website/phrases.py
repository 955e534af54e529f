"""Where a Chinese heading may end a line: between words, and not before 的.

A browser breaks Chinese after any character. The style sheet asks it to break at
<wbr> instead, and this module puts one between the words of headings that are longer
than a line of a phone. Elsewhere it would be weight for nothing.
"""

import re

import jieba

HEAD = re.compile(r"<h([1-3])\b[^>]*>(.*?)</h\1>", re.S)
LINE = {"1": 10, "2": 13, "3": 17}  # characters on a phone of 360 px
TAG = re.compile(r"<(\w+)\b[^>]*class=\"(?:headerlink|arithmatex)\".*|<[^>]+>", re.S)
HAN = re.compile(r"[\u4e00-\u9fff]{2,}(?=[^<>]*<)")  # in text, not in an attribute
WHOLE = """屋顶线 前向传播 前向 反向传播 内核 掩码 部分块 空块 键块 查询块 块稀疏 预填充
累加和 累计和 潜向量 一级一级 导入失败""".split()  # jieba cuts these
PART = re.compile(f"({'|'.join(WHOLE)})")
KEPT = re.compile(r"(?:第 \d(?:、\d)*(?: [个步种行级列])?|warp 特化)(?=[^<>]*<)")
BEFORE = set("与和在从把按对第不一每各用以向由为给让只再先归")  # begins a phrase


def phrases(text):
    """The words of a Chinese text, with those joined that no line should part."""
    parts = [[x] if x in WHOLE else jieba.cut(x) for x in PART.split(text)]
    made = []
    for word in (word for part in parts for word in part):
        ends = len(word) == 1 and word not in BEFORE  # 的, 了, 块, …
        if made and (ends or made[-1] in BEFORE or len(made[-1]) == 1):
            made[-1] += word
        else:
            made.append(word)
    return made


def length(inside):
    """About how many Chinese characters wide a heading is."""
    text = TAG.sub("", inside)
    return sum(1 if x > "\u2e80" else 0.55 for x in text)


def broken(head):
    """A heading, a match of HEAD, with a place to break between its phrases."""
    if "<wbr>" in head[0] or length(head[2]) <= LINE[head[1]]:
        return head[0]
    parted = HAN.sub(lambda text: "<wbr>".join(phrases(text[0])), head[0])
    return KEPT.sub(r'<span class="tw-keep">\g<0></span>', parted)


def marked(page, language):
    """A page whose long headings break between words, if it is Chinese."""
    return HEAD.sub(broken, page) if language == "zh" else page
