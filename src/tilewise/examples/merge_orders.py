from math import log

from tilewise.softmax import IDENTITY, merge

ln2 = log(2)  # row 1 of the running example: S = ln 2 · (-1, -1, -2, 0)
a = (-ln2, 1, [0, 9])  # one key alone: m = its score, l = 1, o = its value
b = (-ln2, 1, [9, 9])
c = (-2 * ln2, 1, [-9, 0])
d = (0, 1, [9, 0])

print("((a b) c) d  ", merge(merge(merge(a, b), c), d))
print("(a b) (c d)  ", merge(merge(a, b), merge(c, d)))
print("(d b) (c a)  ", merge(merge(d, b), merge(c, a)))
print("identity     ", merge(IDENTITY, a) == a == merge(a, IDENTITY))
