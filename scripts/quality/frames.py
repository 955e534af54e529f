"""Count the frames that the tile machine shows at N = 16: played, and dragged.

    mkdocs build --strict
    python scripts/quality/frames.py site [SECONDS]

Played, it goes four times as fast as usual, about three steps a second. Dragged, its
scrubber moves on in every frame, so that a step has to be drawn within 16.7 ms. Prints
how many frames a Chromium of this machine showed per second, how long they took, and
how long the page's process computed for each, which says more on a machine that is busy
with other things: there are fewer frames then. Dragged again, the browser's own trace
says what its main thread computed, in time of that thread and not of the clock.
"""

import json
import statistics
import sys
from collections import Counter
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # scripts
from release import chromium

PAGE = "flash-attention/forward.html?N=16"
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
PARTS = {  # as the developer tools name them
    "script": ["FunctionCall"],
    "style": ["UpdateLayoutTree"],
    "layout": ["Layout"],
    "paint": ["PrePaint", "Paint", "Layerize", "Commit"],
}
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
    middle, *_, most = statistics.quantiles(waits, n=20)[9::9]
    took = f"median {middle:.1f} ms, 95 % within {most:.1f} ms"
    each = f"{busy / len(waits):.1f} ms of computing for each"
    return f"{rate:.1f} frames per second, {took}, {each}"


def traced(browser, page, seconds):
    """A line about what the main thread computes for each frame."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    frames = len(page.evaluate(COUNT, [seconds, True]))
    events = json.loads(browser.stop_tracing())["traceEvents"]
    spans = [x for x in events if x.get("ph") == "X" and "tdur" in x]
    threads = Counter((x["pid"], x["tid"]) for x in spans if x["name"] == "Layout")
    main = threads.most_common(1)[0][0]
    spans = [x for x in spans if (x["pid"], x["tid"]) == main]
    took = {name: own(spans, of) / 1000 / frames for name, of in PARTS.items()}
    all_ = own(spans, ["RunTask"]) / 1000 / frames
    parts = ", ".join(f"{name} {x:.1f}" for name, x in took.items())
    return f"{all_:.1f} ms for each of {frames} frames ({parts})"


def own(spans, names):
    """The microseconds of all spans of these names, those within another apart."""
    end = total = 0
    for x in sorted(spans, key=lambda x: (x["ts"], -x["dur"])):
        if x["name"] in names and x["ts"] >= end:
            end = x["ts"] + x["dur"]
            total += x["tdur"]
    return total


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
        print("main thread, dragged:", traced(browser, page, seconds))
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 8)
