"""What ring attention and Ulysses cost each of P ranks, counted exactly.

The whole sequence has n = N queries and keys; each of world = P ranks holds N / P, for
`heads` query heads of d columns and `kv_heads` heads of keys and values (GQA). size is
the bytes of an element. causal is a causal mask, in zig-zag order; backward asks for
the backward pass. FLOPs are matrix products only, as in `tilewise.ledger`.
Sources: Ring Attention, arXiv 2310.01889; DeepSpeed Ulysses, arXiv 2309.14509.
"""

from tilewise.ledger.sizes import check

SUMS = 4  # bytes of a number of dK or dV on its way: summed up in fp32
LEAST = 2**28  # bytes on their way and in fp32 that are not worth shorter turns

DGX = "https://docs.nvidia.com/dgx/dgxh100-user-guide/introduction-to-dgxh100.html"
LINKS = {  # bytes a second that a GPU can send, as its vendor states it; the source
    "NVLink": (
        450e9,
        "https://www.nvidia.com/en-us/data-center/h200/",
    ),  # 900 both ways
    "InfiniBand": (50e9, DGX),  # 400 Gb/s, one adapter for each GPU
}


def scores(n, world, step, causal=False):
    """How many scores each rank computes at a step, 0 .. P − 1: the same on all.

    N/P queries meet N/P keys. With causal and zig-zag order step 0 is a triangle with
    its diagonal, and every other step half of the square, exactly. Raises ValueError
    where P, or with causal 2P, does not divide N.
    """
    check(n=n, world=world, step=step + 1)
    cut = 2 * world if causal else world
    if n % cut or step >= world:
        raise ValueError(f"n must be a multiple of {cut}, step below {world}")
    share = n // world
    if not causal:
        return share * share
    return share * (share + 1) // 2 if step == 0 else share * share // 2


def flops(n, world, step, heads, d, *, causal=False, backward=False):
    """The FLOPs of a rank at a step: two products forward, five backward."""
    each = 10 if backward else 4
    return each * scores(n, world, step, causal) * heads * d


def step_bytes(n, world, kv_heads, d, size=2, *, backward=False):
    """The bytes that a rank sends in a step, and receives: K and V, and dK and dV.

    2 · N/P · kv_heads · d elements, and backward as many sums of 4 bytes, or of `size`
    where that is more. GQA sends fewer heads; a causal mask changes nothing.
    """
    check(n=n, world=world, kv_heads=kv_heads, d=d, size=size)
    elements = 2 * (n // world) * kv_heads * d
    return elements * (size + max(size, SUMS) if backward else size)


def ring_bytes(n, world, kv_heads, d, size=2):
    """{"forward": …, "backward": …}: the bytes that a rank sends in a pass.

    K and V make P − 1 steps in each pass; dK and dV P, the last one home.
    """
    one = step_bytes(n, world, kv_heads, d, size)
    sums = step_bytes(n, world, kv_heads, d, size, backward=True) - one
    if world == 1:
        return {"forward": 0, "backward": 0}
    keys = (world - 1) * one
    return {"forward": keys, "backward": keys + world * sums}


def ulysses_bytes(n, world, heads, kv_heads, d, size=2):
    """The same for Ulysses: all-to-all, from all heads of N/P rows to heads/P of all.

    Forward Q, K, V go that way and O comes back; backward dO goes, dQ, dK and dV come.
    Of each a rank sends (P − 1)/P. Raises ValueError where P does not divide kv_heads.
    """
    check(n=n, world=world, heads=heads, kv_heads=kv_heads, d=d, size=size)
    if kv_heads % world:
        raise ValueError(f"world must divide kv_heads: {world}, {kv_heads}")
    held = (2 * heads + 2 * kv_heads) * (n // world) * d * size
    sent = held * (world - 1) // world
    return {"forward": sent, "backward": sent}


def least_share(peak, link, heads, kv_heads, size=2, *, causal=False, backward=False):
    """The least N/P whose step computes for as long as its keys travel.

    Forward 4 (N/P)² heads d FLOPs at `peak` FLOP/s take as long as 2 N/P kv_heads d
    size bytes at `link` bytes/s, one way, where
    N/P = size · kv_heads · peak / (2 · heads · link).
    d falls out. causal halves the work, so it doubles N/P; backward the work is 10 for
    4, and the bytes size + 4 for size.
    """
    products = 5 if backward else 2
    carried = size + max(size, SUMS) if backward else size
    half = 2 if causal else 1
    return carried * half * kv_heads * peak / (products * heads * link)


def needed(share, peak, heads, kv_heads, size=2, *, causal=False, backward=False):
    """The bytes a second that a rank must send, one way, for N/P = share to be hidden.

    `least_share` solved for the link; peak in FLOP/s, rows of `share` whole numbers.
    """
    check(share=share, heads=heads, kv_heads=kv_heads, size=size)
    way = {"causal": causal, "backward": backward}
    return least_share(peak, share, heads, kv_heads, size, **way)


def held(n_q, n_k, heads, d, d_v, size=2, *, backward=False):
    """{what: bytes} of one head of K and V at the worst moment of a turn, P ≥ 3.

    Beside q, k, v, o, L and their gradients a rank holds this for each head of K and V
    whose turn it is: n_q rows in each of `heads` query heads, n_k keys, d columns, d_v
    of V. Forward, that is while a step is merged; backward, while the Gluon kernel
    computes, whose own fp32 dQ and two numbers a row are the last line.
    """
    check(n_q=n_q, n_k=n_k, heads=heads, d=d, d_v=d_v, size=size)
    wide, narrow = max(size, SUMS), size < SUMS
    rows, keys = heads * n_q, n_k * (d + d_v)
    both = {"k, v": keys * size, "k, v, coming": keys * size}
    if not backward:
        return both | {
            "o, sum": rows * d_v * wide,
            "o of the step": rows * d_v * size,
            "o of the step, wider": rows * d_v * wide * narrow,
            "L, L of the step, their difference, its weight": 4 * rows * wide,
        }
    return both | {
        "dk, dv, sent": keys * wide,
        "dk, dv, coming": keys * wide,
        "dq, sum": rows * d * wide,
        "dq, dk, dv of the step": (rows * d + keys) * size,
        "the kernel's": rows * (d * narrow + 2) * wide,
    }


def at_once(n_q, n_k, heads, kv_heads, d, d_v, size=2, *, batch=1, backward=False):
    """How many heads of K and V, of all batch entries, take a turn round the ring.

    As many as keep what `held` counts in LEAST bytes, or an eighth of q, k, v, o and
    their gradients where that is more; at least one. n_q and n_k are the longest share,
    d and d_v the columns of K and V.
    """
    check(kv_heads=kv_heads, batch=batch)
    one = held(n_q, n_k, heads // kv_heads, d, d_v, size, backward=backward)
    whole = 2 * batch * (heads * n_q + kv_heads * n_k) * (d + d_v) * size
    few = max(whole // 8, LEAST) // sum(one.values())
    return max(1, min(few, batch * kv_heads))
