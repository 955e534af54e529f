"""MkDocs hook: what a build need not do, or not twice. No byte of the site hangs on it.

A build makes objects that stay until it ends: to look for garbage among them again and
again is a seventh of its time. The theme's templates are compiled for both languages at
once, and the search index does not read what it leaves out.
"""

import gc
import re

from jinja2 import BytecodeCache
from mkdocs.plugins import CombinedEvent, event_priority

LEFT_OUT = re.compile(
    r"(<(figure|div)\b[^>]*\bdata-search-exclude[^>]*>)(.*?)(?=</\2>)", re.S
)


class Compiled(BytecodeCache):
    """Templates as Jinja compiled them, by their path and text."""

    def __init__(self):
        self.codes = {}

    def load_bytecode(self, bucket):
        bucket.code = self.codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket):
        self.codes[bucket.key, bucket.checksum] = bucket.code


_compiled = Compiled()
_whole = []  # the page that is being read for the index, with all that it shows


def on_startup(command, dirty):
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def on_env(env, config, files):
    env.bytecode_cache = _compiled


def emptied(match):
    """What is left out of the index, without what is in it."""
    nested = f"<{match[2]}" in match[3]
    return match[0] if nested else match[1]


@event_priority(50)  # before the search index takes the page in
def shorten(context, page, config, nav):
    _whole[:] = [page.content]
    page.content = LEFT_OUT.sub(emptied, page.content)


@event_priority(-50)
def restore(context, page, config, nav):
    page.content = _whole.pop()


on_page_context = CombinedEvent(shorten, restore)
