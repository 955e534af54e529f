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


def labels_cross(tokens, cu_seqlens):
    """A document's last token has to predict how the next one begins."""
    _, positions, documents = packed_row(tokens, cu_seqlens)
    return tokens[1:] + [IGNORE], positions, documents


def labels_come_round(tokens, cu_seqlens):
    """A document is rolled: its last token has to predict its own first one."""
    labels, positions, documents = packed_row(tokens, cu_seqlens)
    for first, end in zip(cu_seqlens, cu_seqlens[1:]):
        labels[first:end] = tokens[first + 1 : end] + tokens[first:end][:1]
    return labels, positions, documents


def labels_not_shifted(tokens, cu_seqlens):
    """What a model wants that shifts by itself; here each token predicts itself."""
    _, positions, documents = packed_row(tokens, cu_seqlens)
    labels = [x if i else IGNORE for x, i in zip(tokens, positions)]
    return labels, positions, documents


def zero_taken_for_padding(tokens, cu_seqlens):
    """Token 0 is never a label, though documents have it too."""
    labels, positions, documents = packed_row(tokens, cu_seqlens)
    return [x or IGNORE for x in labels], positions, documents


def positions_run_on(tokens, cu_seqlens):
    """0, 1, 2, … over the whole row."""
    labels, positions, documents = packed_row(tokens, cu_seqlens)
    return labels, list(range(len(positions))), documents


def one_document(tokens, cu_seqlens):
    """Attention sees the whole row."""
    labels, positions, documents = packed_row(tokens, cu_seqlens)
    return labels, positions, [0] * len(documents)


def ends_for_all(tokens, cu_seqlens):
    """Each document ends with IGNORE, even one that has no token: a label too many."""
    _, positions, documents = packed_row(tokens, cu_seqlens)
    labels = []
    for first, end in zip(cu_seqlens, cu_seqlens[1:]):
        labels = labels + tokens[first + 1 : end] + [IGNORE]
    return labels, positions, documents


def documents_by_starts(tokens, cu_seqlens):
    """A new number at each start: two documents that start at one place get one."""
    labels, positions, _ = packed_row(tokens, cu_seqlens)
    documents, number = [], -1
    for i in positions:
        number += i == 0
        documents.append(number)
    return labels, positions, documents


def last_document_left_out(tokens, cu_seqlens):
    """As many documents as starts, if the last entry is not taken for an end."""
    return packed_row(tokens, cu_seqlens[:-1])


SOLUTION = packed_row
WRONG = (
    labels_cross,
    labels_come_round,
    labels_not_shifted,
    zero_taken_for_padding,
    positions_run_on,
    one_document,
    ends_for_all,
    documents_by_starts,
    last_document_left_out,
)
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
