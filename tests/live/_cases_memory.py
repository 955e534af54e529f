"""Random calls of the modules behind the chapters on memory: draw → (args, how)."""

POLICIES = ("none", "block", "apart", "o", "mlp", "half")
ATTENTION = ("standard", "ours", "pytorch", "none")


def size(draw):
    return draw.randint(1, 4096)


def few(draw):
    return draw.randint(1, 32)


def truth(draw):
    return draw.random() < 0.5


def chosen(draw):
    return {"attention": draw.choice(ATTENTION), "policy": draw.choice(POLICIES)}


def sizes(*makers):
    return lambda draw: ([make(draw) for make in makers], {})


def priced(draw):
    return [size(draw), size(draw), few(draw), draw.choice(["fp32", "bf16", "fp8"])]


def length(draw, world):
    """N that most often cuts into 2 P parts."""
    return draw.randint(1, 40) * draw.choice([2 * world, 2 * world, world, 1])


def shared(draw):
    """n and world."""
    world = draw.choice([1, 2, 3, 4, 8])
    return [length(draw, world), world]


def scored(draw):
    n, world = shared(draw)
    return [n, world, draw.randint(0, world)], {"causal": truth(draw)}


def worked(draw):
    args, how = scored(draw)
    return [*args, few(draw), few(draw)], how | {"backward": truth(draw)}


def sent(draw):
    return [*shared(draw), few(draw), few(draw), draw.choice([1, 2, 4, 8])], {}


def held(draw):
    args = [size(draw), size(draw), *(few(draw) for _ in range(3))]
    return [*args, draw.choice([2, 4, 8])], {"backward": truth(draw)}


def at_once(draw):
    (n_q, n_k, group, *rest), how = held(draw)
    kv_heads = few(draw)
    args = [64 * n_q, 64 * n_k, group * kv_heads, kv_heads, *rest]
    return args, how | {"batch": few(draw)}


def exchanged(draw):
    kv_heads = draw.choice([1, 2, 8, 16])
    return [*shared(draw), kv_heads * few(draw), kv_heads, few(draw)], {}


def hidden(first):
    def draw_one(draw):
        args = [first(draw), draw.uniform(1e12, 1e15), few(draw), few(draw), 2]
        return args, {"causal": truth(draw), "backward": truth(draw)}

    return draw_one


def least(draw):
    args, how = hidden(lambda d: d.uniform(1e12, 1e15))(draw)
    args[1] = draw.uniform(1e9, 1e12)
    return args, how


MEMORY = {
    "ledger.activations": {
        "everything": sizes(size, size, few, lambda draw: draw.choice(ATTENTION)),
        "kept": lambda draw: ([size(draw), size(draw), few(draw)], chosen(draw)),
        "check": lambda draw: ([*chosen(draw).values()][::-1], {"n": size(draw) - 1}),
        "kept_bytes": lambda draw: (priced(draw), chosen(draw)),
        "products": sizes(size, size, lambda draw: draw.choice(ATTENTION)),
        "again": sizes(lambda draw: draw.choice(POLICIES[:-1])),
        "step": lambda draw: ([size(draw), size(draw)], chosen(draw)),
        "price": sizes(size, size),
    },
    "ledger.ring": {
        "scores": scored,
        "flops": worked,
        "ring_bytes": sent,
        "step_bytes": lambda draw: (sent(draw)[0], {"backward": truth(draw)}),
        "ulysses_bytes": exchanged,
        "least_share": least,
        "needed": hidden(size),
        "working_set": held,
        "at_once": at_once,
    },
}
