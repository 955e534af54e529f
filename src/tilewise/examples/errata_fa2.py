from tilewise.errata.example import O, error
from tilewise.errata.loops import algorithm_1, as_printed, first_spared, right
from tilewise.errata.registry import show

for rule in (as_printed, first_spared, right):
    o = algorithm_1(rule)
    wrong = [r + 1 for r in range(4) if not error(o[r], O[r]) < 1e-12]
    print(f"{rule.__name__:13} error {show(error(o)):>3}   wrong rows {wrong}")
