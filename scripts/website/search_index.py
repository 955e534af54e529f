"""Give the theme's search index the text that a reader sees, in few bytes."""

import html
import json
import re
from collections import Counter

import jieba
from website import typed

SEPARATOR = (
    r"[\s<>\-、。，．？！；：（）“”《》]"  # of words, as the search reads the index
)
NO_WIDTH = re.compile(f"(?<={SEPARATOR})\u200b|\u200b(?={SEPARATOR})")
WORDS = re.compile(r"[\s\u200b\-、。，．？！；：（）“”《》,.;:()\"']+")
ROOM, RARE = {"zh": 274, "en": 800}, 3  # characters of a section; sections with a word
INLINE = re.compile(r"</?(?:a|b|code|em|i|small|span|strong)\b[^>]*>")
RAISED = re.compile(r"<(sub|sup)>([^<]*)</\1>")
TAG = re.compile(r"</?[a-z][^>]*>")
TEX = re.compile(r"\\\((.*?)\\\)", re.S)
# of a text, what is only there to be found is behind this; it is never shown
REST = "\n"

# What the theme's search reads, {as it stands: as it should be}.
MENDED = {
    # lunr compares the nodes of its trie by a text that joins the characters and the
    # numbers of their children. Without a mark between them "1" → 23, "4" → 5 reads
    # like "1" → 2345, two nodes become one, and a search that then meets words which
    # exist nowhere ends with an error.
    "e=e+s+o.id}": 'e=e+s+o.id+"."}',
    # Chinese and Latin are often typed without a space: 在线softmax, HBM带宽, FA3. And
    # nearly every page is about FlashAttention, so its name says little beside others.
    r"""if(e=e.replace(new RegExp("\\p{sc=Han}+","gu"),"""
    r"""s=>[...fe(s,this.index.invertedIndex)].join("* "))""": (
        r"""if(e=e.replace(/\bfa([1-4])\b/gi,"flashattention $1")"""
        r""".replace(FLASH,(m,at,all)=>"""
        r"""/[^\s\d]/.test(all.replace(FLASH,""))?" ":" flashattention ")"""
        r""".replace(new RegExp("\\p{sc=Han}+","gu"),"""
        r"""s=>` ${[...fe(s,this.index.invertedIndex)].join(" ")} `)"""
    ).replace("FLASH", r"/flash[\s_-]?attention(?![_a-z])[\s-]*/gi"),
    # The theme forgets the last character when it looks for words in Chinese.
    "for(let o=s+1;o<t.length;o++)t.slice(s,o)in e&&": (
        "for(let o=s+1;o<=t.length;o++)t.slice(s,o)in e&&"
    ),
    "n[a]&&a<t.length-1&&": "n[a]&&a<t.length&&",
    # A word stands for all that begin like it or like its stem; a number, or a word
    # too frequent for the index, for itself.
    r"(^[+-]|[~^]\d+$)/.test(r)?r:`${r}*`).join": (
        r"(^[+-]|[~^]\d+$|^\d+$)/.test(r)||!lunr.stopWordFilter(r)?r:[...new Set([r,"
        r"lunr.stemmer(new lunr.Token(r)).toString()])].map(x=>`${x}*`)"
        r""".join(" ")).join"""
    ),
    # A page comes before the glossary and all else where its title is what was typed.
    "search(e){if(e=e.replace(": (
        r"""search(e){const bare=x=>x.replace(/[\s\u200b]/g,"").toLowerCase(),"""
        "typed=bare(e);if(e=e.replace("
    ),
    "score:a*(1+K(g,2))": (
        "score:(!c.parent&&bare(this.map.get(o).title)===typed?4:1)*a*(1+K(g,2))"
    ),
    # What is shown of a hit has the words that were found: it begins shortly before
    # the first of them, or is the page's description where its text has none.
    # Of both it is the part before REST; of what is behind it, the word that was found
    # comes first if it is the only one. Equations get their tags.
    """c[l]=v(c[l],x,m,l!=="text")}let g=""": (
        r"""c[l]=v(c[l],x,m,1)}const[text,rest]=c.text.split("\n"),"""
        r"""[about,more]=(c.words||"").split("\n"),first=x=>x.indexOf("<mark>"),"""
        r"""word=/\S*<mark>.*?<\/mark>\S*/.exec(`${more} ${rest}`);"""
        "c.text=first(text)>=0?text:first(about)>=0?about:"
        "word?`${word[0]} … ${text}`:text;"
        "const at=first(c.text);if(at>70){"
        "const back=c.text.slice(at-70,at),"
        r"""said=/(?:[.!?]\s|[。！？])((?:(?![.!?]\s|[。！？]).)*)$/.exec(back);"""
        r"""c.text="… "+(said?c.text.slice(at-said[1].length):"""
        r"""c.text.slice(at-50).replace(/^[^ \u200b]*[ \u200b]/,""))}"""
        r"""c.text=c.text.replace(/([_^])\{([^{}]*)\}/g,(m,mark,x)=>"""
        r"""mark<"_"?`<sup>${x}</sup>`:`<sub>${x}</sub>`);let g="""
    ),
    # A page that is shown for a section alone leads to that section.
    "o.push(B(_({},a),{score:0,terms:{}}))": (
        "o.push(B(_({},a),{score:0,terms:o[0].terms,at:o[0].location}))"
    ),
}
# And what the theme's page makes of a hit.
SHOWN = {"s=new URL(e.location,i.base);V(": "s=new URL(e.at||e.location,i.base);V("}
# How much a word counts: in a page's title, in its other names, in its text.
FIELDS = {"title": 20, "words": 20, "text": 1, "tags": 1}  # the theme asks for tags
# How much a section counts, by the first pattern that its address fits.
COUNTS = {
    r"#tilewise": 0.05,  # the signatures of functions
    r"references\.html": 0.3,
    r"#check$": 0.3,
    r"exercises\.html#": 0.5,
    r"glossary\.html#": 8,
    r"^index\.html$": 0.5,
    r"^[^#]*$": 2,  # a whole page
    r"": 1,
}
REPEATED = "#sources", "#remember"  # said again: on the references page, on the page
OF_PAGE = re.compile(r'<meta name="(?:description|keywords)" content="([^"]*)"')
HAN = re.compile("[\u4e00-\u9fff]+")


