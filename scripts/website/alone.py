"""Below each listing: what it needs, and the same program without the package.

A program that stays below 450 lines without its imports from tilewise is offered as a
file in assets/alone. Elsewhere the file for other projects is named that has the same
function, and otherwise nothing but what the listing needs is said.
"""

import html
import re

from tilewise import alone

LISTING = re.compile(
    r'(<div class="language-python highlight[^"]*"[^>]*>.*?</pre>)</div>', re.S
)
AFTER = re.compile(  # a line between a listing and its output goes below both
    r'(<p class="tw-needs">[^\n]*</p>)</div>'
    r'(\s*<div class="[^"]*\boutput\b[^"]*"[^>]*>.*?</pre></div>)',
    re.S,
)
OURS = re.compile(r"^ *(?:from|import) tilewise\b", re.M)
KERNELS = re.compile(r"^ *(?:import|from) .*\b(?:triton|kernels)\b", re.M)
NAMED = {  # in a listing: the file that has it
    re.compile(r"\bkernels\b"): "flash_attention_triton.py",
    re.compile(r"tilewise\.flash_attention\("): "flash_attention_torch.py",
}
SAID = {
    "en": {
        "offered": "Without the package: {file} ({lines} lines).",
        "named": "This needs the package; {file} has the same function in one file.",
        "package": "This needs the package.",
        "kernels": "Without a GPU, it takes <code>TRITON_INTERPRET=1</code> and NumPy.",
    },
    "zh": {
        "offered": "单文件版，无需本书的包：{file}（{lines} 行）。",
        "named": "这段代码需要本书的包；不想安装的话，单文件版 {file} 里有同样的函数。",
        "package": "这段代码需要本书的包。",
        "kernels": "没有 GPU 时，需要 <code>TRITON_INTERPRET=1</code> 和 NumPy。",
    },
}


def code_of(block):
    """The program in a listing's HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", block)).strip("\n") + "\n"


def added(texts, language, site):
    """The pages of a language with the lines, and {path below its folder: program}."""
    files = {}
    pages = {path: page(path, texts[path], language, site, files) for path in texts}
    return pages, files


def page(path, text, language, site, files):
    """A page with a line below each listing that needs something; adds to files."""
    up = "../" * (len(path.relative_to(site).parts) - 1)
    offered = []

    def link(name):
        return f'<a href="{up}assets/alone/{name}" download><code>{name}</code></a>'

    def line(match):
        code, words, parts = code_of(match[1]), SAID[language], []
        if OURS.search(code):
            made = alone.listing(code, path.stem)
            named = [file for what, file in NAMED.items() if what.search(code)]
            if made:
                offered.append(name := f"{path.stem}-{len(offered) + 1}.py")
                files[f"assets/alone/{name}"] = made
                about = {"file": link(name), "lines": len(made.splitlines())}
                said = words["offered"].format(**about)
            elif named:
                said = words["named"].format(file=link(named[0]))
            else:
                said = words["package"]
            parts.append(said)
        if KERNELS.search(code) and "triton.compile" not in code:
            parts.append(words["kernels"])
        joined = ("" if language == "zh" else " ").join(parts)
        below = f'<p class="tw-needs">{joined}</p>' if parts else ""
        return f"{match[1]}{below}</div>"

    return AFTER.sub(r"</div>\2\1", LISTING.sub(line, text))
