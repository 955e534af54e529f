from tilewise import ledger


def show(name, n, d, *blocks, way="forward"):
    """Print what one head reads and writes, in elements."""
    bill = getattr(ledger, f"{name}_{way}")(n, d, *blocks)
    reads, writes = bill["reads"], bill["writes"]
    tile = " x ".join(map(str, blocks))
    print(f"{name:8} {tile:8} {reads:9,} {writes:9,} {reads + writes:9,}")


print("forward, N = 4, d = 2   read   written      both")
show("standard", 4, 2)
show("flash1", 4, 2, 2, 2)
show("flash2", 4, 2, 2, 2)
for way in ("forward", "backward"):
    print(f"{way}, N = 1024, d = 64")
    show("standard", 1024, 64, way=way)
    show("flash1", 1024, 64, 64, 64, way=way)
    show("flash1", 1024, 64, 64, 256, way=way)
    show("flash2", 1024, 64, 128, 64, way=way)
