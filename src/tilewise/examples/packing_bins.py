from tilewise.packing import fill, first_fit_decreasing, in_order

LENGTHS = [14, 3, 5, 9, 2, 7, 4, 11, 3, 6, 12, 4]  # 80 tokens in 12 documents
SIZE = 16


def pairs(n):
    """How many keys n rows see, with a causal mask."""
    return n * (n + 1) // 2


if __name__ == "__main__":
    longest = max(LENGTHS)
    filled = sum(LENGTHS) / (longest * len(LENGTHS))
    print(f"padded      {len(LENGTHS)} rows of {longest}, {filled:.0%} filled")
    for name, method in (("in order", in_order), ("decreasing", first_fit_decreasing)):
        bins = method(LENGTHS, SIZE)
        filled = fill(LENGTHS, bins, SIZE)
        print(f"{name:11} {len(bins):2} rows of {SIZE}, {filled:.0%} filled")
        print("           ", *("+".join(str(LENGTHS[i]) for i in x) for x in bins))

    print("keys seen, padded:", len(LENGTHS) * pairs(longest))
    print("five full rows, no borders:", 5 * pairs(SIZE))
    print("documents alone:", sum(map(pairs, LENGTHS)))
