"""MkDocs hook: the Python that runs in the page, and the listings that it can run.

The build puts MicroPython, from npm, and the files of floor 0, `tilewise.live` and the
exercises into assets, once for all languages, and marks each listing that they can run
(`tw-run`). Nothing of it is loaded before a reader asks for it: see
docs/assets/js/runtime.js.
"""

import ast
import html
import json
import re
from functools import cache
from pathlib import Path

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "src/tilewise"
PACKAGE = "node_modules/@micropython/micropython-webassembly-pyscript"
MICROPYTHON = ROOT / "scripts/website/npm" / PACKAGE
# .js: some servers do not know what .mjs is
COPIED = {"micropython.js": "micropython.mjs", "micropython.wasm": "micropython.wasm"}
EXAMPLES = ROOT / "docs/generated/live"  # what widgets show before anything is asked
LISTING = re.compile(r'<div class="language-python highlight"(.*?</pre></div>)', re.S)
FLOOR_0 = {"math", "fractions"}
RUNS = {*FLOOR_0, "functools", "itertools"}
ROW = "[math.log(2) * x for x in (0, 1, 2, 1)]"  # row 3 of the running example's S
NAMES = ("naive", "safe", "online")
TRY = {f"{name}_softmax": f"print({name}_softmax({ROW}))" for name in NAMES}
TRY["merge"] = "print(merge((math.log(2), 1.5), (math.log(4), 1.5)))"
ROWS = "[[1, 0], [0, 1], [0, 2], [-1, 1]], [[0, 9], [9, 9], [-9, 0], [9, 0]]"  # K, V
TRY["attention_row"] = f"print(attention_row([0, 1], {ROWS}, scale=math.log(2)))"
TRY["SCALE"] = "print([[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q])"


def imports(tree):
    """Every module that the code imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = node.module == "tilewise"
            names = (f".{alias.name}" if inside else "" for alias in node.names)
            yield from (node.module + name for name in names)


@cache
def plain():
    """{module: path} of floor 0: what imports only FLOOR_0 and itself."""
    paths = [*SOURCE.glob("[!_]*.py")]
    for package in SOURCE.glob("*/__init__.py"):
        if '"""Floor 0: ' in package.read_text("utf-8"):
            paths += package.parent.glob("*.py")
    names = {
        p: ".".join(p.relative_to(SOURCE.parent).with_suffix("").parts) for p in paths
    }
    modules = {name.removesuffix(".__init__"): path for path, name in names.items()}
    needs = {n: {*imports(ast.parse(p.read_text("utf-8")))} for n, p in modules.items()}
    while beyond := {n for n in needs if not needs[n] <= {*FLOOR_0, *needs}}:
        needs = {n: wanted for n, wanted in needs.items() if n not in beyond}
    apart = ("tilewise.live", "tilewise.exercises")
    return {n: modules[n] for n in sorted(needs) if not n.startswith(apart)}


def python_files():
    """{path: source} of what the page's Python finds, without the pages' own marks."""
    paths = [*plain().values()]
    for package in ("live", "exercises"):
        paths += sorted((SOURCE / package).glob("*.py"))
    texts = {f"tilewise/{p.relative_to(SOURCE).as_posix()}": p for p in paths}
    texts |= {path.name: path for path in (SOURCE / "live/library").glob("*.py")}
    mark = re.compile(r"^ *# --8<-- .*\n", re.M)
    made = {"tilewise/__init__.py": ""}
    return made | {k: mark.sub("", p.read_text("utf-8")) for k, p in texts.items()}


def line_to_try(code):
    """A line for the end of a listing that prints nothing, by what it defines."""
    names = re.findall(r"^(?:def )?(\w+)(?:\(| = )", code, re.M)
    return next((TRY[name] for name in reversed(names) if name in TRY), "")


def runs(code):
    """Whether the page has all that the code imports, and it can show a result."""
    known = (RUNS | {*plain()}).issuperset(imports(ast.parse(code)))
    return known and ("print(" in code or bool(line_to_try(code)))


def marked(match):
    """A listing's HTML, with what the page's script looks for."""
    code = html.unescape(re.sub(r"<[^>]*>", "", "<" + match[1]))
    if not runs(code):
        return match[0]
    line = "" if "print(" in code else html.escape(line_to_try(code))
    to_try = f' data-try="{line}"' if line else ""
    return f'<div class="language-python highlight tw-run"{to_try}{match[1]}'


def on_files(files, config):
    if config.extra["to_root"]:  # pages below /zh/ take them from the site's root
        return
    made = {"assets/python.json": json.dumps(python_files(), ensure_ascii=False)}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    copied = {f"micropython/{a}": MICROPYTHON / b for a, b in COPIED.items()}
    copied |= {f"live/{path.name}": path for path in sorted(EXAMPLES.glob("*.json"))}
    for name, path in copied.items():
        name = f"assets/{name}"
        files.append(File.generated(config, name, abs_src_path=str(path)))


@event_priority(-60)  # after notebooks have become pages
def on_page_content(content, page, config, files):
    return LISTING.sub(marked, content)
