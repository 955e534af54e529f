"""Split-KV decoding in plain Python: parts of a cache, their states, and one merge.

A new token has one row of Q and a long cache of keys. The cache is cut into parts,
which processors attend to at the same time, and the states (m, ℓ, o) are merged. The
query heads of a group share K and V, so their rows are computed together: with n_q new
tokens, row r is the token r mod n_q of query head ⌊r / n_q⌋ of the group.
Source: Flash-Decoding (T. Dao, D. Haziza, F. Massa, G. Sizov, 2023).
"""

# --8<-- [start:imports]
import math

from tilewise.checks import check_sizes
from tilewise.one_pass import dot
from tilewise.softmax import IDENTITY, weight

# --8<-- [end:imports]


# --8<-- [start:parts]
def parts(first: int, end: int, block: int, splits: int) -> list[list[int]]:
    """[first, end) of each part: keys first .. end − 1 in at most `splits` parts.

    Each part has the same number of tiles of `block` keys, except that the last may be
    shorter. No part is empty, so there are none without keys.
    """
    tiles = -(-(end - first) // block)
    step = max(1, -(-tiles // splits)) * block
    return [[a, min(a + step, end)] for a in range(first, end, step)]
    # --8<-- [end:parts]


def first_key(n: int, n_q: int, left: int | None) -> int:
    """The first of n keys that any of the last n_q tokens sees, `left` keys back.

    Token i is at place n − n_q + i, the first of them therefore at n − n_q.
    """
    return 0 if left is None else max(0, n - n_q - left)


# --8<-- [start:part_state]
def part_state(
    q: list, k: list, v: list, see: list, scale: float, exp=math.exp
) -> tuple:
    """(m, ℓ, o) of one row for some keys, of which it sees those where see is True.

    m = max_j s_j,  ℓ = Σ_j e^{s_j − m},  o = Σ_j e^{s_j − m} v_j / ℓ
    """
    xs = [scale * dot(q, k_j) if x else -math.inf for k_j, x in zip(k, see)]
    m = max(xs)
    p = [weight(x, m, exp) for x in xs]
    l = sum(p)
    return m, l, [dot(p, column) / (l or 1) for column in zip(*v)]
    # --8<-- [end:part_state]


# --8<-- [start:merge_parts]
def merge_parts(states: list, exp=math.exp) -> tuple:
    """The state of all parts together, from one (m, ℓ, o) or more.

    m = max_s m_s,  ℓ = Σ_s e^{m_s − m} ℓ_s,  o = Σ_s e^{m_s − m} ℓ_s o_s / ℓ
    This is `tilewise.softmax.merge` for many states at once.
    """
    m = max([state[0] for state in states])
    ls = [weight(state[0], m, exp) * state[1] for state in states]
    l = sum(ls)
    columns = zip(*[state[2] for state in states])
    return m, l, [dot(ls, column) / (l or 1) for column in columns]
    # --8<-- [end:merge_parts]


def decode(
    q: list,
    k: list,
    v: list,
    splits: int,
    *,
    n_q: int = 1,
    block_cols: int = 1,
    scale: float | None = None,
    window: tuple | None = None,
    sinks: list | None = None,
    exp=math.exp,
):
    """Yield a dict for each part of the cache, then one for the merge: the result.

    q has the rows of a group, its heads times n_q, of d numbers; k is n × d, v n × d_v.
    Token i sees the keys up to n − n_q + i, and with window = (left, right) at most
    `left` keys before that. sinks has one logit for each head of the group. Every dict
    has the rows' `m`, `l` and `o`; that of a part also has its `keys`, [first, end).
    If scale is None, it is 1/√d. Raises ValueError if a size is below 1.
    """
    check_sizes(splits=splits, n_q=n_q, block_cols=block_cols)
    scale = len(q[0]) ** -0.5 if scale is None else scale
    n, left = len(k), None if window is None else window[0]
    last = [n - n_q + r % n_q for r in range(len(q))]  # the last key that a row sees
    whole: list = [[] for _ in q]  # of each row, the states to merge
    if sinks is not None:  # a key with this score and a value of zeros
        whole = [[(sinks[r // n_q], 1, [0] * len(v[0]))] for r in range(len(q))]
    for a, b in parts(first_key(n, n_q, left), n, block_cols, splits):
        states = []
        for q_r, end in zip(q, last):
            see = [first_key(end + 1, 1, left) <= j <= end for j in range(a, b)]
            states.append(part_state(q_r, k[a:b], v[a:b], see, scale, exp))
        whole = [row + [state] for row, state in zip(whole, states)]
        yield {"keys": [a, b]} | columns(states)
    nothing = IDENTITY + ([0] * len(v[0]) if v else [],)
    yield columns([merge_parts(row or [nothing], exp) for row in whole])


def columns(states: list) -> dict:
    """The states of all rows as {"m": […], "l": […], "o": […]}."""
    m, l, o = [list(x) for x in zip(*states)]
    return {"m": m, "l": l, "o": o}


# --8<-- [start:choose_splits]
LAUNCH = 2**16  # bytes that an SM could have moved while the second kernel starts


def choose_splits(
    programs: int, tiles: int, rows: int, tile: int, row: int, sms: int
) -> int:
    """How many parts to cut a cache into, so that the busiest SM moves least.

    The GPU has `sms` multiprocessors. Without parts there are `programs` programs; each
    reads `tiles` tiles of K and V, of `tile` bytes, for its `rows` rows. With s parts
    there are s times as many, and a row of a partial result takes `row` bytes, which
    are written and read again. With P = ⌈programs s / sms⌉, the busiest SM moves

    cost(s) = P (⌈tiles / s⌉ tile + [s > 1] rows row), and an eighth more if P = 1,
              + [s > 1] (⌈programs rows / sms⌉ s row + LAUNCH)

    bytes, where [s > 1] is 1 or 0. The eighth is for a program that has its SM to
    itself: while it waits, nobody else loads. The smallest s of the least cost is
    returned.
    """

    def cost(s: int) -> float:
        most = -(-programs * s // sms)
        moved = most * (-(-tiles // s) * tile + (s > 1) * rows * row)
        merging = s * -(-programs * rows // sms) * row + LAUNCH if s > 1 else 0
        return moved * (9 / 8 if most == 1 else 1) + merging

    most_parts = max(1, min(tiles, 4 * sms // programs + 1))
    return min(range(1, most_parts + 1), key=cost)
    # --8<-- [end:choose_splits]
