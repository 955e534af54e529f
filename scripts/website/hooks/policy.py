"""MkDocs hook: a page says itself what it may load and run.

A Content-Security-Policy by meta tag, so that it holds on any host and from a folder:
everything from the site, and of inline scripts only those that stood there when the
page was built, by their hashes. `mkdocs serve` adds a script of its own to each page
and gets no policy.
"""

import base64
import hashlib
import re

from mkdocs.plugins import event_priority

SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)([^>]*)>(.*?)</script>", re.S)
RULES = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "style-src": "'self' 'unsafe-inline'",  # equations place their parts by style
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
}
_serving = False


def on_startup(command, dirty):
    global _serving
    _serving = command == "serve"


def policy(page):
    """The policy of a page, in one line."""
    inline = [text for about, text in SCRIPT.findall(page) if "json" not in about]
    hashes = [hashlib.sha256(text.encode()).digest() for text in inline]
    shown = [f"'sha256-{base64.b64encode(x).decode()}'" for x in dict.fromkeys(hashes)]
    allowed = ["'self'", "'wasm-unsafe-eval'", *shown]  # MicroPython is WebAssembly
    rules = RULES | {"script-src": " ".join(allowed)}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


@event_priority(-200)
def on_post_page(output, page, config):
    if _serving:
        return output
    meta = '<meta http-equiv="Content-Security-Policy" content="{}">'
    charset = '<meta charset="utf-8">'
    return output.replace(charset, f"{charset}\n{meta.format(policy(output))}", 1)


@event_priority(-200)
def on_post_template(output_content, template_name, config):
    if template_name != "404.html":
        return output_content
    return on_post_page(output_content, None, config)
