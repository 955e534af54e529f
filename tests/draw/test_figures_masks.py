"""The figures of masks: what they draw, against the library and brute force."""

import pytest
import torch

from tilewise.masks import causal, tile_mask

from .test_figures import LANGS, MODULES, SVG, TREES, css, texts


@pytest.mark.parametrize("lang", LANGS)
def test_causal_alignment_draws_the_two_conventions(lang):
    module, tree = MODULES["causal_alignment"], TREES["causal_alignment", lang]
    hidden = 0
    for n_q, n_k in module.SHAPES:
        for align in module.ALIGNS:
            mask = tile_mask(causal(n_q, n_k, align))
            expected = mask(torch.arange(n_q)[:, None], torch.arange(n_k)).tolist()
            assert module.seen(n_q, n_k, align) == expected
            hidden += sum(not x for row in expected for x in row)
    cells = [css(x)[0] for x in tree.iter(f"{SVG}rect")]
    assert cells.count("tw-slot") == texts(tree).count("−∞") == hidden
    assert cells.count("tw-s") == 4 * 8 - hidden


@pytest.mark.parametrize("lang", LANGS)
def test_mask_kinds_counts_and_draws_what_brute_force_sees(lang):
    module, tree = MODULES["mask_kinds"], TREES["mask_kinds", lang]
    names = [d for d, size in enumerate((20, 28, 16)) for _ in range(size)]
    rules = {
        "causal": lambda r, c: c <= r,
        "window": lambda r, c: r - 15 <= c <= r,
        "documents": lambda r, c: names[r] == names[c],
        "both": lambda r, c: c <= r and names[r] == names[c],
    }
    size, shown = module.SIZE, [x for x in texts(tree) if x.isdigit()]
    drawn = [
        x.get("d").count("M")
        for x in tree.iter(f"{SVG}path")
        if {*css(x)} & {"mk-full", "mk-partial"}
    ]
    assert list(rules) == list(module.MASKS)
    for n, rule in enumerate(rules.values()):
        kinds = {"full": 0, "partial": 0, "empty": 0}
        for i in range(0, module.N, size):
            for j in range(0, module.N, size):
                tile = [rule(i + r, j + c) for r in range(size) for c in range(size)]
                kinds["full" if all(tile) else "partial" if any(tile) else "empty"] += 1
        assert [int(x) for x in shown[3 * n : 3 * n + 3]] == list(kinds.values())
        assert drawn[2 * n : 2 * n + 2] == [kinds["full"], kinds["partial"]]
