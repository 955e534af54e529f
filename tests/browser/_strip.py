"""The strip of a page: its rows, and waiting for what Python says of them."""


def element(page):
    return page.locator("tw-strip")


def row(page, n):
    """The texts of a row of the table, its name left out."""
    return element(page).locator("tr").nth(n).locator("td").all_inner_texts()


def answered(page, text):
    """Wait until Python has said something to a row: a state or a problem."""
    page.wait_for_function(
        """(text) => { const strip = document.querySelector("tw-strip");
        return strip.asked?.scores === text && strip.ariaBusy === "false"; }""",
        arg=text,
    )


def change(page, text):
    """Type a row of scores and wait for the answer."""
    page.locator("tw-strip .tw-field").fill(text)
    answered(page, text)
