"""What 24 layers keep and compute twice, counted, by policy."""

from draw.figures._bench import table
from draw.tables._checkpointing import WAYS, name

from tilewise.ledger.activations import kept_bytes, step

E, HEADS, LAYERS, GIB = 2048, 16, 24, 2**30
LENGTHS = (2048, 16384, 65536)
SAY = {
    "en": {
        "head": ["", "kept at {n}k, GiB", "peak, GiB"],
        "again": "computed twice, {n}k",
    },
    "zh": {
        "head": ["", "保留（{n}k，GiB）", "峰值：重计算一层时（GiB）"],
        "again": "重计算占比（{n}k）",
    },
}


def gib(attention, policy, n):
    """GiB that 24 layers keep in bf16, and with one of them computed again."""
    how = {"attention": attention, "policy": policy}
    layer = kept_bytes(n, E, HEADS, "bf16", **how)
    inside = kept_bytes(n, E, HEADS, "bf16", attention=attention)
    return LAYERS * layer / GIB, ((LAYERS - 1) * layer + inside) / GIB


def share(attention, policy, n):
    """Percent of the FLOPs of a step without a policy."""
    ways = step(n, E, attention=attention, policy=policy)
    return 100 * ways["again"] / (ways["forward"] + ways["backward"])


def draw(lang):
    """A Markdown table: GiB at N = 16k, percent of a step's FLOPs at three N."""
    say, n = SAY[lang], LENGTHS[1]
    head = [x.format(n=n // 1024) for x in say["head"]]
    head += [say["again"].format(n=n // 1024) for n in LENGTHS]
    head[1] += " { .tw-above }"  # on phones
    rows = []
    for way in WAYS:
        sizes = [f"{x:.1f}" for x in gib(*way, n)]
        shares = [f"{share(*way, n):.1f}%" for n in LENGTHS]
        rows.append([name(lang, *way), *sizes, *shares])
    return table(head, rows)
