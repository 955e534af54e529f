"""The Gluon forward kernel with one of its ideas taken out: its speed beside it."""

from draw.tables._tried import table

FILE = "h200-2026-11-23-forward-variants"
SAY = {
    "en": {
        "head": "without",
        "no_turns": "turns",
        "both_at_once": "maxima beside $P_j V_j$: wait for both products at once",
        "one_q": "the second buffer of $Q$",
        "row_sums_at_once": "row sums kept apart in each thread until the end",
        "longest_first": "dealing in snake order: longest first in each crew",
        "two_consumers": "the third consumer",
    },
    "zh": {
        "head": "拿掉什么",
        "no_turns": "轮流",
        "both_at_once": "求最大值与 $P_j V_j$ 重叠：改成两次矩阵乘法一起等",
        "one_q": "$Q$ 的第二个缓冲区",
        "row_sums_at_once": "行和先由各个线程分开记，最后才相加",
        "longest_first": "蛇形发牌：改成每一批都先发最长的行块",
        "two_consumers": "第三个消费者",
    },
}


def draw(lang):
    """A Markdown table."""
    (_, head), *names = SAY[lang].items()
    return table(FILE, head, dict(names))
