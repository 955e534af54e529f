from tilewise.trace.split_kv import decode
from tilewise.worked_example import EXACT, K, Q, V

*states, result = decode(Q[:1], K, V, splits=2, **EXACT)  # row 1 alone
for state in states + [result]:
    keys, o = state.get("keys", "merged"), ", ".join(map(str, state["o"][0]))
    print(f"{keys}: m = {state['m'][0]} τ, ℓ = {state['l'][0]}, o = ({o})")
