"""Tiles that masks of several intervals leave full, cut or skip."""

from draw.figures.flash_attention.mask_kinds import SAY, drawn

from tilewise.examples.variants_masks import MASKS

WORDS = {
    "en": {
        "first": "window, first 4 keys", "global": "local and global",
        "prefix": "prefix of 24, causal", "listed": "a list of tiles",
    },
    "zh": {
        "first": "窗口加前 4 个键", "global": "局部加全局",
        "prefix": "前缀 24，其余因果", "listed": "分块列表",
    },
}


def draw(lang):
    """The figure in English or Chinese."""
    return drawn(MASKS, SAY[lang] | WORDS[lang]).replace("mk-", "uk-")
