"""Let each page say itself what it may load and run.

The Content-Security-Policy is a meta tag, so that it holds on any host and from a
folder. It allows everything from the site, and of inline scripts only those that the
page had when it was built, by their hashes. `mkdocs serve` adds a script of its own to
each page, and therefore those pages get no policy.
"""

import base64
import hashlib
import re

SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)([^>]*)>(.*?)</script>", re.S)
RULES = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "style-src": "'self' 'unsafe-inline'",  # equations place their parts by style
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def policy(page):
    """The policy of a page, in one line."""
    inline = [text for about, text in SCRIPT.findall(page) if "json" not in about]
    hashes = [hashlib.sha256(text.encode()).digest() for text in inline]
    shown = [f"'sha256-{base64.b64encode(x).decode()}'" for x in dict.fromkeys(hashes)]
    allowed = ["'self'", "'wasm-unsafe-eval'", *shown]  # MicroPython is WebAssembly
    rules = RULES | {"script-src": " ".join(allowed)}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def added(page):
    """The page with its policy, before anything that loads or runs."""
    meta = '<meta http-equiv="Content-Security-Policy" content="{}">'
    charset = '<meta charset="utf-8">'
    return page.replace(charset, f"{charset}\n{meta.format(policy(page))}", 1)
