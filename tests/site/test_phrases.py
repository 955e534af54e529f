"""Long Chinese headings: where their lines may end."""

import pytest
from website import phrases


@pytest.mark.parametrize(
    ("head", "broken"),
    [
        ("<h1>GPU 的内存层次结构与屋顶线</h1>", "与屋顶线</h1>"),
        ('<h2 id="row">三个累加和：两个归键块，一个归查询块</h2>', "<wbr>累加和：两个"),
        (
            "<h2>三个累加和：两个归键块，一个归查询块</h2>",
            "<wbr>归键块，一个<wbr>归查询块",
        ),
        ("<h1>注意力软件包导入失败，怎么诊断</h1>", "<wbr>导入失败，"),
        ("<h3>同一个 FlashAttention 循环，每一步都不一样</h3>", "FlashAttention 循环"),
    ],
)
def test_a_long_heading_breaks_between_words(head, broken):
    made = phrases.marked(f'<p title="与屋顶线">前后不变，也不加记号</p>{head}', "zh")
    assert "<wbr>" in made and broken in made
    assert made.replace("<wbr>", "").endswith(head)
    assert made.startswith('<p title="与屋顶线">前后不变，也不加记号</p>')
    assert "<wbr>的" not in made


@pytest.mark.parametrize(
    "head", ["<h1>精度与误差</h1>", "<h1>不写出<wbr>矩阵的注意力算法</h1>"]
)
def test_a_short_heading_or_one_with_breaks_stays(head):
    assert phrases.marked(head, "zh") == head


def test_a_number_keeps_its_words():
    made = phrases.marked("<h2>第 1 步：第 1、2 个查询，第 1、2 个键</h2>", "zh")
    keep = '<span class="tw-keep">{}</span>'.format
    one, two = keep("第 1 步"), keep("第 1、2 个")
    assert made == f"<h2>{one}：{two}查询，{two}键</h2>"
