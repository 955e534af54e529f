"""Lead from each block of Python to the lines that it was taken from.

They are in the repository, whose address is REPO_URL, or else in a copy of the file in
the site itself. `tilewise.render.listings` has written where a block is from.
"""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = re.compile(r' data-from="([^"#]+)#([^"]+)"([^>]*>)')
NAME = {"en": "Source: {}", "zh": "源文件：{}"}


def linked(page, up, language):
    """A page whose blocks have a link each; `up` leads to the site's root."""
    repo = os.environ.get("REPO_URL")

    def link(match):
        path, lines, rest = match.groups()
        here = f"{up}source/{path}.txt"
        address = f"{repo}/blob/main/{path}#{lines}" if repo else here
        name = NAME[language].format(path.rpartition("/")[2])
        made = (
            f'<a class="tw-from" href="{address}" title="{name}" aria-label="{name}">'
        )
        return f"{rest}{made}</a>"

    return PLACE.sub(link, page)


def write(site, pages):
    """Copy the files that pages, {path: text}, were taken from into the site."""
    for path in {match[1] for text in pages.values() for match in PLACE.finditer(text)}:
        target = site / f"source/{path}.txt"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / path).read_bytes())
