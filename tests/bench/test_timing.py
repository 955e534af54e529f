"""Whose turn it is to be timed, without a GPU."""

from tilewise.bench import timing


def test_kernels_take_turns_and_slow_ones_stop():
    """A clock that only the kernels move: 1 s a slow call, 10 ms a fast one."""
    at, order = [0.0], []

    def kernel(name, seconds):
        def measure():
            order.append(name)
            at[0] += seconds
            return {"ms": 1e3 * seconds}

        return measure

    measures = {"slow": kernel("slow", 1.0), "a": kernel("a", 0.01)}
    measures["b"] = kernel("b", 0.01)
    found = timing.take_turns(measures, 0.3, now=lambda: at[0])
    assert len(found["slow"]) == timing.LEAST
    assert len(found["a"]) == len(found["b"]) in (10, 11)
    late = order[3 * timing.LEAST :]
    assert "slow" not in late and {"a", "b"} == set(late)
    rounds = [tuple(order[n : n + 3]) for n in range(0, 9, 3)]
    assert all(sorted(x) == ["a", "b", "slow"] for x in rounds) and len(set(rounds)) > 1
