from tilewise import ledger

BILLS = {
    ("standard", "forward"): ledger.standard_forward,
    ("flash1", "forward"): ledger.flash1_forward,
    ("flash2", "forward"): ledger.flash2_forward,
    ("standard", "backward"): ledger.standard_backward,
    ("flash1", "backward"): ledger.flash1_backward,
    ("flash2", "backward"): ledger.flash2_backward,
}


def show(name, n, d, *blocks, way="forward"):
    """Print what one head reads and writes, in elements."""
    bill = BILLS[name, way](n, d, *blocks)
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
