from tilewise.errata import ENTRIES, show

for entry in ENTRIES:
    printed, right = map(show, entry["run"]())
    print(f"{entry['id']:22} {printed:>6} {right:>6}  {entry['unit']}")
