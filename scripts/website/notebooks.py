"""MkDocs hook: a notebook page becomes a page like every other.

mkdocs-jupyter runs the notebook and renders it on its own, with 600 kB of styles. This
keeps what the run printed, the code cells and their outputs, and sends the text between
them through the same Markdown as every page: anchors, equations, links, figures.
"""

import html
import re

import jupytext
import yaml
from bs4 import BeautifulSoup
from jupyter_client.manager import KernelManager
from mkdocs.structure.pages import Page

from tilewise.render.listings import unsearched

if hasattr(KernelManager, "transport_encryption"):  # else each run prints a warning
    KernelManager.transport_encryption.default_value = "auto"


def outputs(cell):
    """The outputs of a rendered code cell as HTML that the theme can style."""
    for area in cell.select(".jp-OutputArea-output"):
        if "jp-RenderedLatex" in area["class"]:
            tex = html.escape(area.get_text().strip().strip("$"), quote=False)
            yield f'<div class="arithmatex">\\[{tex}\\]</div>'
        elif "jp-RenderedHTMLCommon" in area["class"]:
            yield area.decode_contents().strip()
        else:
            text = html.escape(area.get_text().strip("\n"), quote=False)
            css = "language-text no-copy output highlight"
            yield f'<div class="{css}"><pre><code>{text}</code></pre></div>'


def on_page_content(content, page, config, files):
    if "jupyter-wrapper" not in content:
        return content
    cells = jupytext.read(page.file.abs_src_path).cells
    if cells and cells[0].cell_type == "raw":  # front matter
        page.meta.update(yaml.safe_load(cells.pop(0).source.strip("-\n")))
    rendered = BeautifulSoup(content, "html.parser").select(".jp-Cell[id]")
    rendered = [cell for cell in rendered if "jp-RawCell" not in cell["class"]]
    shown, text = [], []
    for cell, made in zip(cells, rendered, strict=True):
        if cell.cell_type == "markdown":
            text.append(cell.source)
            continue
        text.append(f"```{{.python .no-copy}}\n{cell.source}\n```")
        for output in outputs(made):
            text.append(f'<div class="tw-output" id="tw-output-{len(shown)}"></div>')
            shown.append(unsearched(output))
    page.markdown = "\n\n".join(text)
    vars(page).pop("title", None)  # set by mkdocs-jupyter; the heading decides
    Page.render(page, config, files)
    return re.sub(
        r'<div class="tw-output" id="tw-output-(\d+)"></div>',
        lambda m: f'<div class="tw-output">{shown[int(m[1])]}</div>',
        page.content,
    )
