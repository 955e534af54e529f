"""Lighthouse on a phone, over ten pages: 100 three times, performance at least 95.

It comes from npm, as the build's KaTeX does. Performance is the best of three runs,
since it depends on how long this machine computed; the rest is what the first says.
"""

import os

import pytest
from quality.lighthouse import lighthouse
from website import packages


@pytest.fixture(scope="module")
def found(site, chromium, environment):
    """{page: the report}, one Chromium and one Node.js for all of them."""
    try:
        packages.install(lighthouse.HERE)
    except ValueError as error:
        if os.environ.get("TILEWISE_BROWSER") == "required":
            raise
        pytest.skip(f"npm could not install Lighthouse: {error}")
    with pytest.MonkeyPatch.context() as patch:  # the browser's fonts are the tests'
        patch.setenv("FONTCONFIG_FILE", environment["FONTCONFIG_FILE"])
        return lighthouse.judged(site, lighthouse.PAGES, chromium)


@pytest.mark.parametrize("page", lighthouse.PAGES)
def test_lighthouse(page, found):
    said = "\n".join(lighthouse.lines(page, found[page]))
    print(said)
    assert not lighthouse.low(found[page]), said


def test_the_pages_are_of_both_languages():
    chinese = [page for page in lighthouse.PAGES if page.startswith("zh/")]
    assert len(lighthouse.PAGES) == 10 and len(chinese) == 4
