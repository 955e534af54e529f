"""Is your attention right? A check against float64 that says in words what is wrong.

    import attention_check
    attention_check.report(my_attention)

calls my_attention(q, k, v, **options) with tensors (batch, heads, N, d) and with those
of its parameters that are named here: causal (True: row r sees keys 0 .. r + N_k −
N_q), window (left, right), softcap, alibi_slopes (heads,), sinks (heads,), attn_mask
(bools, True where a row may see a key) and dropout_p, whose mask torch.manual_seed
repeats. Gradients are compared where the result has them. In the terminal,
`python attention_check.py FILE.py:FUNCTION` does the same.
"""

import inspect
import runpy
import sys
from collections.abc import Callable

import torch
from torch import Tensor

from tilewise.alone.check_cases import HINTS, Case, cases
from tilewise.alone.check_truth import formula, mistakes, visible
from tilewise.examples.check_my_attention import close, mine

Attention = Callable[..., Tensor]


def attempt(attention: Attention, case: Case, backward=True, **more) -> list[Tensor]:
    """o, and where it has gradients those of Σ w ∘ o, w being fixed weights."""
    q, k, v = (x.detach().clone().as_strided(x.shape, x.stride()) for x in case[:3])
    q, k, v = (x.requires_grad_(backward) for x in (q, k, v))
    o = attention(q, k, v, **case.how, **more)
    if not (backward and o.requires_grad):
        return [o.detach()]
    weights = torch.cos(torch.arange(o.numel(), device=o.device)).view(o.shape)
    weights = (8 * weights).round() / 8  # the same numbers in every dtype
    grads = torch.autograd.grad((o * weights.to(o.dtype)).sum(), (q, k, v))
    return [o.detach(), *grads]


def wrong(attention: Attention, case: Case, gradients: bool = True) -> list[str]:
    """What is wrong with a case, a sentence for each thing."""
    largest = max(x.abs().max() for x in case[:3])
    # beyond, weights that are computed again have lost too many digits to compare
    backward = gradients and bool(largest < 30 and case.q.shape[-2] > 1)
    before = [x.clone() for x in case[:3]]
    found = attempt(attention, case, backward)
    exact = attempt(formula, Case(*(x.double() for x in before), case.how), backward)
    plain = attempt(formula, case, backward)
    said = []
    for name, *three in zip(("o", "dq", "dk", "dv"), found, exact, plain):
        if not close(*three, largest):
            said.append(f"{name} is wrong: {describe(name, case, *three[:2])}")
            if name == "o":
                break  # its gradients are those of something else
    kept = attention(*case[:3], **case.how)
    copy = kept.clone()
    attention(*case[:2], 1 - case.v, **case.how)
    if not torch.equal(kept.nan_to_num(), copy.nan_to_num()):
        said.append("the next call overwrites the result of this one")
    if not all(map(torch.equal, case[:3], before)):
        said.append("the call changes its input")
    return said


def describe(name: str, case: Case, found: Tensor, exact: Tensor) -> str:
    """What a wrong result looks like: a known mistake, a factor, or where it is."""
    if found.shape != exact.shape:
        return f"its shape is {tuple(found.shape)} instead of {tuple(exact.shape)}"
    found = found.double()
    if name == "o":
        q, k, v = (x.double() for x in case[:3])
        for what, how in mistakes(q, k, case.how):
            if near(found, other := formula(q, k, v, **how)) and not near(exact, other):
                return what
    factor = ((found * exact).sum() / exact.square().sum()).item()
    if abs(factor - 1) > 0.01 and near(found, factor * exact):
        return f"it is {factor:.4g} times as large as it should be"
    if bad := int((~found.isfinite()).any(-1).sum()):
        return f"{bad} of {found[..., 0].numel()} rows are NaN or infinite"
    seen = visible(case.q, case.k, case.how).any(-1)
    if name == "o" and near(found * seen[..., None], exact):
        return "rows that see no key are not 0"
    error = (found - exact).abs().amax((0, 1, 3))
    first = int((error > error.max() / 100).nonzero()[0])
    return f"the error is up to {error.max():.1e}, from row {first} on"


def near(a: Tensor, b: Tensor) -> bool:
    """Whether two results are the same but for rounding."""
    return bool((a - b).abs().max() <= 2e-3 * b.abs().max())


def dropout(attention: Attention, device: str, dtype: torch.dtype) -> list[str]:
    """The same for dropout_p = 0.5: V = I shows the weights, so the mask is known."""
    q = torch.randn(1, 2, 300, 128, device=device, dtype=dtype)
    k, v = torch.randn(2, 1, 2, 128, 128, device=device, dtype=dtype)
    case = Case(q, k, torch.eye(128, device=device, dtype=dtype).expand_as(v), {})

    def seeded(*tensors: Tensor, **how) -> Tensor:
        torch.manual_seed(0)
        return attention(*tensors, **how, dropout_p=0.5)

    kept = attempt(seeded, case)[0].double() / attempt(formula, case)[0].double()
    if not bool(((kept.abs() < 0.05) | ((kept - 2).abs() < 0.05)).all()):
        return ["a weight must become 0, or 1 / (1 − p) times what it was"]
    if not 0.4 < (share := (kept < 1).double().mean().item()) < 0.6:
        return [f"{share:.0%} of the weights are dropped instead of 50%"]
    exact = attempt(formula, Case(q, k, v, {}), kept=kept.round().to(dtype))
    found = attempt(seeded, Case(q, k, v, {}))
    pairs = zip(("o", "dq", "dk", "dv"), found, exact)
    lost = [name for name, a, b in pairs if not near(a.double(), b.double())]
    same = "P and dP of both passes need one mask"
    return [f"{', '.join(lost)}: {same}"] if lost else []


def findings(
    attention: Attention,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    d: int = 64,
    gradients: bool = True,
) -> tuple[dict[str, list[str]], list[str]]:
    """({what is wrong: the cases}, the cases for which the function has no option)."""
    parameters, left = inspect.signature(attention).parameters, []
    said: dict[str, list[str]] = {}
    for name, case in cases(d, device, dtype).items():
        if not parameters.keys() >= case.how.keys():
            left.append(name)
            continue
        try:
            found = wrong(attention, case, gradients)
        except Exception as error:
            if name == "grouped heads":
                left.append(name)  # it wants as many heads in k and v as in q
                continue
            found = [f"it raises {type(error).__name__}, {error}"]
        for what in found:
            said.setdefault(what, []).append(name)
    if "dropout_p" not in parameters:
        return said, [*left, "dropout"]
    return said | {x: ["dropout"] for x in dropout(attention, device, dtype)}, left


def report(attention: Attention, **where) -> bool:
    """Print what is wrong, in words, and return whether nothing is.

    where: device, dtype and d of the tensors, "cpu", float32 and 64 unless told, and
    gradients=False for a function that has none.
    """
    said, left = findings(attention, **where)
    print(f"{attention.__name__}: {'wrong' if said else 'right'}")
    for what, names in said.items():
        print(f"- {what}\n  in: {'; '.join(names)}")
        print(f"  {HINTS[names[0]]}")
    if left:
        print(f"  not asked, as it does not take them: {'; '.join(left)}")
    return not said


def unscaled(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """A wrong one: the scores are not divided by √d."""
    return formula(q, k, v, causal=causal, scale=1.0)


if __name__ == "__main__":
    if len(sys.argv) == 2 and ":" in sys.argv[1]:
        path, _, name = sys.argv[1].rpartition(":")
        sys.exit(0 if report(runpy.run_path(path)[name]) else 1)
    assert report(mine) and not report(unscaled)
