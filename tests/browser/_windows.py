"""Windows of the browser, used again.

A new window costs as much as the page in it. So a test takes one that another is done
with, emptied: no page, no storage, no rights, the mouse in a corner.
"""


def watch(page, address):
    """Note in page.requested what is asked for, in page.wrong whatever goes wrong."""

    def wrong(text):
        page.wrong.append(f"{page.url}: {text}")

    def asked(request):
        page.requested.append(request.url)
        if not request.url.startswith((address, "blob:", "data:")):
            wrong(f"another host: {request.url}")

    def failed(request):  # what an earlier page still asked for is aborted: no fault
        if request.url in page.requested:
            wrong(f"{request.url}: {request.failure}")

    page.requested, page.wrong = [], []
    page.on("request", asked)
    page.on("pageerror", wrong)
    page.on("console", lambda x: x.type in ("error", "warning") and wrong(x.text))
    page.on("response", lambda x: x.status >= 400 and wrong(f"{x.url}: {x.status}"))
    page.on("requestfailed", failed)


THROUGH = """async () => {  // widgets come when they are near
  for (const one of document.querySelectorAll(".tw-widget, .tw-run, tw-exercise")) {
    one.scrollIntoView({ block: "center" });
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  scrollTo(0, 0);
}"""


class Windows:
    """Windows of a browser, with and without JavaScript, each with its own storage."""

    def __init__(self, browser, address):
        self.browser, self.address, self.idle = browser, address, []

    def take(self, javascript):
        """One that nobody uses, at an empty page."""
        for page in self.idle:
            if page.javascript == javascript:
                self.idle.remove(page)
                return page
        context = self.browser.new_context(java_script_enabled=javascript)
        page = context.new_page()
        page.javascript, page.session = javascript, context.new_cdp_session(page)
        page.set_default_timeout(60_000)
        watch(page, self.address)
        return page

    def open(
        self,
        page,
        file,
        *,
        scroll=True,
        dark=False,
        width=1280,
        height=900,
        still=False,
    ):
        """Show a page of the site, scrolled through once; still is reduced motion."""
        page.set_viewport_size({"width": width, "height": height})
        motion = "reduce" if still else "no-preference"
        scheme = "dark" if dark else "light"
        page.emulate_media(color_scheme=scheme, reduced_motion=motion)
        page.goto(self.address + file)
        if scroll and page.javascript:
            page.evaluate(THROUGH)
        return page

    def give(self, page):
        """Empty it for the next test."""
        page.evaluate("sessionStorage.clear()")
        page.goto("about:blank")
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        page.mouse.move(0, 0)
        page.context.clear_permissions()
        kept = {"origin": self.address.rstrip("/"), "storageTypes": "all"}
        page.session.send("Storage.clearDataForOrigin", kept)
        page.requested, page.wrong = [], []
        self.idle.append(page)
