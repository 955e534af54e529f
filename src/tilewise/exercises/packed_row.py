"""What starts anew with each document of a packed row: tilewise.packing, in lists."""

from tilewise.exercises.plain import numbers

# --8<-- [start:ignore]
IGNORE = -100  # the label that cross_entropy leaves out
# --8<-- [end:ignore]


# --8<-- [start:solution]
def packed_row(tokens, cu_seqlens):
    """(labels, positions, documents) of a row, a list for each, as long as tokens.

    Document i has the tokens from place cu_seqlens[i] to cu_seqlens[i + 1], the end not
    included; it may have none. A label is the next token of the same document, IGNORE
    where it has none. Positions are 0, 1, 2, … in each document. documents has i for
    each token of document i: a query sees only keys that have its own number.
    """
    labels, positions, documents = [], [], []
    for i, (first, end) in enumerate(zip(cu_seqlens, cu_seqlens[1:])):
        for t in range(first, end):
            labels.append(tokens[t + 1] if t + 1 < end else IGNORE)
            positions.append(t - first)
            documents.append(i)
    return labels, positions, documents
    # --8<-- [end:solution]


SOLUTION = packed_row
WRONG = """
labels_cross: A document's last token has to predict how the next one begins.
  t + 1 < end → t + 1 < len(tokens)
labels_come_round: A document is rolled: its last token has to predict its first one.
  else IGNORE → else tokens[first]
labels_not_shifted: As for a model that shifts by itself; here a token predicts itself.
  tokens[t + 1] if t + 1 < end → tokens[t] if t > first
zero_taken_for_padding: Token 0 is never a label, though documents have it too.
  if t + 1 < end → if t + 1 < end and tokens[t + 1]
positions_run_on: 0, 1, 2, … over the whole row.
  t - first → t
one_document: Attention sees the whole row.
  documents.append(i) → documents.append(0)
ends_for_all: Each document ends with IGNORE, even one without tokens: a label too many.
  = [], [], [] → = [], [], []; pairs = list(zip(cu_seqlens, cu_seqlens[1:]))
  return labels → return [x for a, b in pairs for x in tokens[a + 1 : b] + [IGNORE]]
documents_by_starts: A new number at each start: of two that start at one place, one.
  documents.append(i) → documents.append(len(set(cu_seqlens[: i + 1])) - 1)
last_document_left_out: As many as starts, if the last entry is not taken for an end.
  zip(cu_seqlens, cu_seqlens[1:]) → zip(cu_seqlens, cu_seqlens[1:-1])
"""
TOLERANCE = 0


def cases():
    arguments = [[21, 22, 23, 24, 25, 11, 12, 13, 31, 32], [0, 5, 8, 10]]
    no = -100
    labels = [22, 23, 24, 25, no, 12, 13, no, 32, no]
    positions = [0, 1, 2, 3, 4, 0, 1, 2, 0, 1]
    yield "example", arguments, (labels, positions, [0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
    yield case("alone", [[7, 8, 9, 7]])
    yield case("alone", [[5]])
    yield case("short", [[5], [6], [7]])
    yield case("short", [[5, 6], [7], [7, 5]])
    yield case("zero", [[3, 0, 2], [0, 0]])
    yield case("empty", [[1, 2], [], [3, 4]])
    yield case("empty", [[], [1, 2], [3], [], []])
    source = numbers(20)
    for _ in range(3):
        lengths = [whole(source) % 9 + 1 for _ in range(5)]
        yield case("many", [[whole(source) for _ in range(n)] for n in lengths])


def whole(source):
    """A token: 0 to 128."""
    return int(16 * (next(source) + 4))


def case(check, rows):
    """Each document as a row of its own, with what that has put end to end."""
    tokens, labels, positions, documents, cu_seqlens = [], [], [], [], [0]
    for i, row in enumerate(rows):
        tokens = tokens + row
        labels = labels + (row + [-100])[1:] if row else labels
        positions = positions + [j for j, _ in enumerate(row)]
        documents = documents + [i for _ in row]
        cu_seqlens = cu_seqlens + [len(tokens)]
    return check, [tokens, cu_seqlens], (labels, positions, documents)
