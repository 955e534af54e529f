from tilewise.trace import forward
from tilewise.worked_example import EXACT, K, Q, V

*_, plain = forward(Q, K, V, 2, 2, **EXACT)
*_, sunk = forward(Q, K, V, 2, 2, sink=0, **EXACT)  # a logit of 0 for every row

print("row  m/τ  l    with sink  o        with sink       weight of the sink")
for r in range(4):
    m, l, l_sink = plain["m"][r], plain["l"][r], sunk["l"][r]
    before, after = (f"({x[0]}, {x[1]})" for x in (plain["o"][r], sunk["o"][r]))
    weight = 1 - l / l_sink  # the maximum stays, as none is below 0
    print(f"{r + 1:<4} {m:<4} {l!s:<4} {l_sink!s:<10} {before:<8} {after:<15} {weight}")
