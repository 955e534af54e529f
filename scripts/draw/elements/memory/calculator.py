"""The calculator before anybody touches it: the tree that Python makes, as HTML."""

from html import escape

from draw.elements.memory._presets import options

from tilewise.ledger.costs import PASSES
from tilewise.live.calculator import CARDS, DEFAULT, DTYPES, FIRST, LAST, view
from tilewise.live.calculator_form import FORM
from tilewise.live.calculator_plots import PLOTS

SAY = {
    "en": "One attention layer: H100, bfloat16, batch 1, 32 heads, N = 16,384, d = 128,"
    " without a mask, forward, in the tiles of FlashAttention-3.",
    "zh": "一个注意力层：H100，bfloat16，批大小 1，32 个头，N = 16,384，d = 128，"
    "无掩码，前向，块大小取 FlashAttention-3 的。",
}

CHOICES = {
    "gpu": CARDS, "dtype": DTYPES, "pass": PASSES, "causal": ("no", "yes"),
    "tiles": ("kernels", "paper", "own"), "plot": PLOTS,
}
POWER = int(DEFAULT["n"]).bit_length() - 1
OWN = ("sram", "bandwidth", "tflops", "memory", "block_rows", "block_cols")
ORDER = ["gpu", *OWN[:4], "d", "heads", "kv_heads", "batch", "dtype", "pass"]
ORDER += ["causal", "tiles", *OWN[4:], "plot"]


def field(key, words):
    """A labelled field with what stands in it at first, and room for its message."""
    name = f"tw-calc-{key}"
    how = {"id": name, "name": key, "aria-describedby": f"{name}-wrong"}
    if key in CHOICES:
        options = []
        for x in CHOICES[key]:
            first = {"selected": ""} if x == DEFAULT[key] else {}
            options.append(["option", {"value": x} | first, words.get(x, x)])
        made = ["select", how | {"class": "tw-select"}, *options]
    else:
        how |= {"class": "tw-field", "inputmode": "decimal", "autocomplete": "off"}
        how |= {"placeholder": words["same"]} if key == "kv_heads" else {}
        made = ["input", how | {"value": DEFAULT[key]}]
    wrong = {"id": f"{name}-wrong", "class": "tw-problem", "role": "status"}
    hidden = {"hidden": ""} if key in OWN else {}
    return ["div", hidden, ["label", {"for": name}, words[key]], made, ["p", wrong]]


def preset(key, words):
    """A list of examples, each of which fills some fields."""
    name = f"tw-calc-{key}"
    filled = [["option", {"value": value}, text] for text, value in options()[key]]
    box = ["select", {"id": name, "class": "tw-select"}]
    first = ["option", {"value": ""}, words["typed"]]
    return ["div", {}, ["label", {"for": name}, words[key]], [*box, first, *filled]]


def length(words):
    """N in a field, and beside it a slider, which writes the field in powers of two."""
    _, _, *parts = field("n", words)
    how = {"type": "range", "min": FIRST, "max": LAST, "value": POWER}
    how["aria-label"] = words["slide"]
    return ["div", {"class": "tw-slide"}, *parts, ["input", how]]


def form(words):
    """The fields: hidden where no script runs, without effect until it has come."""
    about = {"class": "tw-form", "role": "group", "aria-label": words["form"]}
    reset = ["button", {"type": "button", "class": "tw-button"}, words["reset"]]
    fields = [field(key, words) for key in ORDER]
    lists = [preset(key, words) for key in ("model", "card")]
    first = [length(words), *lists]
    return ["div", about | {"inert": ""}, *first, *fields, ["div", {}, reset]]


def html(node):
    """[tag, attributes, child, …] as HTML, a string as text."""
    if isinstance(node, str):
        return escape(node)
    tag, attributes, *children = node
    more = "".join(f' {key}="{escape(str(x))}"' for key, x in attributes.items())
    inner = "".join(map(html, children))
    if tag == "input":
        return f"<{tag}{more}>"
    line = "\n" if tag in ("tr", "svg", "path", "details", "div", "text") else ""
    return f"{line}<{tag}{more}>{inner}</{tag}>"


def draw(lang):
    """What the form stands for, the answer, and all that is below it."""
    made = view({"lang": lang})
    first = f'<p class="tw-note tw-state">{SAY[lang]}</p>'
    said = f'<p class="tw-said">{escape(made["said"])}</p>'
    fields = html(form(FORM[lang])).strip()
    return f"{first}\n{fields}\n{said}\n{html(made['tree']).strip()}"
