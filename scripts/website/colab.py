"""A link to Colab in the row below each page that has a notebook.

Colab opens notebooks from a repository on GitHub and from no other host. There they are
in the branch `notebooks`, LANGUAGE/PATH.ipynb, which CI pushes after a deployment.
"""

import os
import re

from website import lessons

ROW = re.compile(r'<p class="tw-about">\s*<a [^>]*>[^<]*</a>')
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
COLAB = "https://colab.research.google.com/github/{}/blob/notebooks/{}.ipynb"
SAID = {"en": "Open in Colab", "zh": "在 Colab 中打开"}


def address(name, language):
    """Where Colab opens a page's notebook; None unless REPO_URL is on GitHub."""
    repo = GITHUB.fullmatch(os.environ.get("REPO_URL", ""))
    return repo and COLAB.format(repo[1], f"{language}/{name}")


def linked(page, name, language):
    """A page's HTML with the link behind that to its source."""
    there = address(name, language)
    if not there or name not in lessons.lessons(language):
        return page
    link = f' <a href="{there}">{SAID[language]}</a>'
    return ROW.sub(lambda match: match[0] + link, page, count=1)
