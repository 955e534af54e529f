"""The calculator before anybody touches it: the tree that Python makes, as HTML."""

from html import escape

from tilewise.live.calculator import view

SAY = {
    "en": "One attention layer: H100, bfloat16, batch 1, 32 heads, N = 16,384, d = 128,"
    " without a mask, forward, in the tiles of FlashAttention-3.",
    "zh": "一个注意力层：H100，bfloat16，批大小 1，32 个头，N = 16,384，d = 128，"
    "无掩码，前向，块大小取 FlashAttention-3 的。",
}


def html(node):
    """[tag, attributes, child, …] as HTML, a string as text."""
    if isinstance(node, str):
        return escape(node)
    tag, attributes, *children = node
    more = "".join(f' {key}="{escape(str(x))}"' for key, x in attributes.items())
    inner = "".join(map(html, children))
    line = "\n" if tag in ("tr", "svg", "path", "details", "div", "text") else ""
    return f"{line}<{tag}{more}>{inner}</{tag}>"


def draw(lang):
    """What the form stands for, the answer, and all that is below it."""
    made = view({"lang": lang})
    first = f'<p class="tw-note tw-state">{SAY[lang]}</p>'
    said = f'<p class="tw-said">{escape(made["said"])}</p>'
    return f"{first}\n{said}\n{html(made['tree']).strip()}"
