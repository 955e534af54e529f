"""The barriers of the persistent kernel, in plain Python, with random speeds.

Each role is a generator that yields between its actions; a random one goes on. Buffers
know what is in them, what is on the way there, and who is reading: an error if it is
overwritten or read too early. python protocol.py [rounds]
"""

import random
import sys


class Barrier:
    def __init__(self, count):
        self.count = self.left = count
        self.phase, self.tx = 0, 0

    def done(self, parity):  # try_wait.parity: the phase of that parity is complete
        return self.phase & 1 != parity

    def arrive(self, tx=0):
        assert self.left > 0, "too many arrivals"
        self.left -= 1
        self.tx += tx
        self.turn()

    def landed(self, tx):
        self.tx -= tx
        self.turn()

    def turn(self):
        if self.left == 0 and self.tx == 0:
            self.phase += 1
            self.left = self.count


class Buffer:
    def __init__(self, name):
        self.name, self.tag, self.writers, self.readers = name, None, 0, 0

    def begin_write(self):
        assert not self.writers and not self.readers, f"{self.name} overwritten in use"
        self.writers += 1

    def end_write(self, tag):
        self.writers, self.tag = 0, tag

    def write(self, tag):
        self.begin_write()
        self.end_write(tag)

    def begin_read(self, tag):
        assert not self.writers and self.tag == tag, f"{self.name}: {self.tag} not {tag}"
        self.readers += 1

    def end_read(self):
        self.readers -= 1


