"""The sweep: every page in both schemes and three widths, by keyboard, and with axe.

A page is loaded once; its window then changes width and scheme, since a reload costs
more than most that is asked here, and a page begins in the scheme in which the one
before it ended. Twins have the same elements, so they share what is dear: axe sees one
of them light and the other dark, both on a phone, where parts have the least room, and
the doors, which show the menu, on a wide screen as well. The Tab key itself is pressed
on English pages; on Chinese ones a script moves the focus, and Python does not start.
Every page is looked at in the widest of the usual fonts and once in a narrow one. The
tests bring both (scripts/quality/fonts), and the browser knows no others.
"""

from pathlib import Path

from built import BASE, ERRORS, FILES, lang, twin
from quality.fonts.fonts import CHINESE, NARROW, WIDE

from ._windows import THROUGH

HERE = Path(__file__).parent
SCRIPTS = [(HERE / name).read_text("utf-8") for name in ("sweep.js", "sweep_keys.js")]
REQUESTS = 40  # with all widgets of the page
DOORS = ("index.html", "zh/index.html")
RULES = "wcag2a wcag2aa wcag21a wcag21aa wcag22aa best-practice".split()
READY = """() => {  // some widgets come in two steps, too late for one visit
  const late = [...document.querySelectorAll("article *")]
    .filter((one) => one.matches(".tw-run") || one.localName.startsWith("tw-"))
    .find((one) => !one.querySelector("button, input, textarea"));
  late?.scrollIntoView({ block: "center" });
  return !late && document.fonts.status === "loaded";
}"""
FONT = """(names) => {  // where the theme sets it; scripts hear of it
  document.body.style.setProperty("--md-text-font-family", names);
  dispatchEvent(new Event("resize"));
}"""
# On a busy machine the layout of the last width may stay for a moment; 30 ms are enough
# on an idle one, and what is still too wide after two seconds stays so.
SETTLED = """(async () => {
  const wide = () => document.documentElement.scrollWidth > innerWidth;
  for (let wait = 30; wait === 30 || (wait < 1000 && wide()); wait *= 2)
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, wait)));
})()"""
# The theme's styles want the menu's switch where it stands, before all landmarks.
AXE = """async (rules) => {
  const how = { runOnly: rules, resultTypes: ["violations"], preload: false };
  const { violations } = await axe.run(document, how);
  return violations.flatMap(({ id, nodes }) => nodes
    .filter(({ html }) => id !== "region" || !html.includes('id="__drawer"'))
    .map(({ html, any }) => `axe, ${id}: ${html.slice(0, 160)} ${any[0]?.message}`));
}"""


def part(*folders):
    """The pages of some parts of the nav, both languages; "" is the door."""
    paths = {file: file.removeprefix("zh/") for file in FILES}
    return [x for x, path in paths.items() if path.rpartition("/")[0] in folders]


def dark_at_first(file):
    """Every other page is, and never both of a pair of twins."""
    english = [x for x in FILES if lang(x) == "en"]
    chinese = lang(file) == "zh"
    return (english.index(twin(file) if chinese else file) + chinese) % 2 == 1


class Sweep:
    """What is wrong with one page after another, in one window."""

    def __init__(self, page, address, engine):
        self.page, self.address, self.engine = page, address, engine
        self.width = self.dark = None
        self.font = WIDE
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def open(self, file, dark=False):
        """Load a page and all that comes as a reader scrolls, at the first width."""
        self.found = {}
        self.page.requested.clear()
        self.page.wrong.clear()
        self.size(360, dark)
        # the page for a wrong address names its files from the root of the host
        self.page.goto(self.address + (BASE[1:] if file in ERRORS else "") + file)
        self.page.evaluate(THROUGH)
        self.write(WIDE)
        self.page.wait_for_function(READY)
        self.page.evaluate("scrollTo(0, 0)")
        for script in SCRIPTS:
            self.page.evaluate(script)

    def note(self, findings):
        """Keep findings, each with the states in which it was seen."""
        for one in findings:
            self.found.setdefault(one, []).append(self.state)

    def size(self, width, dark):
        """Change of the window what is to change: each costs a layout or all styles."""
        scheme = "dark" if dark else "light"
        self.state = f"{width} px, {scheme}, {self.font}"
        if width != self.width:
            self.page.set_viewport_size({"width": width, "height": 900})
        if dark != self.dark:
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        self.width, self.dark = width, dark

    def write(self, font):
        """Set the page's words in a font, or, without a name, in the site's own."""
        self.font = font or "its own font"
        self.page.evaluate(FONT, font and f"'{font}', '{CHINESE}'")

    def look(self, width, dark):
        """Bring the window into a state and look at it."""
        self.size(width, dark)
        name = "slate" if dark else "default"
        self.page.locator(f"body[data-md-color-scheme={name}]").wait_for()
        self.page.evaluate(SETTLED)
        self.note(self.page.evaluate("sweep.look()"))

    def keys(self, file):
        """Tab from the first stop to the last; in Chinese a script moves the focus."""
        stops = self.page.evaluate("sweep.watch()")
        self.page.keyboard.press("Tab")  # from here on browsers show the focus
        if lang(file) == "zh":
            self.page.evaluate("sweep.walk()")
        for press in range(stops + 20):  # Chromium stops at more that scrolls
            if press > stops - 3 and self.page.evaluate("sweep.done()"):
                break
            if lang(file) == "en":
                self.page.keyboard.down("Tab")  # held: to let go costs a frame more
        else:
            self.note(["the last stop is not reached"])
        self.page.keyboard.up("Tab")
        self.note(self.page.evaluate("sweep.keys()"))

    def axe(self, rules):
        if not self.page.evaluate("typeof axe !== 'undefined'"):
            self.page.add_script_tag(url=self.engine)
        self.note(self.page.evaluate(AXE, rules))

    def budget(self):
        asked = len(set(self.page.requested) - {self.engine})
        self.note([f"{asked} requests"] if asked > REQUESTS else [])
        self.note(self.page.wrong)

    def __call__(self, file):
        """What is wrong with a page of the site, a line each."""
        first = dark_at_first(file)
        self.open(file, first)
        self.look(360, first)
        self.keys(file)
        for width in (768, 1440):  # a twin has the fonts the other way round
            self.write(WIDE if (width == 768) == (lang(file) == "zh") else "")
            self.look(width, first)
        self.note(self.page.evaluate("(menu) => sweep.strip(menu)", file not in DOORS))
        if file in DOORS:
            self.axe(RULES)
        self.write(NARROW)
        self.look(360, not first)
        self.axe(RULES)
        self.note(self.page.evaluate("sweep.copies()"))  # leaves a message: so last
        self.budget()
        return "\n".join(f"{what} ({', '.join(at)})" for what, at in self.found.items())
