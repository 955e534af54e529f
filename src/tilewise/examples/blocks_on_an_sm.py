from tilewise.ledger.occupancy import occupancy, resident

kernels = [  # threads of a block, registers of a thread, bytes of shared memory
    ("copy", 128, 32, 0),
    ("tile 64 x 64", 128, 128, 42_240),
    ("tile 64 x 128", 128, 166, 58_624),
    ("tile 64 x 256", 256, 252, 91_392),
    ("all the SRAM", 128, 128, 227 * 1024),
]
for name, *needs in kernels:
    blocks = resident("H200", *needs)
    least = min(blocks.values())
    limits = sorted(x for x in blocks if blocks[x] == least)
    share = occupancy("H200", *needs)
    print(f"{name:13} blocks: {least:2}  occupancy: {share:7.2%}", end="")
    print("  limit:", " and ".join(limits))
