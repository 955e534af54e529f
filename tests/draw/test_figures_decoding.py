"""The figures of decoding: every key is read once, pages are those of the tables."""

import re

import pytest

from tilewise.examples.paged_cache import PAGE

from .test_figures import LANGS, MODULES, SVG, TREES, css, texts


@pytest.mark.parametrize("lang", LANGS)
def test_split_kv_reads_every_tile_once_and_in_proportion(lang):
    module, tree = MODULES["split_kv"], TREES["split_kv", lang]
    bars = [
        float(x.get("width")) for x in tree.iter(f"{SVG}rect") if css(x) == ["tw-k"]
    ]
    whole, each = module.TILES, module.TILES // module.SPLITS
    many = module.HEADS * module.SPLITS
    assert [x / module.UNIT for x in bars] == [whole] * module.HEADS + [each] * many
    found = [re.search(r"(\d)\D+?(\d+)–(\d+)", x) for x in texts(tree)]
    found = [tuple(map(int, x.groups())) for x in found if x]
    for jobs in (found[: module.HEADS], found[module.HEADS :]):
        read = sorted((h, t) for h, a, b in jobs for t in range(a, b + 1))
        assert read == [(h, t) for h in range(module.HEADS) for t in range(whole)]
    idle = [x for x in tree.iter(f"{SVG}rect") if css(x) == ["tw-slot"]]
    assert len(idle) == module.SMS - module.HEADS and many == module.SMS


@pytest.mark.parametrize("lang", LANGS)
def test_paged_cache_draws_every_key_once(lang):
    module, tree = MODULES["paged_cache"], TREES["paged_cache", lang]
    own = sum(module.TOKENS.values())
    rects = [css(x)[0] for x in tree.iter(f"{SVG}rect")]
    assert rects.count("tw-k") == module.PROMPT + own
    assert rects.count("tw-k") + rects.count("tw-slot") == module.PAGES * PAGE
    seqs = module.filled()
    assert rects.count("tw-paper") == sum(len(x["pages"]) for x in seqs.values())
    shown = [x for x in texts(tree) if re.fullmatch(r"[abc](\+[abc])*", x)]
    owners = [
        "+".join(n for n in seqs if page in seqs[n]["pages"]) for page in range(8)
    ]
    assert shown == [x for x in owners if x]
