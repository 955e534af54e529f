"""A page that several tests play on, one after another: it is loaded once."""

from contextlib import contextmanager


@contextmanager
def kept(windows, file, **how):
    """A page of the site in a window of its own; nothing went wrong until the end."""
    page = windows.take(True)
    yield windows.open(page, file, **how)
    assert page.wrong == []
    windows.give(page)


AGAIN = """async ([name, query]) => {
  for (let timer = setTimeout(() => 0); timer; timer--) clearTimeout(timer);
  history.replaceState(null, "", location.pathname + query);
  const text = await (await fetch(location)).text();
  const made = new DOMParser().parseFromString(text, "text/html").querySelector(name);
  document.querySelector(name).replaceWith(document.importNode(made, true));
}"""


def again(page, name, query=""):
    """A widget as the page has it when it is loaded at an address, without the rest.

    What the one before it still meant to do, as to write the address, is forgotten.
    """
    page.evaluate(AGAIN, [name, query])


ALONE = """(names) => {
  const here = [...document.querySelectorAll(names)];
  const near = (one) => here.some((x) => x.contains(one) || one.contains(x));
  const rest = [...document.querySelectorAll("body *")].filter((one) => !near(one));
  rest.forEach((one) => one.localName === "script" || one.remove());
}"""


def alone(page, names):
    """Leave nothing else in the page: axe reads all of it, however little is asked.

    The sweep looks at whole pages, and at their widgets before anybody touches them.
    Returns the names.
    """
    page.evaluate(ALONE, names)
    return names
