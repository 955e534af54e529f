def deal(times, places):
    """Each block, in order, goes to the place that is free first."""
    rows = [""] * places
    for block, time in enumerate(times):
        free = min(range(places), key=lambda place: len(rows[place]))
        rows[free] += chr(ord("A") + block % 26) * time
    return rows


def show(title, times, places=4):
    """A line for each place, a character for each unit of time."""
    rows = deal(times, places)
    end = max([len(row) for row in rows])
    busy = sum(times) / (places * end)
    print(f"{title}: done after {end}, busy {busy:.0%} of the time")
    for row in rows:
        print("   ", row + "." * (end - len(row)))


show("8 blocks of 3", [3] * 8)
show("9 blocks of 3", [3] * 9)
show("causal, short rows first", [1, 2, 3, 4, 5, 6, 7, 8])
show("causal, long rows first", [8, 7, 6, 5, 4, 3, 2, 1])
