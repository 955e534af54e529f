"""Three sequences, their block tables, and the pages of one cache that they share."""

from draw.figures import _svg as s

from tilewise.examples import paged_cache

PROMPT, TOKENS, PAGES = 12, {"a": 2, "b": 5, "c": 1}, 8
LEFT, WIDE, HIGH, PITCH, TOP, HBM = 118, 38, 24, 38, 34, 196
SAY = {
    "en": {
        "label": "Block tables of three sequences over one cache of {pages} pages."
        " {rows}. Pages {shared} hold the prompt, which all of them share.",
        "row": "Sequence {name} has {n} tokens in pages {pages}",
        "name": "{name}: {n} tokens", "tables": "block tables",
        "same": "shared prompt", "sep": ", ", "stop": "; ",
        "cache": "the cache: pages of {size} keys and values, in any order",
        "free": "free",
    },
    "zh": {
        "label": "三个序列的页表，指向同一个有 {pages} 页的缓存。{rows}。"
        "第 {shared} 页存放三者共用的提示词。",
        "row": "序列 {name} 有 {n} 个 token，存放在第 {pages} 页",
        "name": "{name}：{n} 个 token", "tables": "页表",
        "same": "共用的提示词", "sep": "、", "stop": "；",
        "cache": "缓存：每页 {size} 个键和值，次序任意",
        "free": "空闲",
    },
}


def listed(numbers, say):
    """Page numbers one after the other."""
    return say["sep"].join(map(str, numbers))


def filled():
    """{name: sequence} as the page's program makes them."""
    cache, prefix = paged_cache.empty_cache(PAGES), {"pages": [], "length": 0}
    blank = paged_cache.torch.zeros(PROMPT, paged_cache.KV_HEADS, paged_cache.D)
    paged_cache.append(cache, prefix, blank, blank)
    seqs = {name: paged_cache.fork(cache, prefix) for name in TOKENS}
    for name, count in TOKENS.items():
        paged_cache.append(cache, seqs[name], blank[:count], blank[:count])
    return seqs


def tables(seqs, say):
    """A row for each sequence: one cell with the page's number for each page."""
    wide, high = WIDE * PROMPT // paged_cache.PAGE, PITCH * len(seqs) - 4
    made = [s.text(2, TOP - 14, say["tables"], "tw-strong")]
    made.append(s.rect(LEFT - 5, TOP - 5, wide + 10, high, "tw-latent", 'rx="4"'))
    made.append(s.middle(LEFT + wide / 2, TOP - 14, say["same"], "tw-small tw-muted"))
    for r, (name, seq) in enumerate(seqs.items()):
        y = TOP + PITCH * r
        words = say["name"].format(name=name, n=seq["length"])
        made.append(s.text(2, y + 17, words, "tw-small"))
        for c, page in enumerate(seq["pages"]):
            x = LEFT + WIDE * c
            made.append(s.rect(x, y, WIDE, HIGH, "tw-paper"))
            made.append(s.middle(x + WIDE / 2, y + 17, str(page)))
    return made


def pages(seqs, say):
    """The pages in memory with their keys; a free one is empty."""
    size = paged_cache.PAGE
    made = [s.rect(1, HBM - 32, 398, 96, "tw-hbm", 'rx="5"')]
    made.append(s.text(8, HBM - 14, say["cache"].format(size=size), "tw-small"))
    step = 392 / PAGES
    for page in range(PAGES):
        x, owners = 6 + step * page, [n for n in seqs if page in seqs[n]["pages"]]
        fill = size
        for name in owners[:1]:
            at = seqs[name]["pages"].index(page)
            fill = min(size, seqs[name]["length"] - at * size)
        for row in range(size):
            kind = "tw-k" if owners and row < fill else "tw-slot"
            made.append(s.rect(x + 10 * row, HBM, 10, HIGH, kind))
        made.append(s.middle(x + 20, HBM + 38, str(page)))
        words = "+".join(owners) or say["free"]
        made.append(s.middle(x + 20, HBM + 54, words, "tw-small tw-muted"))
    return made


def draw(lang):
    """The figure in English or Chinese."""
    say, seqs = SAY[lang], filled()
    shared = [p for p in range(PAGES) if all(p in x["pages"] for x in seqs.values())]
    rows = [
        say["row"].format(name=name, n=x["length"], pages=listed(x["pages"], say))
        for name, x in seqs.items()
    ]
    facts = {"pages": PAGES, "rows": say["stop"].join(rows)}
    label = say["label"].format(**facts, shared=listed(shared, say))
    return s.svg(400, HBM + 68, label, *tables(seqs, say), *pages(seqs, say))
