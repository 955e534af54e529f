from tilewise.ledger import flash2_forward, standard_forward


def moved(count):
    return count["reads"] + count["writes"]


n, d = 1024, 64  # one head
standard = moved(standard_forward(n, d))
print(f"standard attention {standard:11,}")
for rows in (1, 2, 8, 32, 64, 128, 256, 1024):
    block = moved(flash2_forward(n, d, rows, 64))
    print(f"B_r = {rows:4}         {block:11,}  {block / standard:6.2f} x standard")
