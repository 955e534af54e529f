"""Packed rows: documents end to end, and what has to start anew with each of them.

A row is a dict of tensors, T tokens of D documents:

tokens      (T,) int64
labels      (T,) int64, the next token of the same document, IGNORE where it has none
positions   (T,) int64, 0, 1, 2, … in each document
documents   (T,) int64, 0 … D − 1: the token's place among the row's documents
cu_seqlens  (D + 1,) int32, where each document starts, and T
index       (D,) int64, the document's number before packing, −1 for padding
start       (D,) int64, its first token's place in that document, 0 unless it was cut

Labels are shifted already: row t of the logits is compared with labels[t].
"""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad as extend

from tilewise.packing.bins import check_size, first_fit_decreasing

Part = tuple[Tensor, Tensor, int, int]  # tokens, labels, index, start
Row = dict[str, Tensor]
IGNORE = -100  # the label that torch.nn.functional.cross_entropy leaves out


def split(
    document: Tensor | Sequence[int], index: int, size: int, *, cut: bool = False
) -> list[Part]:
    """A document as parts (tokens, labels, index, start) of at most size tokens.

    document (n,): token ids, as a tensor or a list. With cut a long one becomes several
    parts, and the last token of a part still has its label, the token after the cut.
    Raises ValueError for an empty document, or one longer than size without cut, and
    TypeError for tokens that are no whole numbers.
    """
    check_size(size)
    tokens = document if isinstance(document, Tensor) else torch.tensor(document)
    if tokens.ndim != 1 or not len(tokens):
        shape = tuple(tokens.shape)
        raise ValueError(f"document {index} must be (n,) with n ≥ 1, not {shape}")
    if tokens.is_floating_point() or tokens.is_complex() or tokens.dtype == torch.bool:
        raise TypeError(f"document {index} must be whole numbers, not {tokens.dtype}")
    if len(tokens) > size and not cut:
        what = f"document {index} has {len(tokens)} tokens"
        raise ValueError(f"{what}, a row {size}: cut=True would cut it")
    tokens = tokens.to("cpu", torch.int64)
    labels = extend(tokens[1:], (0, 1), value=IGNORE)  # (n,)
    starts = range(0, len(tokens), size)
    return [(tokens[a : a + size], labels[a : a + size], index, a) for a in starts]


def row(parts: Sequence[Part], size: int, pad: int | None = None) -> Row:
    """Parts end to end as one row, in their order.

    With pad, a token id, the row gets padding up to size: a document of its own at the
    end, so that no document sees it, and without labels.
    Raises ValueError where there is no part, or more than fits.
    """
    if not parts:
        raise ValueError("parts must be at least one part, not none")
    lengths = [len(part[0]) for part in parts]
    if sum(lengths) > size:
        raise ValueError(f"parts must have at most {size} tokens, not {sum(lengths)}")
    if pad is not None and sum(lengths) < size:
        empty = torch.full((size - sum(lengths),), pad)
        parts = [*parts, (empty, torch.full_like(empty, IGNORE), -1, 0)]
        lengths.append(len(empty))
    tokens, labels, index, start = zip(*parts)
    ends = torch.tensor(lengths).cumsum(0)  # (D,)
    starts = extend(ends, (1, 0))  # (D + 1,)
    documents = torch.repeat_interleave(torch.tensor(lengths))  # (T,) 0, …, 0, 1, …
    return {
        "tokens": torch.cat(tokens),
        "labels": torch.cat(labels),
        "positions": torch.arange(len(documents)) - starts[documents],
        "documents": documents,
        "cu_seqlens": starts.int(),
        "index": torch.tensor(index),
        "start": torch.tensor(start),
    }


def pack(
    documents: Iterable[Tensor | Sequence[int]],
    size: int,
    *,
    bins: Callable[[list[int], int], list[list[int]]] = first_fit_decreasing,
    cut: bool = False,
    pad: int | None = None,
) -> list[Row]:
    """All documents in rows of at most size tokens, each token once.

    documents: a list of token ids (n,) each. bins(lengths, size) says which document
    goes where: first_fit_decreasing, in_order or another; cut and pad are those of
    split and row. Raises ValueError and TypeError as split does.
    """
    parts = [
        part for i, x in enumerate(documents) for part in split(x, i, size, cut=cut)
    ]
    chosen = bins([len(part[0]) for part in parts], size)
    return [row([parts[i] for i in bin_], size, pad) for bin_ in chosen]


def collate(rows: Sequence[Row]) -> Row:
    """Rows end to end as one longer row: a batch for attention of variable length.

    Made for DataLoader(collate_fn=…): T and D are sums, and what counts from the row's
    start counts from the batch's. Raises ValueError where there is no row.
    """
    if not rows:
        raise ValueError("rows must be at least one row, not none")
    batch = {name: torch.cat([x[name] for x in rows]) for name in rows[0]}
    lengths = torch.cat([x["cu_seqlens"].diff() for x in rows])  # (D,)
    batch["cu_seqlens"] = extend(lengths.cumsum(0), (1, 0)).int()
    batch["documents"] = torch.repeat_interleave(lengths.long())
    return batch


def unpack(values: Iterable[Tensor], rows: Sequence[Row]) -> dict[int, Tensor]:
    """{index: what belongs to that document, (n, ...)}, in the documents' order.

    values: for each row a tensor (T, ...), whatever was computed for its tokens; parts
    of a document that was cut come together again, and padding is dropped. Gradients
    flow through. Raises ValueError where a tensor does not fit its row.
    """
    parts = []
    for x, packed in zip(values, rows, strict=True):
        total = int(packed["cu_seqlens"][-1])
        if not x.ndim or len(x) != total:
            raise ValueError(f"values must be ({total}, ...) here, not {(*x.shape,)}")
        pieces = x.split(packed["cu_seqlens"].diff().tolist())
        places = zip(packed["index"].tolist(), packed["start"].tolist())
        parts += [(*at, y) for at, y in zip(places, pieces) if at[0] >= 0]
    by_document: dict[int, list[Tensor]] = {}
    for index, _, y in sorted(parts, key=lambda part: part[:2]):
        by_document.setdefault(index, []).append(y)
    return {index: torch.cat(pieces) for index, pieces in by_document.items()}
