"""A listing prints in the page what it printed when the site was made."""

import json

from built import soup
from codeblocks import blocks
from pages import built, name, pages

RUN = """async (codes) => {
  const { run } = await import(new URL("/assets/js/runtime.js", location));
  const made = [];
  for (const code of codes) made.push(await run(code));
  return made;
}"""


def runnable(site):
    """{page: [its listings that have a Run button, as they are written]}."""
    found = {}
    for page in pages("en"):
        file = site / built(page)
        if "tw-run" in file.read_text("utf-8"):  # most pages have none, and are long
            made = soup(file).select(".tw-run")
            codes = [x.select_one("code").get_text() for x in made]
            outputs = {x.code.strip(): x.output for x in blocks(page)}
            found[name(page)] = [(c, outputs[c.strip()]) for c in codes]
    return found


def test_every_listing_prints_in_the_page_what_the_page_shows(visit, site):
    found = runnable(site)
    pairs = [(file, *pair) for file, both in found.items() for pair in both]
    made = visit("index.html").evaluate(RUN, [code for _, code, _ in pairs])
    assert len(pairs) > 15
    for (file, _, output), here in zip(pairs, made):
        assert here["error"] is None, file
        if output is not None:
            assert here["output"] == output, file


def test_lines_to_try_print(visit, site):
    files = [site / built(page) for page in pages("en")]
    files = [file for file in files if "data-try" in file.read_text("utf-8")]
    made = [x for file in files for x in soup(file).select("[data-try]")]
    codes = [x.select_one("code").get_text() + "\n" + x["data-try"] for x in made]
    shown = [x["output"] for x in visit("index.html").evaluate(RUN, codes)]
    ninths = [[round(9 * x) for x in json.loads(o)] for o in shown if "0.2222" in o]
    assert len(shown) == 6 and ninths == 3 * [[1, 2, 4, 2]] and all(shown)
