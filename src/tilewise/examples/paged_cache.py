"""A tiny KV cache in pages: append tokens, share a prefix, decode."""

import torch

import tilewise
from tilewise.merge import merge

PAGE, HEADS, KV_HEADS, D = 4, 4, 2, 8


def empty_cache(pages):
    """All pages are free; a page that several sequences use has that many owners."""
    k, v = (torch.full((pages, KV_HEADS, PAGE, D), torch.nan) for _ in range(2))
    return {"k": k, "v": v, "free": [*range(pages)], "owners": [0] * pages}


def new_page(cache):
    """Take a free page."""
    page = cache["free"].pop(0)  # IndexError: the cache is full
    cache["owners"][page] = 1
    return page


def append(cache, seq, k, v):
    """Write the keys and values (tokens, KV_HEADS, D) behind those of a sequence."""
    for k_row, v_row in zip(k, v):
        if seq["length"] % PAGE == 0:
            seq["pages"].append(new_page(cache))
        page, row = seq["pages"][-1], seq["length"] % PAGE
        cache["k"][page, :, row], cache["v"][page, :, row] = k_row, v_row
        seq["length"] += 1


def fork(cache, seq):
    """Another sequence that begins with this one and shares its full pages."""
    assert seq["length"] % PAGE == 0, "a page that is not full would be written by both"
    for page in seq["pages"]:
        cache["owners"][page] += 1
    return {"pages": [*seq["pages"]], "length": seq["length"]}


def release(cache, seq):
    """The sequence has ended: pages that nobody else owns are free again."""
    for page in seq["pages"]:
        cache["owners"][page] -= 1
        if cache["owners"][page] == 0:
            cache["free"].append(page)


def table_of(seqs, skip=0):
    """Lengths and block table of sequences, without their first `skip` pages."""
    rows = [seq["pages"][skip:] for seq in seqs]
    width = max(1, *map(len, rows))
    table = torch.tensor([row + [-1] * (width - len(row)) for row in rows])
    return torch.tensor([s["length"] - skip * PAGE for s in seqs]), table


def attend(cache, q, seqs):
    """q (sequences, HEADS, n_q, D) against each sequence's own keys."""
    lengths, table = table_of(seqs)
    return tilewise.flash_decode(q, cache["k"], cache["v"], lengths, block_table=table)


def attend_shared(cache, q, seqs, prefix):
    """The same in two calls: the prefix once for all, then what follows it."""
    n, heads, n_q, d = q.shape
    group, kv = heads // KV_HEADS, (cache["k"], cache["v"])
    together = q.reshape(n, KV_HEADS, group, n_q, d).transpose(0, 1)
    together = together.reshape(1, -1, 1, d)  # n · group · n_q heads to a KV head
    lengths, table = table_of([prefix])
    how = {"block_table": table, "return_lse": True}
    o, lse = tilewise.flash_decode(together, *kv, lengths, **how)
    o = o.view(KV_HEADS, n, group, n_q, d).transpose(0, 1).reshape(q.shape)
    lse = lse.view(KV_HEADS, n, group, n_q).transpose(0, 1).reshape(q.shape[:3])
    lengths, table = table_of(seqs, skip=len(prefix["pages"]))
    how = {"block_table": table, "return_lse": True}
    rest, rest_lse = tilewise.flash_decode(q, *kv, lengths, **how)
    return merge(torch.stack([o, rest]), torch.stack([lse, rest_lse]))[0]


def main():
    torch.manual_seed(0)
    cache = empty_cache(pages=16)
    prefix = {"pages": [], "length": 0}
    append(cache, prefix, *torch.randn(2, 12, KV_HEADS, D))  # a prompt of 12 tokens
    seqs = [fork(cache, prefix) for _ in range(3)]
    for seq, tokens in zip(seqs, (2, 5, 1)):
        append(cache, seq, *torch.randn(2, tokens, KV_HEADS, D))
    for name, seq in zip("abc", seqs):
        print(name, seq["length"], "tokens in pages", seq["pages"])
    alone = sum(-(-seq["length"] // PAGE) for seq in seqs)
    print(f"{16 - len(cache['free'])} pages in use; without sharing {alone}")
    q = torch.randn(3, HEADS, 1, D)
    o, shared = attend(cache, q, seqs), attend_shared(cache, q, seqs, prefix)
    print(
        f"prefix once for all: off by less than 1e-6: {(o - shared).abs().max() < 1e-6}"
    )
    reads = [sum(s["length"] for s in seqs)]
    reads += [prefix["length"] + sum(s["length"] - prefix["length"] for s in seqs)]
    print(f"keys read for each KV head: {reads[0]}, with the prefix once {reads[1]}")
    release(cache, seqs[1])
    print(
        f"b ends: {16 - len(cache['free'])} pages in use, the prompt's are still there"
    )


if __name__ == "__main__":
    main()