class World:
    def __init__(self, units, seed, mutant=None):
        """units: lists of (tiles, share), one after the other."""
        self.units, self.rng, self.mutant = units, random.Random(seed), mutant
        self.B = {}
        for s in range(2):
            self.B["q", s], self.B["do", s] = Barrier(1), Barrier(1)
            self.B["empty", s], self.B["ds", s] = Barrier(2), Barrier(2)
            self.B["dqf", s], self.B["dqe", s] = Barrier(1), Barrier(1)
            self.B["wf", s], self.B["we", s] = Barrier(1), Barrier(3)
        names = [("q", 0), ("q", 1), ("do", 0), ("do", 1), ("v", 0), ("v", 1)]
        names += [("k", i) for i in range(4)] + [("ds", i) for i in range(4)]
        names += [("dq", 0), ("dq", 1), ("work", 0), ("work", 1)]
        self.M = {n: Buffer(n) for n in names}
        self.air = []  # what goes on by itself: called when it ends
        self.out = {}  # (unit, w, what) → tag
        self.added = {}

    def load(self, name, tag, bar, tx):
        m = self.M[name]
        m.begin_write()

        def end():
            m.end_write(tag)
            self.B[bar].landed(tx)

        self.air.append(end)

    def tell(self, r):
        b = r & 1
        while self.mutant != "no work_empty wait" and not self.B["we", b].done((r >> 1 & 1) ^ 1):
            yield
        self.M["work", b].write(r + 1)
        yield
        self.B["wf", b].arrive()
        yield

    def hear(self, r):
        b = r & 1
        while not self.B["wf", b].done(r >> 1 & 1):
            yield
        self.M["work", b].begin_read(r + 1)
        yield
        self.M["work", b].end_read()
        self.B["we", b].arrive()
        yield

    def fetch(self):
        B, t, n = self.B, 0, 0
        for u, (tiles, share) in enumerate(self.units):
            slot = 2 * (n & 1)
            for i0 in range(tiles * share):
                i, begins = t + i0, i0 == 0
                s = i % 2
                while not B["empty", s].done((i // 2 & 1) ^ 1):
                    yield
                if begins and self.mutant != "no ds wait":
                    while not B["ds", (i + 1) % 2].done(((i + 1) // 2 & 1) ^ 1):
                        yield
                B["q", s].arrive(1 + 2 * begins)
                if begins:
                    for w in range(2):
                        self.load(("k", slot + w), ("k", u), ("q", s), 1)
                        yield
                self.load(("q", s), ("q", i), ("q", s), 1)
                yield
                B["do", s].arrive(1 + 2 * begins)
                if begins:
                    for w in range(2):
                        self.load(("v", w), ("v", u), ("do", s), 1)
                        yield
                self.load(("do", s), ("do", i), ("do", s), 1)
                yield
            t += tiles * share
            n += tiles > 0
            yield from self.tell(u)

    def consume(self, w):
        B, M, t, n = self.B, self.M, 0, 0
        pending = []  # stores under way from shared memory

        def store(name, tag, key):
            m, cell = M[name], [True]
            m.write(tag)
            m.begin_read(tag)

            def end():
                m.end_read()
                cell[0] = False
                self.out[key] = tag

            self.air.append(end)
            pending.append(cell)

        for u, (tiles, share) in enumerate(self.units):
            slot = 2 * (n & 1)
            for i in range(t, t + tiles * share):
                s, phase, b = i % 2, i // 2 & 1, i % 2
                while not B["q", s].done(phase):
                    yield
                reads = [("k", slot + w), ("q", s)]
                M[reads[0]].begin_read(("k", u)), M[reads[1]].begin_read(("q", i))
                yield
                while not B["do", s].done(phase):
                    yield
                M["v", w].begin_read(("v", u)), M["do", s].begin_read(("do", i))
                yield
                for x in reads:  # S is there
                    M[x].end_read()
                yield
                M["v", w].end_read(), M["do", s].end_read()
                M["ds", 2 * b + w].write(("ds", i, w))
                yield
                while self.mutant != "no store wait" and any(x[0] for x in pending):
                    yield
                pending.clear()
                if i > 0:
                    B["empty", (i - 1) % 2].arrive()
                yield
                B["ds", b].arrive()
                M["do", s].begin_read(("do", i))  # dV
                yield
                while not B["ds", b].done(i // 2 & 1):
                    yield
                for x in range(2):
                    M["ds", 2 * b + x].begin_read(("ds", i, x))
                    M["k", slot + x].begin_read(("k", u))
                yield
                M["do", s].end_read()
                M["q", s].begin_read(("q", i))  # dK
                yield
                for x in range(2):
                    M["ds", 2 * b + x].end_read(), M["k", slot + x].end_read()
                while not B["dqe", w].done((i & 1) ^ 1):
                    yield
                M["dq", w].write(("dq", i, w))
                yield
                B["dqf", w].arrive()
                yield
                M["q", s].end_read()
                yield
            t += tiles * share
            n += tiles > 0
            yield from self.hear(u)
            while any(x[0] for x in pending):
                yield
            pending.clear()
            while self.mutant != "no dq_full wait" and not B["dqf", 1 - w].done((t & 1) ^ 1):
                yield
            store(("k", 2 * ((n & 1) ^ 1) + w), ("dv", u, w), (u, w, "dv"))
            yield
            while self.mutant != "no dq_empty wait" and not B["dqe", w].done((t & 1) ^ 1):
                yield
            store(("dq", w), ("dk", u, w), (u, w, "dk"))
            yield
        while any(x[0] for x in pending):
            yield

    def add(self):
        B, M, t = self.B, self.M, 0
        for u, (tiles, share) in enumerate(self.units):
            for i in range(t, t + tiles * share):
                cells = []
                for w in range(2):
                    while not B["dqf", w].done(i & 1):
                        yield
                    M["dq", w].begin_read(("dq", i, w))
                    cell = [True]

                    def end(cell=cell, w=w):
                        M["dq", w].end_read()
                        cell[0] = False
                        self.added[i, w] = True

                    self.air.append(end)
                    cells.append(cell)
                    yield
                for w in range(2):
                    while cells[w][0]:
                        yield
                    B["dqe", w].arrive()
            t += tiles * share
            yield from self.hear(u)

    def run(self):
        roles = [self.fetch(), self.consume(0), self.consume(1), self.add()]
        weights = [self.rng.choice([0.05, 0.3, 1, 3]) for _ in roles]
        air = self.rng.choice([0.02, 0.1, 0.5, 1])
        idle, alive = 0, [True] * 4
        while any(alive):
            if self.air and self.rng.random() < air:
                self.air.pop(self.rng.randrange(len(self.air)))()
                idle = 0
            (r,) = self.rng.choices(range(4), [w * a for w, a in zip(weights, alive)])
            before = self.state()
            try:
                next(roles[r])
            except StopIteration:
                alive[r] = False
                idle = 0
            idle = idle + 1 if before == self.state() and not self.air else 0
            assert idle < 3000, f"deadlock: {alive}"
        while self.air:
            self.air.pop()()
        total = sum(a * b for a, b in self.units)
        assert len(self.added) == 2 * total and len(self.out) == 4 * len(self.units)
        for (u, w, what), tag in self.out.items():
            assert tag == (what, u, w), (u, w, what, tag)

    def state(self):
        return tuple((b.phase, b.left, b.tx) for b in self.B.values())


def main(rounds, mutant=None):
    rng = random.Random(1)
    for seed in range(rounds):
        units = [
            (rng.choice([0, 0, 1, 1, 2, 3, 5]), rng.choice([1, 1, 2]))
            for _ in range(rng.randrange(1, 9))
        ]
        try:
            World(units, seed, mutant).run()
        except AssertionError as error:
            return f"seed {seed} {units}: {error}"
    return f"{rounds} rounds: no error"


if __name__ == "__main__":
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print("as it is:", main(rounds))
    for mutant in "no ds wait", "no store wait", "no dq_full wait", "no dq_empty wait", "no work_empty wait":
        print(f"{mutant}:", main(rounds, mutant))
