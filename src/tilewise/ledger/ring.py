"""What ring attention and Ulysses cost each of P ranks, counted exactly.

The whole sequence has n = N queries and keys, and each of world = P ranks has N / P of
them, for `heads` query heads of d columns and `kv_heads` heads of K and V (GQA).
size is the bytes of an element, causal asks for a causal mask in zig-zag order, and
backward for the backward pass. FLOPs are matrix products only, as in `tilewise.ledger`.
Sources: Ring Attention, arXiv 2310.01889; DeepSpeed Ulysses, arXiv 2309.14509.
"""

from tilewise.checks import check_sizes

SUMS = 4  # bytes of a number of dK or dV on its way: summed up in fp32
LEAST = 2**28  # bytes on their way and in fp32 that are not worth shorter turns
H200 = "https://www.nvidia.com/en-us/data-center/h200/"
DGX = "https://docs.nvidia.com/dgx/dgxh100-user-guide/introduction-to-dgxh100.html"
LINKS = {  # bytes a second that a GPU can send, as its vendor states it; the source
    "NVLink": (450e9, H200),  # 900 both ways
    "InfiniBand": (50e9, DGX),  # 400 Gb/s, one adapter for each GPU
}


def scores(n: int, world: int, step: int, causal: bool = False) -> int:
    """How many scores each rank computes at a step of 0 .. P − 1, the same on all.

    N/P queries meet N/P keys. With a causal mask in zig-zag order, step 0 is a triangle
    with its diagonal, and every other step is exactly half of the square. Raises
    ValueError if N is not a multiple of P, or of 2P with a causal mask.
    """
    check_sizes(n=n, world=world, step=step + 1)
    cut = 2 * world if causal else world
    if n % cut or step >= world:
        raise ValueError(f"n must be a multiple of {cut}, step below {world}")
    share = n // world
    if not causal:
        return share * share
    return share * (share + 1) // 2 if step == 0 else share * share // 2


def flops(
    n: int,
    world: int,
    step: int,
    heads: int,
    d: int,
    *,
    causal: bool = False,
    backward: bool = False,
) -> int:
    """The FLOPs of a rank at a step, for two products forward or five backward."""
    each = 10 if backward else 4
    return each * scores(n, world, step, causal) * heads * d


def step_bytes(
    n: int, world: int, kv_heads: int, d: int, size: int = 2, *, backward: bool = False
) -> int:
    """The bytes that a rank sends and receives in a step: K and V, and dK and dV.

    These are 2 · N/P · kv_heads · d elements, and backward as many sums of 4 bytes, or
    of `size` bytes if that is more. GQA sends fewer heads; a mask changes nothing.
    """
    check_sizes(n=n, world=world, kv_heads=kv_heads, d=d, size=size)
    elements = 2 * (n // world) * kv_heads * d
    return elements * (size + max(size, SUMS) if backward else size)


def ring_bytes(
    n: int, world: int, kv_heads: int, d: int, size: int = 2
) -> dict[str, int]:
    """{"forward": …, "backward": …}: the bytes that a rank sends in each pass.

    K and V make P − 1 steps in each pass. dK and dV make P, the last of them home.
    """
    one = step_bytes(n, world, kv_heads, d, size)
    sums = step_bytes(n, world, kv_heads, d, size, backward=True) - one
    if world == 1:
        return {"forward": 0, "backward": 0}
    keys = (world - 1) * one
    return {"forward": keys, "backward": keys + world * sums}


def ulysses_bytes(
    n: int, world: int, heads: int, kv_heads: int, d: int, size: int = 2
) -> dict[str, int]:
    """The same for Ulysses, which exchanges all heads of N/P rows for heads/P of all.

    Forward, Q, K and V go out and O comes back; backward, dO goes out and dQ, dK, dV
    come back, (P − 1)/P of each. Raises ValueError if P does not divide kv_heads.
    """
    check_sizes(n=n, world=world, heads=heads, kv_heads=kv_heads, d=d, size=size)
    if kv_heads % world:
        raise ValueError(f"world must divide kv_heads: {world}, {kv_heads}")
    local = (2 * heads + 2 * kv_heads) * (n // world) * d * size
    sent = local * (world - 1) // world
    return {"forward": sent, "backward": sent}


def least_share(
    peak: float,
    link: float,
    heads: int,
    kv_heads: int,
    size: int = 2,
    *,
    causal: bool = False,
    backward: bool = False,
) -> float:
    """The least N/P for which a step computes for as long as its keys travel.

    Forward, 4 (N/P)² heads d FLOPs at `peak` FLOP/s take as long as 2 N/P kv_heads d
    size bytes at `link` bytes/s in one direction if
    N/P = size · kv_heads · peak / (2 · heads · link).
    d cancels. A causal mask halves the work and so doubles N/P. Backward, 10 takes the
    place of 4 in the work, and size + 4 that of size in the bytes.
    """
    products = 5 if backward else 2
    carried = size + max(size, SUMS) if backward else size
    half = 2 if causal else 1
    return carried * half * kv_heads * peak / (products * heads * link)


def needed(
    share: int,
    peak: float,
    heads: int,
    kv_heads: int,
    size: int = 2,
    *,
    causal: bool = False,
    backward: bool = False,
) -> float:
    """The bytes per second that a rank must send to hide its keys behind N/P = share.

    This is `least_share` solved for the link, one way, with peak in FLOP/s.
    """
    check_sizes(share=share, heads=heads, kv_heads=kv_heads, size=size)
    way = {"causal": causal, "backward": backward}
    return least_share(peak, share, heads, kv_heads, size, **way)


def working_set(
    n_q: int,
    n_k: int,
    heads: int,
    d: int,
    d_v: int,
    size: int = 2,
    *,
    backward: bool = False,
) -> dict[str, int]:
    """{what: bytes} for one head of K and V at the worst moment of a turn, P ≥ 3.

    A rank needs this much memory besides q, k, v, o, L and their gradients for each
    head of K and V whose turn it is, with n_q rows in each of `heads` query heads, n_k
    keys of d columns, and d_v columns of V. Forward, that moment is the merging of a
    step; backward it is the Gluon kernel, with its fp32 dQ and two numbers per row.
    """
    check_sizes(n_q=n_q, n_k=n_k, heads=heads, d=d, d_v=d_v, size=size)
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


def at_once(
    n_q: int,
    n_k: int,
    heads: int,
    kv_heads: int,
    d: int,
    d_v: int,
    size: int = 2,
    *,
    batch: int = 1,
    backward: bool = False,
) -> int:
    """How many heads of K and V, of all batch entries, take a turn around the ring.

    As many as need at most LEAST bytes in `working_set`, or at most an eighth of q, k,
    v, o and their gradients if that is more, and at least one. n_q and n_k are those
    of the longest share, d and d_v the columns of K and V.
    """
    check_sizes(kv_heads=kv_heads, batch=batch)
    one = working_set(n_q, n_k, heads // kv_heads, d, d_v, size, backward=backward)
    whole = 2 * batch * (heads * n_q + kv_heads * n_k) * (d + d_v) * size
    few = max(whole // 8, LEAST) // sum(one.values())
    return max(1, min(few, batch * kv_heads))
