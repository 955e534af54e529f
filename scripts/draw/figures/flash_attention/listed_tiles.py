"""Tiles that lists leave: local and global, one at random, documents, the past."""

from draw.figures.flash_attention.mask_kinds import SAY, drawn

from tilewise.examples.block_sparse_patterns import SPANS

WORDS = {
    "en": {
        "local": "local and global",
        "random": "one more at random",
        "documents": "three documents",
        "causal": "causal",
    },
    "zh": {
        "local": "局部加全局",
        "random": "每行再随机加一块",
        "documents": "三篇文档",
        "causal": "因果",
    },
}


def draw(lang):
    """The figure in English or Chinese."""
    return drawn(SPANS, SAY[lang] | WORDS[lang]).replace("mk-", "lt-")
