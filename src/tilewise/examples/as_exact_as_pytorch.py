import torch

from tilewise.flash2 import flash2_backward, flash2_forward


def plain(q, k, v, do):
    """o, dq, dk, dv by PyTorch's operators and autograd, in the dtype of the input."""
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    q, k, v = leaves
    o = torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1) @ v
    return o.detach(), *torch.autograd.grad(o, leaves, do)


def tiled(q, k, v, do, keep=torch.float32):
    """What is to be tested; `keep` is the dtype in which L waits for the backward."""
    o, lse = flash2_forward(q, k, v, 64, 32)
    lse = lse.to(keep).to(lse.dtype)
    return o, *flash2_backward(q, k, v, o, do, lse, 64, 32)


def as_exact(f, dtype, n_q, n_k, d):
    """Are f's largest errors at most twice plain PyTorch's, or four times in fp32?"""
    times = 4 if dtype == torch.float32 else 2
    q, do = torch.randn(2, 2, 3, n_q, d).to(dtype)  # batch 2, heads 3
    k, v = torch.randn(2, 2, 3, n_k, d).to(dtype)
    exact = plain(*(x.double() for x in (q, k, v, do)))
    results = zip(f(q, k, v, do), plain(q, k, v, do), exact)
    for ours, theirs, truth in results:
        assert ours.shape == truth.shape and ours.dtype == dtype
        error, allowed = ((x.double() - truth).abs().max() for x in (ours, theirs))
        last_digit = torch.finfo(dtype).eps * truth.abs().max()
        if not error <= times * allowed + last_digit:  # NaN does not pass
            return False
    return True


torch.manual_seed(0)
for dtype in (torch.float32, torch.bfloat16, torch.float16):
    for sizes in ((128, 128, 64), (77, 133, 40), (200, 65, 16)):
        print(f"{str(dtype):14}", sizes, as_exact(tiled, dtype, *sizes))


def careless(*tensors):
    return tiled(*tensors, keep=torch.bfloat16)


print("L kept in bf16:", as_exact(careless, torch.float32, 128, 128, 64))
