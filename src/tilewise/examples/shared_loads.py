import math

from tilewise.ledger import flash2_forward
from tilewise.one_pass import attend_step, dot
from tilewise.worked_example import SCALE, K, Q, V

loads = []  # one entry for every row of K or V that a program loads


def load(matrix):
    """The rows of a matrix, one after the other."""
    for row in matrix:
        loads.append(len(row))
        yield row


def attention_block(queries):
    """The outputs of a block of queries, by one program."""
    states = [(-math.inf, 0, [0] * len(V[0])) for _ in queries]
    for k, v in zip(load(K), load(V)):  # one load ...
        for i, q in enumerate(queries):  # ... serves every query of the block
            states[i] = attend_step(states[i], SCALE * dot(q, k), v)
    return [[round(x) for x in o] for _, _, o in states]


n, d = len(Q), len(Q[0])
for rows in (1, 2, 4):
    loads.clear()
    output = []
    for first in range(0, n, rows):  # on a GPU, these programs run side by side
        output += attention_block(Q[first : first + rows])
    expected = flash2_forward(n, d, rows, 1)["reads"] - n * d  # less Q itself
    print(f"B_r = {rows}: {sum(loads):2} elements of K and V", end="")
    print(f" (ledger: {expected:2})  O = {output}")
