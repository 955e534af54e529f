"""The maximum and the sum of a row of which every score comes by once."""

import math

from tilewise.exercises.plain import exp, log_sum, numbers, row


# --8<-- [start:solution]
def online_state(scores):
    """(m, ℓ) of the scores: m = max_j x_j and ℓ = Σ_j e^{x_j − m}.

    scores is an iterator: each score comes once, some may be −∞. No scores, or −∞
    alone: (−∞, 0).
    """
    m, l = -math.inf, 0
    for x in scores:
        if x == -math.inf:
            continue  # a key that is not there
        m_new = max(m, x)
        l = math.exp(m - m_new) * l + math.exp(x - m_new)
        m = m_new
    return m, l
    # --8<-- [end:solution]


SOLUTION = online_state
WRONG = """
two_passes: The second loop finds the iterator at its end: ℓ stays 0.
  m, l = -math.inf, 0 → m, l = max([-math.inf] + list(scores)), 0
inverse_factor: e^{m' − m} makes the old sum grow where it must shrink.
  math.exp(m - m_new) * l → (math.exp(m_new - m) * l if l else 0)
sum_not_rescaled: ℓ stays in the unit of the maximum before.
  math.exp(m - m_new) * l → l
without_guard: Where the first score is −∞, both differences are −∞ − (−∞), NaN.
  x == -math.inf → False
maximum_moves_first: m is replaced before the factor is taken, which is then always 1.
  m_new = max(m, x) → m = m_new = max(m, x)
"""
ONCE = (0,)


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    yield "falling", [[2 * tau, tau, tau, 0]], (2 * tau, 9 / 4)
    yield "example", [[0, tau, 2 * tau, tau]], (2 * tau, 9 / 4)
    yield "example", [[-tau, -tau, -2 * tau, 0]], (0, 9 / 4)
    source = numbers(2)
    for n in range(1, 13):
        xs = row(source, n)
        yield "random", [xs], (max(xs), exp(log_sum(xs) - max(xs)))
    yield "large", [[-1000, 0, 1000, 999]], (1000, 1 + math.exp(-1))
    yield "masked", [[-math.inf, 3, -math.inf, 3]], (3, 2)
    yield "nothing", [[-math.inf, -math.inf]], (-math.inf, 0)
    yield "nothing", [[]], (-math.inf, 0)
