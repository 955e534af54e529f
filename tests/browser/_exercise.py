"""An exercise as its reader sees it, and two pages that have one."""

PAGE, MERGING = "reference/exercises.html", "softmax/merging.html"
NAMED = "tw-exercise[name=merge]"
CHANGED = f"{NAMED}, tw-progress"  # by what is done in a test


class Exercise:
    """One exercise of a page, as a reader sees it."""

    def __init__(self, page, name):
        self.page, self.whole = page, page.locator(f"tw-exercise[name={name}]")
        self.code = self.whole.get_by_role("textbox")
        self.go, self.reset = (self.whole.get_by_role("button").nth(i) for i in (0, 1))
        self.status = self.whole.get_by_role("status")
        self.code.wait_for()

    def check(self, code):
        self.code.fill(code)
        self.go.click()
        return self.settled()

    def settled(self):
        """What the status says once the checks are done."""
        busy = "(e) => !/…/.test(e.querySelector('[role=status]').textContent)"
        self.page.wait_for_function(busy, arg=self.whole.element_handle())
        return self.status.inner_text()

    def marks(self):
        """How many checks passed and failed."""
        return [self.whole.locator(x).count() for x in (".tw-passed", ".tw-failed")]
