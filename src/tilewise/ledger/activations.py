"""What a decoder's block keeps for its backward pass, and what a step costs.

The block is tilewise.training.transformer.Block: x + attention(norm(x)) followed by
x + mlp(norm(x)), with GELU in an MLP of 4E, and causal attention that has as many heads
of K and V as of Q. Counts are for one token unless they say otherwise. E is embed_dim,
in num_heads heads, and n is N; attention is one of ATTENTION, policy one of POLICIES.
tests/plain/test_activations.py compares them with what PyTorch keeps and computes.
"""

from tilewise.checks import check_choice, check_sizes
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


def everything(
    n: int, embed_dim: int, num_heads: int, attention: str = "ours"
) -> dict[str, int]:
    """{name: numbers per token} that autograd keeps of a block, and what needs them.

    x    the block's input        norm 1: its gradient needs the input
    h 1  norm(x)                  q, k, v: dW = dqᵀ h, a copy for all three
    q, k, v, o, L                 attention's backward pass; o also for o_proj's dW
    P    instead of L             standard attention: num_heads · n
    y    x + o W_Oᵀ               norm 2
    h 2  norm(y)                  up: dW
    a    h W_upᵀ, 4E              GELU: its derivative at a
    g    gelu(a), 4E              down: dW
    The statistics are the mean and 1/σ of each norm. A sum keeps nothing.
    """
    e = embed_dim
    scores = {"P": num_heads * n} if attention == "standard" else {"L": num_heads}
    kept = {"x": e, "statistics 1": 2, "h 1": e, "q": e, "k": e, "v": e, "o": e}
    return kept | scores | {"y": e, "statistics 2": 2, "h 2": e, "a": 4 * e, "g": 4 * e}


def kept(
    n: int,
    embed_dim: int,
    num_heads: int,
    *,
    attention: str = "ours",
    policy: str = "none",
) -> dict[str, int]:
    """What remains of it with a policy of tilewise.training.checkpointing.

    Raises ValueError if the policy or the attention is unknown, or a size is below 1.
    """
    check(policy, attention, n=n, embed_dim=embed_dim, num_heads=num_heads)
    numbers = everything(n, embed_dim, num_heads, attention)
    return {name: x for name, x in numbers.items() if name not in INSIDE[policy]}


def check(policy: str, attention: str, **sizes: int) -> None:
    """Raise ValueError with one sentence that names what does not fit."""
    check_choice("policy", policy, POLICIES)
    check_choice("attention", attention, ATTENTION)
    if attention == "standard" and policy == "o":
        raise ValueError("policy must not be 'o' with standard attention: it wants P")
    check_sizes(**sizes)


WIDE = ("statistics 1", "statistics 2", "L")  # in fp32 where the rest is narrower


def kept_bytes(
    n: int,
    embed_dim: int,
    num_heads: int,
    dtype: str,
    *,
    attention: str = "ours",
    policy: str = "none",
) -> int:
    """The bytes that a block keeps for n tokens; dtype is one of the ledger's."""
    numbers = kept(n, embed_dim, num_heads, attention=attention, policy=policy)
    size = in_bytes(1, dtype)
    wide = sum([x for name, x in numbers.items() if name in WIDE])
    return n * (size * (sum(numbers.values()) - wide) + max(4, size) * wide)


def products(n: int, embed_dim: int, attention: str = "ours") -> dict[str, int]:
    """{name: FLOPs per token} of a block's forward products, the mean over n tokens.

    Attention takes 4E for each key that a token sees, which is (n + 1)/2 keys on
    average; standard attention computes all n.
    """
    e = embed_dim
    seen = 4 * n * e if attention == "standard" else 2 * (n + 1) * e
    parts = {"q": 2 * e * e, "k": 2 * e * e, "v": 2 * e * e, "o": seen}
    return parts | {"y": 2 * e * e, "a": 8 * e * e, "down": 8 * e * e}


def again(policy: str) -> tuple[str, ...]:
    """The products that a policy computes twice, named by their results.

    The product `down` is never among them, because recomputation stops at the last
    number that the backward pass needs, which is g. With the policy "apart", where q, k
    and v stay, that is `h 1` for v, so q and k are computed in vain.
    """
    twice = {"none": (), "mlp": ("a",), "apart": ("q", "k", "y", "a")}
    twice["o"] = ("q", "k", "v", "y", "a")
    twice["block"] = twice["o"] + ("o",)
    return twice[policy]


def step(
    n: int, embed_dim: int, *, attention: str = "ours", policy: str = "none"
) -> dict[str, int]:
    """FLOPs per token of a block's training step: forward, again, backward.

    The backward pass takes twice the forward products, and 5/2 times those of
    attention, because it computes S again from Q and K whatever the policy is. Standard
    attention has kept P, so its factor is 2.
    """
    check(policy, attention, n=n, embed_dim=embed_dim)
    parts = products(n, embed_dim, attention)
    forward = sum(parts.values())
    extra = 0 if attention == "standard" else parts["o"] // 2
    more = sum([parts[name] for name in again(policy)])
    return {"forward": forward, "again": more, "backward": 2 * forward + extra}


def price(n: int, embed_dim: int) -> dict[str, float]:
    """{name: FLOPs of products} that it takes to recompute one number that is kept.

    `h 1`, `h 2` and g take none, because norms and GELU have no products.
    """
    numbers = everything(n, embed_dim, 1)
    flops = products(n, embed_dim)
    flops["x"] = flops.pop("down")  # of the block before
    names = [name for name in numbers if not name.startswith(("stat", "L"))]
    return {name: flops.get(name, 0) / numbers[name] for name in names}
