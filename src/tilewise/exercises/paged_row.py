"""One new token over the keys of its sequence, which lie in pages."""

from tilewise.exercises.plain import matrix, numbers, output, row

# --8<-- [start:softmax]
from tilewise.softmax import safe_softmax  # safe_softmax([]) is []

# --8<-- [end:softmax]


# --8<-- [start:solution]
def paged_row(q, k_pages, v_pages, table, n, n_q, i):
    """o of token i of the n_q newest, over the keys that it sees, of n in pages.

    k_pages and v_pages are lists of pages of the same size, and each page is a list of
    rows. Key j is row j mod size of page table[⌊j / size⌋]. The new tokens are the last
    n_q of n keys. Token i, counted from 0, sees the keys up to its own, with the scores
    q · k. Other rows, and the table behind the last page, may hold anything. A token
    that sees no key gives zeros.
    """
    size, end = len(k_pages[0]), max(0, n - n_q + i + 1)
    places = [(table[j // size], j % size) for j in range(end)]
    s = [sum(a * b for a, b in zip(q, k_pages[page][at])) for page, at in places]
    o = [0] * len(v_pages[0][0])
    for p, (page, at) in zip(safe_softmax(s), places):
        o = [x + p * y for x, y in zip(o, v_pages[page][at])]
    return o
    # --8<-- [end:solution]


SOLUTION = paged_row
WRONG = """
table_ignored: Pages are taken in the order in which they lie.
  table[j // size] → j // size
read_to_the_end: The last page is read as if it were full.
  in range(end) → in range(-(-end // size) * size)
all_of_the_room: The keys end where the table does, as in a cache for the longest.
  max(0, n - n_q + i + 1) → len(table) * size - n_q + i + 1
everything_seen: A token sees the new tokens after it.
  n - n_q + i + 1 → n
own_key_hidden: A token does not see itself.
  n - n_q + i + 1 → n - n_q + i
counted_from_the_front: Token i sees i + 1 keys: the diagonal begins at the top left.
  n - n_q + i + 1 → i + 1
dealt_out: Keys go to the pages in turn, as cards are dealt.
  table[j // size], j % size → table[j % len(table)], j // len(table)
"""


def cases():
    k, v = [[[0], [0]], [[0], [0]]], [[[5], [7]], [[1], [3]]]
    yield "example", [[1], k, v, [1, 0], 3, 1, 0], [3]
    for i in range(2):
        yield "example", [[1], k, v, [1, 0], 4, 2, i], [3 + i]
    source = numbers(31)
    for size, n in ((4, 8), (3, 9), (1, 4)):
        yield case("full", source, size, n, 1, 0)
    for size, n in ((4, 6), (3, 7), (5, 2)):
        yield case("partial", source, size, n, 1, 0)
    for n_q in (2, 3, 4):
        for i in range(n_q):
            yield case("several", source, 3, 8, n_q, i)
    yield case("nothing", source, 2, 0, 1, 0)
    for i in range(3):
        yield case("nothing", source, 2, 2, 3, i)


def case(check, source, size, n, n_q, i):
    """A sequence of n keys in pages from the last one back, rubbish around them."""
    used = -(-n // size)
    k_rows, v_rows = matrix(source, n, 3), matrix(source, n, 2)
    k, v = ([[[99] * d] * size] * (used + 2) for d in (3, 2))
    table = [used - x for x in range(used)] + [used + 1, -1]  # one page more, and none
    for x in range(used):
        first, end = x * size, min(n, x * size + size)
        missing = x * size + size - end
        k[table[x]] = k_rows[first:end] + [[99] * 3] * missing
        v[table[x]] = v_rows[first:end] + [[99] * 2] * missing
    q, end = row(source, 3), max(0, n - n_q + i + 1)
    s = [sum(a * b for a, b in zip(q, key)) for key in k_rows[:end]]
    o = output(s, v_rows[:end]) if end else [0, 0]
    return check, [q, k, v, table, n, n_q, i], o
