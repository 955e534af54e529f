"""A page at its stepper, and waiting for what it shows."""

FORWARD = "flash-attention/forward.html"


def arrive(page):
    """Go to the stepper of a page and wait for the first picture."""
    page.locator("tw-stepper").evaluate("x => x.scrollIntoView()")
    page.locator(".tw-panel").first.wait_for()
    settle(page)
    return page


def meet(visit, name, query="", lang="", **how):
    """Open a page at its stepper, as `visit` does."""
    return arrive(visit(f"{lang}flash-attention/{name}.html{query}", **how))


def sentence(page):
    """What the stepper says of its step."""
    return page.locator(".tw-sentence").first.inner_text()


def at(page, k, total=28):
    """Wait until the stepper stands at step k."""
    start = f"Step {k} of {total}," if k else "Before the first tile"
    page.get_by_text(start).first.wait_for()


def settle(page):
    """Wait until what was asked is drawn, or refused."""
    page.locator(".tw-stage:not([aria-busy])").wait_for()


def own(page):
    """Open the fields for a reader's own numbers."""
    page.locator("summary", has_text="Your own numbers").click()
