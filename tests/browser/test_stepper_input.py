"""The tile stepper on a reader's own numbers, from fields and from the address."""

from urllib.parse import quote

import pytest

from tilewise import worked_example

from ._kept import again, alone, kept
from ._stepper import FORWARD, arrive, at, meet, own, settle

HOSTILE = ["", "text", "1e308", "NaN", "1 " * 10000, "<script>alert(1)</script>"]


def test_own_numbers_and_the_address(visit, axe):
    page = meet(visit, "forward")
    own(page)
    page.get_by_label("Q", exact=True).fill("1 2\n3 4\n5 6")
    page.get_by_label("Scale").fill("1/√d")
    page.get_by_role("button", name="Use these numbers").click()
    page.locator(".tw-hbm td", has_text="6").first.wait_for()
    page.get_by_label("Mask").select_option("top-left")
    page.get_by_role("button", name="side by side").click()
    page.locator(".tw-two").wait_for()
    page.get_by_role("slider").fill("9")
    axe(page, alone(page, "tw-stepper"))
    seen = page.locator(".tw-stage").inner_text()
    page.wait_for_url("**step=9#stepper")
    address = page.url
    assert "Q=1,2;3,4;5,6" in address and address.endswith("#stepper")
    query = address.partition("?")[2].partition("#")[0]
    there = meet(visit, "forward", f"?{query}")
    at(there, 9, there.get_by_role("slider").get_attribute("max"))
    assert there.locator(".tw-stage").inner_text() == seen
    assert there.get_by_label("Q", exact=True).input_value() == "1 2\n3 4\n5 6"
    assert there.get_by_label("Mask").input_value() == "top-left"
    own(there)
    there.get_by_role("button", name="Back to the example").click()
    there.locator(".tw-two").wait_for(state="detached")
    there.wait_for_url("**/forward.html?step=9#stepper")
    for name in "QKV":
        rows = getattr(worked_example, name)
        text = "\n".join(" ".join(map(str, row)) for row in rows)
        assert there.get_by_label(name, exact=True).input_value() == text


FIELDS = [("Q", HOSTILE), ("K", HOSTILE[3:4]), ("V", HOSTILE[1:2])]
FIELDS += [("Scale", HOSTILE[1:]), ("Br", HOSTILE), ("Bc", HOSTILE[:1])]
FIELDS += [("Softcap", ["0", *HOSTILE[1:4]]), ("Sink", [*HOSTILE[1:4], HOSTILE[5]])]


@pytest.fixture(scope="module")
def opened(windows):
    """The stepper of the forward pass alone, for one test after another."""
    with kept(windows, FORWARD, width=360) as page:
        alone(arrive(page), "tw-stepper")
        yield page


@pytest.fixture
def fresh(opened):
    """It with its stepper as at first."""
    again(opened, "tw-stepper")
    return arrive(opened)


def test_hostile_fields_give_a_message(fresh, axe, fits):
    """All texts in a matrix, the scale (empty it is 1/√d) and a size, one in others."""
    page = fresh
    own(page)
    usual = page.locator(".tw-stage").inner_text()
    for label, texts in FIELDS:
        field = page.get_by_label(label, exact=len(label) < 3)
        before = field.input_value()
        for text in texts:
            field.fill(text)
            page.get_by_role("button", name="Use these numbers").click()
            page.locator("tw-stepper .tw-problem:not(:empty)").wait_for()
            settle(page)
            assert field.get_attribute("aria-invalid") == "true", (label, text[:9])
            assert page.locator(".tw-stage").inner_text() == usual
        if label == "Scale":
            axe(page, "tw-stepper")
        field.fill(before)
    fits(page)
    page.get_by_role("button", name="Use these numbers").click()
    settle(page)
    assert page.locator("tw-stepper .tw-problem").inner_text() == ""


def test_a_softcap_and_a_sink(fresh, axe, fits):
    """Typed and by keyboard, in FA2's order, with the formula at a score."""
    page = fresh
    page.get_by_role("button", name="FA2").click()
    page.get_by_label("Softcap").fill("1.5")
    page.keyboard.press("Tab")
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    page.wait_for_url("**softcap=1.5&sink=0.5**")
    page.get_by_role("slider").fill("1")
    page.locator(".tw-chip td", has_text="0.5").first.wait_for()
    page.get_by_role("slider").fill("3")
    page.locator(".tw-general", has_text="tanh").wait_for()
    settle(page)
    page.locator(".tw-chip table[aria-label^='S'] td").first.hover()
    said = page.locator(".tw-peek").inner_text()
    assert said.startswith("S11 = 1.5 tanh(τ ((−1) · 1 + (−1) · 0) / 1.5) = −0.6477")
    fits(page)
    axe(page, "tw-stepper")


def test_nothing_asked_for_meanwhile_is_lost(visit):
    """An order and an N whose films are still coming, then a softcap."""
    page, late = meet(visit, "forward"), []
    page.route("**/stepper-forward-q-outer.json", lambda route: late.append(route))
    page.get_by_role("button", name="FA2").click()
    page.get_by_label("N", exact=True).fill("3")
    page.get_by_label("Softcap").fill("1.5")
    page.keyboard.press("Enter")
    page.wait_for_url("**order=q-outer&**softcap=1.5**")
    assert late, "the film was not asked for"
    assert page.get_by_label("Q", exact=True).input_value().count("\n") == 2


ADDRESSES = [
    "softcap=0",
    "sink=<b>",
    "order=<script>",
    "step=1e99",
    "step=-1",
    "step=29",
    "Q=NaN",
    "K=1,2;3",
]
ADDRESSES += ["B_r=9", "B_c=", "causal=yes", "scale=1e308", "V=" + "1," * 2000]
ADDRESSES += ["Q=\0\ufffd", "order=both&Q=x"]


def test_hostile_addresses_show_the_example(opened):
    for query in ADDRESSES:
        again(opened, "tw-stepper", "?" + quote(query, safe="=&"))
        opened.get_by_text("The address asks for").wait_for()
        at(opened, 0)
    assert opened.locator("tw-stepper script").count() == 0
