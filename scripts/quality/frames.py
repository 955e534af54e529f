"""Count the frames that the tile machine shows at N = 16: played, and dragged.

    mkdocs build --strict
    python scripts/quality/frames.py site [SECONDS]

Played, it goes four times as fast as usual, about three steps a second. Dragged, its
scrubber moves on in every frame, so that a step has to be drawn within 16.7 ms. Prints
how many frames a Chromium of this machine showed per second, how many came more than
half a frame late, and how long the page's process computed for each, which says more on
a machine that is busy with other things: there are fewer frames then.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # scripts
from release import chromium

PAGE = "flash-attention/forward.html?N=16"
COUNT = """([seconds, drag]) => new Promise((done) => {
  const bar = document.querySelector("tw-stepper .tw-seek"), times = [];
  const frame = (now) => {
    times.push(now);
    if (now - times[0] > 1000 * seconds) return done(times);
    if (drag) {
      bar.value = (Number(bar.value) + 1) % (Number(bar.max) + 1);
      bar.dispatchEvent(new Event("input", { bubbles: true }));
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})"""


def computed(session):
    """How long the processes that draw pages have computed, in seconds."""
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(x["cpuTime"] for x in found if x["type"] == "renderer")


def counted(page, session, seconds, drag):
    """A line about the frames of some seconds."""
    before = computed(session)
    times = page.evaluate(COUNT, [seconds, drag])
    busy = 1000 * (computed(session) - before)
    waits = [b - a for a, b in zip(times, times[1:])]
    rate = 1000 * len(waits) / (times[-1] - times[0])
    late = sum(wait > 25 for wait in waits)
    each = f"{busy / len(waits):.1f} ms of computing for each"
    return f"{rate:.1f} frames per second, {late} of {len(waits)} late, {each}"


def main(site, seconds):
    with sync_playwright() as playwright, chromium.served(site) as address:
        path = chromium.find()
        browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        session = browser.new_browser_cdp_session()
        page.goto(address + PAGE)
        machine = page.locator("tw-stepper")
        machine.evaluate("(one) => one.scrollIntoView()")
        page.wait_for_function("() => document.querySelector('.tw-seek')?.max > 28")
        steps = machine.locator(".tw-seek").get_attribute("max")
        print(f"N = 16, {steps} steps, Chromium {browser.version}")
        machine.locator(".tw-player select").select_option("4")
        machine.get_by_role("button", name="Play").click()
        print("played:", counted(page, session, seconds, False))
        machine.get_by_role("button", name="Pause").click()
        print("dragged:", counted(page, session, seconds, True))
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 8)