def plain(text):
    """The words of a section, without tags, and its equations without TeX."""
    text = TEX.sub(lambda match: typed.read(match[1]), text)
    text = RAISED.sub(
        lambda x: typed.raised("_^"[x[1] == "sup"], x[2], False), INLINE.sub("", text)
    )
    return re.sub(r"[^\S\xa0]+", " ", TAG.sub(" ", text)).strip()


def words(text):
    """The words of a text, as the search takes them apart."""
    return [word for word in WORDS.split(text.lower()) if word]


def digests(texts, room):
    """Each text up to a number of characters, then only the rare words of its rest.

    A word that more than RARE sections have would hardly bring a reader to this one
    by its end alone.
    """
    sections = Counter(word for text in texts for word in {*words(text)})
    for text in texts:
        cut = max(text.rfind(space, 0, room) for space in " \u200b")
        if len(text) <= room or cut < 0:
            yield text
            continue
        known = {*words(text[:cut])}
        rest = dict.fromkeys(words(text[cut:]))
        rare = [x for x in rest if x not in known and sections[x] <= RARE]
        rare = [x for x in rare if not {*x} & {*"{}"}]
        yield text[:cut] + "…" + REST + " ".join(rare)


def mend(site):
    """Mend the theme's search where readers would miss what they look for.

    Raises ValueError if a version of the theme has other code there.
    """
    scripts = {"workers/search.*.js": MENDED, "bundle.*.js": SHOWN}
    for name, mended in scripts.items():
        for script in site.glob(f"**/assets/javascripts/{name}"):
            text = script.read_text("utf-8")
            for theirs, ours in mended.items():
                if theirs not in text and ours not in text:
                    raise ValueError(f"{script.name} does not hold {theirs}")
                text = text.replace(theirs, ours)
            script.write_text(text, "utf-8")


def names(page):
    """What a page is about in the words that readers type, each Chinese word by itself.

    They are the page's description and, behind REST, its keywords.
    """
    text = html.unescape(REST.join(OF_PAGE.findall(page.read_text("utf-8"))))
    return HAN.sub(lambda x: "\u200b".join(["", *jieba.cut(x[0]), ""]), text)


def shorten(folder):
    """Rewrite the index in a folder of the site, if the theme has written one.

    A page gets a field with its other names, and each section its weight. A function
    is looked for by its name, so its title loses the arguments. The theme puts a space
    of no width on both sides of every Chinese word; beside a separator it says nothing.
    Long sections are kept as digests, and what a page only repeats is left out.
    """
    path = folder / "search/search_index.json"
    if not path.exists():  # Zensical has an index of its own
        return
    index = json.loads(path.read_text("utf-8"))
    index["docs"] = [x for x in index["docs"] if not x["location"].endswith(REPEATED)]
    language = "zh" if "zh" in index["config"]["lang"] else "en"
    for entry in index["docs"]:
        if "#tilewise" in entry["location"]:
            entry["title"] = re.sub(r"\(.*\)", "", entry["title"], flags=re.S)
    texts = [NO_WIDTH.sub("", plain(entry["text"])) for entry in index["docs"]]
    for entry, text in zip(index["docs"], digests(texts, ROOM[language]), strict=True):
        entry["text"] = text
        address = entry["location"]
        entry["boost"] = next(x for at, x in COUNTS.items() if re.search(at, address))
        if "#" not in address:
            entry["words"] = names(folder / address)
    index["config"]["fields"] = {field: {"boost": x} for field, x in FIELDS.items()}
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    text = NO_WIDTH.sub("", text).replace("’", "'")  # as readers type it
    path.write_text(text, "utf-8")
    path.with_suffix(".js").write_text(f"var __index = {text}", "utf-8")
