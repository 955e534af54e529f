"""The tile stepper on a reader's own numbers, from fields and from the address."""

import json
import math
import random
from urllib.parse import quote

from tilewise import worked_example
from tilewise.live import stepper

from ._stepper import at, meet, own, settle

HOSTILE = ["", "text", "1e308", "NaN", "1 " * 10000, "<script>alert(1)</script>"]


def test_own_numbers_and_the_address(visit, axe):
    page = meet(visit, "forward")
    own(page)
    page.get_by_label("Q", exact=True).fill("1 2\n3 4\n5 6")
    page.get_by_label("Scale").fill("1/√d")
    page.get_by_role("button", name="Use these numbers").click()
    page.locator(".tw-hbm td", has_text="6").first.wait_for()
    page.get_by_label("Causal").select_option("top-left")
    page.get_by_label("Loop order").select_option("both")
    page.locator(".tw-two").wait_for()
    page.get_by_role("slider").fill("9")
    axe(page, "tw-stepper")
    seen = page.locator(".tw-stage").inner_text()
    page.wait_for_url("**step=9#stepper")
    address = page.url
    assert "Q=1,2;3,4;5,6" in address and address.endswith("#stepper")
    query = address.partition("?")[2].partition("#")[0]
    again = meet(visit, "forward", f"?{query}")
    at(again, 9, again.get_by_role("slider").get_attribute("max"))
    assert again.locator(".tw-stage").inner_text() == seen
    assert again.get_by_label("Q", exact=True).input_value() == "1 2\n3 4\n5 6"
    assert again.get_by_label("Causal").input_value() == "top-left"
    own(again)
    again.get_by_role("button", name="Back to the example").click()
    again.locator(".tw-two").wait_for(state="detached")
    again.wait_for_url("**/forward.html?step=9#stepper")
    for name in "QKV":
        rows = getattr(worked_example, name)
        text = "\n".join(" ".join(map(str, row)) for row in rows)
        assert again.get_by_label(name, exact=True).input_value() == text


FIELDS = ["Q", "K", "V", "Scale", "Br", "Bc"]


def test_hostile_fields_give_a_message(visit, axe, fits):
    page = meet(visit, "forward", width=360)
    own(page)
    usual = page.locator(".tw-stage").inner_text()
    for label in FIELDS:
        field = page.get_by_label(label, exact=len(label) < 3)
        before = field.input_value()
        for text in HOSTILE:
            if label == "Scale" and not text:
                continue  # an empty scale is 1/√d
            field.fill(text)
            page.get_by_role("button", name="Use these numbers").click()
            page.locator("tw-stepper .tw-problem:not(:empty)").wait_for()
            settle(page)
            assert field.get_attribute("aria-invalid") == "true", (label, text[:9])
            assert page.locator(".tw-stage").inner_text() == usual
        field.fill(before)
    axe(page, "tw-stepper")
    fits(page)
    page.get_by_role("button", name="Use these numbers").click()
    settle(page)
    assert page.locator("tw-stepper .tw-problem").inner_text() == ""


ADDRESSES = ["order=<script>", "step=1e99", "step=-1", "step=29", "Q=NaN", "K=1,2;3"]
ADDRESSES += ["B_r=9", "B_c=", "causal=yes", "scale=1e308", "V=" + "1," * 2000]
ADDRESSES += ["Q=\0\ufffd", "order=both&Q=x"]
AGAIN = """(query) => {
  const old = document.querySelector("tw-stepper");
  const made = document.createElement("tw-stepper");
  history.replaceState(null, "", "?" + query);
  made.id = old.id;
  old.replaceWith(made);
}"""


def test_hostile_addresses_show_the_example(visit):
    page = meet(visit, "forward")
    for query in ADDRESSES:
        page.evaluate(AGAIN, quote(query, safe="=&"))
        page.get_by_text("The address asks for").wait_for()
        at(page, 0)
    assert page.locator("tw-stepper script").count() == 0


def request(draw):
    """A random input within all limits."""
    n, n_k = draw.randint(1, 8), draw.randint(1, 8)
    d, d_v = draw.randint(1, 4), draw.randint(1, 4)

    def text(rows, cols):
        lines = [
            [f"{draw.uniform(-3, 3):.3f}" for _ in range(cols)] for _ in range(rows)
        ]
        return "\n".join(" ".join(line) for line in lines)

    return {
        "pass": draw.choice(["forward", "backward"]),
        "order": draw.choice(stepper.ORDERS), "causal": draw.choice([*stepper.CAUSALS]),
        "block_rows": str(draw.randint(1, 8)), "block_cols": str(draw.randint(1, 8)),
        "scale": draw.choice(["1/√d", "0.7", "ln 2"]),
        "q": text(n, d), "k": text(n_k, d), "v": text(n_k, d_v), "do": text(n, d_v),
    }  # fmt: skip


ASK = """async (requests) => {
  const { ask } = await import(new URL("assets/js/runtime.js", document.baseURI.replace(
    /flash-attention.*/, "")));
  return JSON.stringify(await Promise.all(requests.map((x) => ask("stepper", x))));
}"""


def differences(a, b, path=""):
    """Where two answers differ by more than 1e-12, relative; formulas by a digit."""
    if isinstance(a, dict):
        assert set(a) == set(b), path
        for key in a:
            if key != "lines":
                yield from differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list):
        assert len(a) == len(b), path
        for n, pair in enumerate(zip(a, b, strict=True)):
            yield from differences(*pair, f"{path}.{n}")
    elif isinstance(a, float) and isinstance(b, (int, float)):
        if not math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-15):
            yield path, a, b
    elif a != b:
        yield path, a, b


def test_equal_to_cpython_on_100_inputs(visit):
    draw = random.Random(5)
    requests = [request(draw) for _ in range(100)]
    page = meet(visit, "forward")
    found = json.loads(page.evaluate(ASK, requests))
    for asked, answer in zip(requests, found, strict=True):
        own = json.loads(json.dumps(stepper.film(asked)))
        assert list(differences(own, answer)) == [], asked
