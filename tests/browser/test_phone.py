"""On a phone's screen equations and the tables that became rows fit its width."""

import pytest

PAGES = (
    "gpu/backward-kernels",
    "gpu/use-it",
    "memory/calculator",
    "memory/many-gpus",
    "pitfalls/numerics",
    "pitfalls/wrong-but-plausible",
    "why/gpu-memory",
)
WIDER = """() => {
  document.querySelectorAll("article details").forEach((one) => { one.open = true; });
  const rows = ".md-typeset__table:has(.tw-above, .tw-below)";
  const all = [...document.querySelectorAll(`article :is(div.arithmatex, ${rows})`)];
  const wide = all.filter((one) => one.scrollWidth > one.clientWidth + 1);
  return [all.length, wide.map((one) => one.textContent.trim().slice(0, 80))];
}"""


@pytest.mark.parametrize("language", ["", "zh/"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_at_the_edge(visit, language, name):
    page = visit(f"{language}{name}.html", javascript=False, width=390)
    count, wide = page.evaluate(WIDER)
    assert count and wide == []
