"""When every step of a kernel's threads would run: a schedule from who waits for whom.

A thread (a group of warps, say) begins its steps in their order. A step runs on a unit,
which does one thing at a time, in the order of asking. Some units work on their own
(tensor cores, the TMA unit): there a thread asks and goes on. Others keep it busy.
"""


def run(threads, own=("tensor", "copy")):
    """{step: (start, end)}, from {thread: [(step, unit, time, steps it waits for)]}.

    own: the units that work on their own. Raises ValueError where steps wait for each
    other, or for one that is not there.
    """
    done, free = {}, {}
    clock, left = dict.fromkeys(threads, 0), {t: [*x] for t, x in threads.items()}
    while any(left.values()):
        ready = [
            (max([clock[t], *(done[w][1] for w in steps[0][3])]), n, t)
            for n, (t, steps) in enumerate(left.items())
            if steps and all(w in done for w in steps[0][3])
        ]
        if not ready:
            stuck = [steps[0][0] for steps in left.values() if steps]
            raise ValueError(f"waiting for ever: {stuck}")
        asked, _, thread = min(ready)
        step, unit, time, _ = left[thread].pop(0)
        start = max(asked, free.get(unit, 0))
        done[step] = start, start + time
        free[unit] = start + time
        clock[thread] = asked if unit in own else start + time
    return done
