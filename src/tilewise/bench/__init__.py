"""Beside the floors: `python -m tilewise bench`, which checks, then times.

cells says what is measured, oracle what is right, peers who takes part, timing how long
a call takes, collect puts them together; warm compiles beforehand, extras measures
memory and odd sizes, host the host's time, machine says where. Only cells needs no
PyTorch.
"""
