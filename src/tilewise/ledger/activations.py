"""What a decoder's block keeps for its backward pass, and what a step costs, counted.

The block is tilewise.training.transformer.Block: x + attention(norm(x)), x +
mlp(norm(x)), an MLP of 4E with GELU, causal attention with as many heads of K and V as
of Q. Counts are for one token unless they say otherwise; E is embed_dim, in num_heads
heads. attention and policy are among ATTENTION and POLICIES, n is N.
tests/plain/test_activations.py compares them with what PyTorch keeps and computes.
"""

from tilewise.ledger.sizes import check as check_sizes
from tilewise.ledger.sizes import in_bytes

ATTENTION = ("standard", "ours", "pytorch")
POLICIES = ("none", "block", "apart", "o", "mlp")
MLP = ("statistics 2", "h 2", "a", "g")
INSIDE = {  # policy: what it does not keep, though autograd would
    "none": (),
    "block": ("statistics 1", "h 1", "q", "k", "v", "o", "L", "P", "y") + MLP,
    "apart": ("statistics 1", "h 1", "y") + MLP,
    "o": ("statistics 1", "h 1", "q", "k", "v", "P", "y") + MLP,
    "mlp": MLP,
}


def everything(n, embed_dim, num_heads, attention="ours"):
    """{name: numbers a token} that autograd keeps of a block, and which step wants it.

    x    the block's input        norm 1: its gradient needs the input
    h 1  norm(x)                  q, k, v: dW = dqᵀ h, a copy for all three
    q, k, v, o, L                 attention's backward pass; o also for o_proj's dW
    P    instead of L             standard attention: num_heads · n
    y    x + o W_Oᵀ               norm 2
    h 2  norm(y)                  up: dW
    a    h W_upᵀ, 4E              GELU: its derivative at a
    g    gelu(a), 4E              down: dW
    The statistics are mean and 1/σ of each norm. A sum keeps nothing.
    """
    e = embed_dim
    scores = {"P": num_heads * n} if attention == "standard" else {"L": num_heads}
    kept = {"x": e, "statistics 1": 2, "h 1": e, "q": e, "k": e, "v": e, "o": e}
    return kept | scores | {"y": e, "statistics 2": 2, "h 2": e, "a": 4 * e, "g": 4 * e}


def kept(n, embed_dim, num_heads, *, attention="ours", policy="none"):
    """The same with a policy of tilewise.training.checkpointing: only what it leaves.

    Raises ValueError for an unknown policy or attention, or a size below 1.
    """
    check(policy, attention, n=n, embed_dim=embed_dim, num_heads=num_heads)
    held = everything(n, embed_dim, num_heads, attention)
    return {name: x for name, x in held.items() if name not in INSIDE[policy]}


def check(policy, attention, **sizes):
    """Raise ValueError with one sentence that names what cannot be."""
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {policy!r}")
    if attention not in ATTENTION:
        names = ", ".join(ATTENTION)
        raise ValueError(f"attention must be one of {names}, not {attention!r}")
    if attention == "standard" and policy == "o":
        raise ValueError("policy must not be 'o' with standard attention: it wants P")
    check_sizes(**sizes)


WIDE = ("statistics 1", "statistics 2", "L")  # in fp32 where the rest is narrower


def kept_bytes(n, embed_dim, num_heads, dtype, *, attention="ours", policy="none"):
    """Bytes that a block keeps for one sequence of n tokens; dtype as in the ledger."""
    held = kept(n, embed_dim, num_heads, attention=attention, policy=policy)
    size = in_bytes(1, dtype)
    wide = sum([x for name, x in held.items() if name in WIDE])
    return n * (size * (sum(held.values()) - wide) + max(4, size) * wide)


def products(n, embed_dim, attention="ours"):
    """{name: FLOPs a token} of a block's products forward; a mean over the n tokens.

    Attention is 4E for each key that a token sees, (n + 1)/2 in the mean; standard
    attention computes all n.
    """
    e = embed_dim
    seen = 4 * n * e if attention == "standard" else 2 * (n + 1) * e
    parts = {"q": 2 * e * e, "k": 2 * e * e, "v": 2 * e * e, "o": seen}
    return parts | {"y": 2 * e * e, "a": 8 * e * e, "down": 8 * e * e}


def again(policy):
    """The products that a policy computes twice, by what they make.

    Never down's: recomputation stops at the last thing that was kept, which is g. Where
    q, k, v stay, in "apart", the last is h 1 for v: q and k have been made for nothing.
    """
    twice = {"none": (), "mlp": ("a",), "apart": ("q", "k", "y", "a")}
    twice["o"] = ("q", "k", "v", "y", "a")
    twice["block"] = twice["o"] + ("o",)
    return twice[policy]


def step(n, embed_dim, *, attention="ours", policy="none"):
    """FLOPs a token of a block's training step: forward, again, backward.

    Backward is twice the forward products, and for attention 5/2: it makes S again from
    Q and K, whatever the policy. Standard attention has P, so twice.
    """
    check(policy, attention, n=n, embed_dim=embed_dim)
    parts = products(n, embed_dim, attention)
    forward = sum(parts.values())
    extra = 0 if attention == "standard" else parts["o"] // 2
    more = sum([parts[name] for name in again(policy)])
    return {"forward": forward, "again": more, "backward": 2 * forward + extra}


def price(n, embed_dim):
    """{name: FLOPs of products} that bring back one number of what is kept.

    h 1, h 2 and g cost none: norms and GELU have no products.
    """
    held = everything(n, embed_dim, 1)
    made = products(n, embed_dim)
    made["x"] = made.pop("down")  # of the block before
    names = [name for name in held if not name.startswith(("stat", "L"))]
    return {name: made.get(name, 0) / held[name] for name in names}
