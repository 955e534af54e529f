"""What a build leaves out of its work changes nothing of what it makes."""

from types import SimpleNamespace
from unittest import mock

import pytest
from hooks import spare
from jinja2 import DictLoader, Environment
from material.plugins.search.plugin import SearchIndex

LEFT_OUT = '<{0} class="x" data-search-exclude><p>no <b>no</b></p>{1}</{0}><p>after</p>'
PAGE = f"""
<h1 id="a">A<a class="headerlink" href="#a">#</a></h1><p>yes</p>
{LEFT_OUT.format("figure", "<svg><text>no</text></svg>")}
<h2 id="b">B</h2><ul><li>yes<pre>yes</pre></li></ul>
{LEFT_OUT.format("div", "<pre><code>no</code></pre>")}
<div><h2 id="c">C</h2>{LEFT_OUT.format("div", "<div>no</div> within")}</div>
<p>of b again</p>
"""


def page():
    return SimpleNamespace(content=PAGE, toc=[], url="a.html", meta={}, title="A")


def entries(page):
    index = SearchIndex()
    index.add_entry_from_context(page)
    return index.entries


def test_the_index_is_that_of_the_whole_page():
    short = page()
    spare.shorten(None, page=short, config=None, nav=None)
    assert len(short.content) < len(PAGE) - 50
    assert entries(short) == entries(page()) and "yes" in str(entries(short))
    spare.restore(None, page=short, config=None, nav=None)
    assert short.content == PAGE


@pytest.mark.parametrize("changed", [False, True])
def test_a_template_is_compiled_once_while_its_text_stays(changed, monkeypatch):
    monkeypatch.setattr(spare, "_compiled", spare.Compiled())
    compiled, shown = 0, []
    for text in ("{{ 1 + 1 }}", "{{ 1 + 2 }}" if changed else "{{ 1 + 1 }}"):
        env = Environment(loader=DictLoader({"a.html": text}))
        kept = mock.Mock(wraps=env.compile)
        monkeypatch.setattr(env, "compile", kept)
        spare.on_env(env, None, None)
        shown.append(env.get_template("a.html").render())
        compiled += kept.call_count
    assert shown == ["2", "3" if changed else "2"]
    assert compiled == 1 + changed
