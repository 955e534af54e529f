"""The Gluon forward kernel with one of its ideas taken out: its speed beside it."""

from draw.tables._tried import table

FILE = "h200-2026-12-01-forward-variants"
SAY = {
    "en": {
        "head": "taken out | in its place",
        "no_turns": "turns | nothing",
        "both_at_once": "maxima while $P_j V_j$ runs | wait for both products",
        "q_in_shared_memory": "$Q$ in registers | $Q$ from shared memory, two buffers",
        "one_q": "the second buffer of $Q$ | one buffer",
        "two_v": "the third buffer of $V$ | two buffers",
        "row_sums_at_once": "each thread's own row sums | a sum over the row",
        "longest_first": "snake order | longest first in each crew",
        "two_consumers": "the third consumer | two consumers",
        "rescale_always": "rescalings left out | $O$ rescaled in every tile",
    },
    "zh": {
        "head": "拿掉什么 | 换成什么",
        "no_turns": "轮流 | 不轮流",
        "both_at_once": "求最大值与 $P_j V_j$ 重叠 | 两次矩阵乘法一起等",
        "q_in_shared_memory": "$Q$ 放进寄存器 | $Q$ 留在共享内存，两个缓冲区",
        "one_q": "$Q$ 的第二个缓冲区 | 一个缓冲区",
        "two_v": "$V$ 的第三个缓冲区 | 两个缓冲区",
        "row_sums_at_once": "各线程分开累加行和 | 每块都求整行的和",
        "longest_first": "蛇形发牌 | 每一批都先发最长的行块",
        "two_consumers": "第三个消费者 | 两个消费者",
        "rescale_always": "最大值不变时跳过缩放 | 每块都缩放 $O$",
    },
}


def draw(lang):
    """A Markdown table."""
    (_, head), *names = SAY[lang].items()
    return table(FILE, head, dict(names))
