"""What a cache holds and a step computes: against tensors, PyTorch's count, a paper."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from tilewise.ledger.kv_cache import cached, flops_per_key, intensity


@pytest.mark.parametrize("heads, kv_heads, d, d_v", [(8, 2, 6, 4), (3, 3, 5, 5)])
def test_counts_are_those_of_real_tensors(heads, kv_heads, d, d_v):
    n = 7
    q = torch.randn(heads, 1, d)
    k, v = torch.randn(kv_heads, n, d), torch.randn(kv_heads, n, d_v)
    assert n * cached(kv_heads, d, d_v) == k.numel() + v.numel()
    k, v = (x.repeat_interleave(heads // kv_heads, 0) for x in (k, v))
    with FlopCounterMode(display=False) as counter:
        torch.bmm(torch.bmm(q, k.mT).softmax(-1), v)
    assert n * flops_per_key(heads, d, d_v) == counter.get_total_flops()
    bytes_read = 4 * n * cached(kv_heads, d, d_v)
    work = counter.get_total_flops() / bytes_read
    assert intensity(heads, kv_heads, d, d_v, dtype="fp32") == work


def test_latent_attention_is_the_paper_s():
    """Table 1 of DeepSeek-V2: with a latent of 4 d and a rotated key of d / 2, a token
    leaves 9/2 d numbers, as GQA with 2.25 groups would."""
    for d in (64, 128):
        latent, rotated = 4 * d, d // 2
        found = cached(1, latent + rotated, latent, within=True)
        assert found == 9 * d // 2 == 2.25 * cached(1, d, d)


def test_a_group_of_g_does_g_operations_for_each_byte_in_16_bits():
    for g in (1, 4, 16):
        assert intensity(8 * g, 8, 128, 128) == g


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: cached(0, 4, 4), "kv_heads must be a whole number"),
        (lambda: cached(1, 4, 5, within=True), "d_v must be at most d within K, 4"),
        (lambda: flops_per_key(2, 4, 1.5), "d_v must be a whole number"),
        (lambda: intensity(8, 3, 4, 4), "kv_heads must divide heads, 8; 3 does not"),
        (lambda: intensity(8, 8, 4, 4, dtype="int8"), "dtype must be one of"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call()
