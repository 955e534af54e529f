"""The calculator's pages, and waiting for what one shows."""

import re

from playwright.sync_api import TimeoutError

from tilewise.live.calculator import view

PAGES = {"en": "memory/calculator.html", "zh": "zh/memory/calculator.html"}
ANSWER = "tw-calculator .tw-said + div"
TEXT = f"""() => ["tw-calculator .tw-said", "{ANSWER}"].map((x) => document
  .querySelector(x).textContent).join("").replace(/\\s+/g, "")"""
SHOWN = f"(wanted) => ({TEXT})() === wanted"


def texts(node):
    return [node] if isinstance(node, str) else [t for x in node[2:] for t in texts(x)]


def squeezed(text):
    return re.sub(r"\s+", "", text)


def shows(page, typed, lang):
    """Every text of Python's tree comes to stand in the page, in its order."""
    made = view(typed | {"lang": lang})
    wanted = squeezed(made["said"] + "".join(texts(made["tree"])))
    try:
        page.wait_for_function(SHOWN, arg=wanted, timeout=5000, polling=50)
    except TimeoutError:
        assert page.evaluate(TEXT) == wanted
