"""MkDocs hook: one build or one `serve` makes every language, with shared assets.

The build of mkdocs.yml (English) ends by building mkdocs.zh.yml into site/zh.
"""

import re
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[3]
ASSETS = ROOT / "docs/assets"
RESULTS = ROOT / "benchmarks/results"
COMMENT = re.compile(r"^ *//.*\n|^ +", re.M)  # in a script, and indentation
SHARED = {"js", "widgets.css"}  # at the site's root for all languages: tilewise.js
DISPLAYED = '<div class="arithmatex">'
CODE = re.compile(r'<div class="[^"]*\bhighlight"')


def on_config(config):
    """Tell the templates where the site's own root is, seen from this language."""
    paths = {x["lang"]: x["path"] for x in config.extra["languages"]}
    prefix = paths[config.theme["language"]]
    config.extra["root_url"] = (config.site_url or "").removesuffix(prefix)
    config.extra["to_root"] = "../" * prefix.count("/")


def on_files(files, config):
    for path in sorted(p for p in ASSETS.rglob("*") if p.is_file()):
        if config.extra["to_root"] and path.relative_to(ASSETS).parts[0] in SHARED:
            continue
        name = f"assets/{path.relative_to(ASSETS).as_posix()}"
        source = {"abs_src_path": str(path)}
        if path.suffix == ".js":  # readers of the site load neither
            source = {"content": COMMENT.sub("", path.read_text("utf-8"))}
        files.append(File.generated(config, name, **source))
    for path in sorted(RESULTS.glob("*.json")):  # every measured number, one click away
        name = f"assets/results/{path.name}"
        files.append(File.generated(config, name, abs_src_path=str(path)))


@event_priority(-50)
def on_page_content(content, page, config, files):
    # noise in search results, and half of their index: numbers in a figure, TeX, code
    figure = '<figure class="tw-figure'
    excluded = figure.replace(" ", " data-search-exclude ", 1)
    content = content.replace(figure, excluded)
    content = content.replace("<th></th>", "<td></td>")  # an empty corner names nothing
    content = content.replace(DISPLAYED, DISPLAYED[:-1] + " data-search-exclude>")
    return CODE.sub(r"\g<0> data-search-exclude", content)


def on_page_context(context, page, config, nav):
    if page.file.src_uri == "index.md":  # one address for the door, not two
        page.canonical_url = config.site_url


def name_parts(output, config):
    """Name the theme's search dialog and its menu's switch for screen readers."""
    chinese = config.theme["language"] == "zh"
    names = ("搜索", "导航") if chinese else ("Search", "Navigation")
    parts = (
        'data-md-component="search" role="dialog"',
        'type="checkbox" id="__drawer"',
    )
    for part, name in zip(parts, names):
        output = output.replace(part, f'{part} aria-label="{name}"')
    return output


def on_post_page(output, page, config):
    return name_parts(output, config)


def on_post_template(output_content, template_name, config):
    return name_parts(output_content, config)  # the page for a wrong address


@event_priority(-100)
def on_post_build(config):
    if Path(config.config_file_path).name != "mkdocs.yml":
        return
    for language in config.extra["languages"][1:]:
        other = load_config(
            str(ROOT / f"mkdocs.{language['lang']}.yml"),
            site_url=(config.site_url or "") + language["path"],
            site_dir=str(Path(config.site_dir) / language["path"]),
            strict=config.strict,
        )
        other.plugins.on_startup(command="build", dirty=False)
        build(other)
        other.plugins.on_shutdown()
