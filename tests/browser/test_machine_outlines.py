"""The tile machine's outlines lie over the cells that they mean, wherever these lie."""

import pytest

from ._kept import kept
from ._stepper import FORWARD, arrive, at

# of each outline: the cells within it, and how far its edges are from theirs
LIE = """(all) => all.map((one) => {
  const edges = (node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const [left, top, right, bottom] = edges(one);
  const within = [...one.closest(".tw-hbm").querySelectorAll("td")].filter((cell) => {
    const [a, b, c, d] = edges(cell);
    const [x, y] = [(a + c) / 2, (b + d) / 2];
    return left < x && x < right && top < y && y < bottom;
  });
  const far = [0, 1, 2, 3].map((n) => {
    const all = within.map((cell) => edges(cell)[n]);
    return Math.abs(edges(one)[n] - (n < 2 ? Math.min(...all) : Math.max(...all)));
  });
  return [within.map(({ place }) => place.slice(1)), Math.max(...far)];
})"""
FRAMES = (
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
)


@pytest.fixture(scope="module")
def machine(windows):
    """The machine of the forward pass."""
    with kept(windows, FORWARD, still=True) as page:
        yield arrive(page)


def outlines(page, kind):
    page.evaluate(FRAMES)
    found = page.locator(f"{kind}:not([hidden])").evaluate_all(LIE)
    assert all(far < 0.6 for _, far in found), found
    return [sorted(map(tuple, places)) for places, _ in found]


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_they_lie_over_their_cells(machine, width):
    """After a step, and after the window has another width."""
    page = machine
    page.set_viewport_size({"width": width, "height": 900})
    slider = page.get_by_role("slider", name="Position")
    slider.press("Home")
    assert outlines(page, ".tw-tile") == outlines(page, ".tw-held") == []
    slider.press("End")
    for _ in range(3):
        slider.press("ArrowLeft")
    at(page, 25)
    assert outlines(page, ".tw-tile") == [[(2, 2), (2, 3), (3, 2), (3, 3)]]
    assert len(outlines(page, ".tw-held")) == 6  # Q, K, V, O, l and m
    page.set_viewport_size({"width": 1000, "height": 900})
    assert outlines(page, ".tw-tile") == [[(2, 2), (2, 3), (3, 2), (3, 3)]]


def test_they_do_so_on_paper(machine):
    page = machine
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 640, "height": 900})
    assert outlines(page, ".tw-tile") == [[(2, 2), (2, 3), (3, 2), (3, 3)]]
    assert len(outlines(page, ".tw-held")) == 6
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
