"""The Content-Security-Policy of each page: strict, first in the head, complete."""

import base64
import hashlib

from built import FILES, soup
from every import every


@every("file", FILES)
def test_policy(file, site):
    page = soup(site / file)
    tags = list(page.head.find_all(True))
    place = next(i for i, x in enumerate(tags) if x.get("http-equiv"))
    assert not [x for x in tags[:place] if x.name in ("script", "link", "style")]
    rules = dict(x.strip().split(" ", 1) for x in tags[place]["content"].split(";"))
    assert rules["default-src"] == "'self'" and rules["object-src"] == "'none'"
    allowed = rules["script-src"].split()
    assert "'unsafe-inline'" not in allowed and "'unsafe-eval'" not in allowed
    for script in page.select("script:not([src])"):
        if script.get("type") not in ("application/json", "application/ld+json"):
            found = hashlib.sha256(script.string.encode()).digest()
            assert f"'sha256-{base64.b64encode(found).decode()}'" in allowed


@every("file", FILES)
def test_no_script_in_attributes(file, site):
    """What no hash covers: handlers in attributes, addresses that are scripts."""
    for node in soup(site / file).find_all(True):
        assert not [x for x in node.attrs if x.startswith("on")], node.name
        assert not str(node.get("href", "")).startswith("javascript:")
