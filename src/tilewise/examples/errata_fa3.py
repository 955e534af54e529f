from tilewise.errata.example import error
from tilewise.errata.loops import algorithm_2
from tilewise.errata.registry import show

t_c = 4  # blocks of one key
print("1 <= j < T_c - 1   error", show(error(algorithm_2(t_c - 1))))
print("1 <= j < T_c       error", show(error(algorithm_2(t_c))))
