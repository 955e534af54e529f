from tilewise.packing import pack

documents = [[11, 12, 13], [21, 22, 23, 24, 25], [31, 32]]  # token ids

for row in pack(documents, 12, pad=0):
    for name, values in row.items():
        print(f"{name:10}", *(f"{x:4}" for x in values.tolist()))
