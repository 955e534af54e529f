"""The MkDocs hook: dates pages, builds every language, has finish.py do the rest.

The build of mkdocs.yml (English) ends by building mkdocs.zh.yml into site/zh. What the
site adds to Markdown is an extension, `tilewise.render.listings`; what it adds to the
finished HTML is the program finish.py, which does not need MkDocs.
"""

import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # scripts
from website import assets, changed, finish

_serving = False


def on_startup(command, dirty):
    global _serving
    _serving = command == "serve"


def on_files(files, config):
    """Announce the files that finish.py will write and that pages link to."""
    for name in assets.linked(config.theme["language"]):
        files.append(File.generated(config, name, content=""))


def on_page_context(context, page, config, nav):
    """Tell the theme when the page was last changed; `mkdocs serve` does not ask."""
    path = Path(page.file.abs_src_path).relative_to(assets.ROOT).as_posix()
    context["changed"] = "" if _serving else changed.dates().get(path, "")
    return context


@event_priority(-200)  # after every plugin
def on_post_build(config):
    if Path(config.config_file_path).name != "mkdocs.yml":
        return
    site = Path(config.site_dir)
    for language, path in list(assets.LANGUAGES.items())[1:]:
        other = load_config(
            str(assets.ROOT / f"mkdocs.{language}.yml"),
            site_url=(config.site_url or "") + path,
            site_dir=str(site / path),
            strict=config.strict,
        )
        command = "serve" if _serving else "build"
        other.plugins.on_startup(command=command, dirty=False)
        build(other)
        other.plugins.on_shutdown()
    try:
        finish.finish(site, serving=_serving)
    except ValueError as error:
        raise PluginError(str(error)) from error
