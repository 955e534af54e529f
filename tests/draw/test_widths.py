"""Every drawing has room for its texts in the widest of the usual fonts."""

import xml.etree.ElementTree as ET

import pytest

from ._widths import boxes, outside, overlapping
from .test_figures import PAGES, TREES, svgs

START = '<svg xmlns="http://www.w3.org/2000/svg">'
IN_MOTION = {"one_minute"}  # its stills lie on each other, one is seen at a time


@PAGES
def test_texts_lie_inside_and_apart(name, lang):
    for drawing in svgs(TREES[name, lang]):
        width, height = map(float, drawing.get("viewBox").split()[2:])
        assert outside(drawing, width, height) == []
        assert name in IN_MOTION or overlapping(drawing) == []


def drawn(*texts):
    root = "".join(texts).join((START, "</svg>"))
    return ET.fromstring(root)


def test_a_text_is_as_wide_as_its_letters():
    """16k takes 24.1 units of DejaVu Sans at 13, and less than 22 of Arial."""
    (box,) = boxes(drawn('<text x="90" y="20" class="tw-small">16k</text>'))
    assert abs(box.right - box.left - 24.1) < 0.1


@pytest.mark.parametrize(
    "anchor, x, leaves", [("start", 80, 1), ("end", 80, 0), ("middle", 89, 1)]
)
def test_what_leaves_a_drawing_is_seen(anchor, x, leaves):
    text = f'<text x="{x}" y="20" text-anchor="{anchor}" class="tw-small">16k</text>'
    assert len(outside(drawn(text), 100, 40)) == leaves


def test_what_lies_on_another_text_is_seen():
    one, other = (f'<text x="{x}" y="20">seen</text>' for x in (10, 30))
    assert overlapping(drawn(one, other)) == [("seen", "seen")]
