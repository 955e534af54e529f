"""Beside the floors: `python -m tilewise bench`, which checks, then times.

cells says what is measured, oracle what is right, peers who takes part, timing how long
a call takes, collect puts them together; warm compiles beforehand, extras measures
memory and odd sizes, host the host's time, machine says where. share says what is
measured of a reader's card, share_file reads the file of it and sharing writes it.
Only cells, share and share_file need no PyTorch.
"""
