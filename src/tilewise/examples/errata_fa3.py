from tilewise.errata.example import error
from tilewise.errata.loops import algorithm_2
from tilewise.errata.registry import show

t_c = 4  # blocks of one key
cases = {
    "1 <= j < T_c - 1": algorithm_2(t_c - 1),
    "1 <= j < T_c": algorithm_2(t_c),
    "line 16 as printed": algorithm_2(t_c, copied=False),
    "line 20 as printed": algorithm_2(t_c, divided=False),
    "lines 16 and 20": algorithm_2(t_c, copied=False, divided=False),
}
for name, o in cases.items():
    print(f"{name:18}  error {show(error(o)):>4}")
