"""flash_decode without a GPU: against float64, flash-attn's meaning, bad input."""

import math

import pytest
import torch

import tilewise
from tilewise.attention import decode

from .._decoding import draw, exact


@pytest.mark.few(20)
@pytest.mark.parametrize("i", range(200))
def test_compositions_against_float64(i):
    q, k, v, seqlens, options = draw(i, torch.float64, most=40)
    found = tilewise.flash_decode(q, k, v, seqlens, **options, return_lse=True)
    for x, y in zip(found, exact(q, k, v, seqlens, options)):
        assert torch.equal(x.isinf(), y.isinf())
        assert (x - y).masked_fill(y.isinf(), 0).abs().max() < 1e-12


def test_a_sequence_without_keys_is_zero():
    q, k = torch.randn(2, 4, 3, 8), torch.full((2, 2, 5, 8), math.nan)
    o, lse = tilewise.flash_decode(q, k, k, torch.zeros(2).int(), return_lse=True)
    assert not o.any() and (lse == -math.inf).all()
    sinks = torch.arange(4.0)
    how = {"sinks": sinks, "splits": 3, "return_lse": True}
    o, lse = tilewise.flash_decode(q, k, k, torch.zeros(2).int(), **how)
    assert not o.any() and (lse == sinks[:, None]).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_dtypes(dtype):
    q, k, v, seqlens, options = draw(9, dtype)
    o, lse = tilewise.flash_decode(q, k, v, seqlens, **options, return_lse=True)
    assert o.dtype == dtype and lse.dtype == torch.float32
    true, _ = exact(q, k, v, seqlens, options)
    assert (o.double() - true).abs().max() < 4 * torch.finfo(dtype).eps


def test_prefill_then_tokens_are_causal_attention():
    q, k, v = (torch.randn(2, h, 21, 8).double() for h in (6, 2, 2))
    whole = tilewise.flash_attention(q, k, v, causal=True)
    for n, new in ((10, 10), (11, 1), (16, 5), (21, 5)):
        lengths = torch.tensor([n, n])
        o = tilewise.flash_decode(q[:, :, n - new : n], k, v, lengths, splits=3)
        assert (o - whole[:, :, n - new : n]).abs().max() < 1e-12


@pytest.mark.parametrize("paged", [False, True])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_absorbed_latents_are_keys_and_their_first_columns_values(
    dtype, paged, monkeypatch
):
    """MLA's shape, d = 576 and d_v = 512 with one KV head: V is a view of K.

    No kernel has such a d: on a card, too, it goes by tiles.
    """
    monkeypatch.setattr(decode, "card", lambda device: ((9, 0), True))
    torch.manual_seed(0)
    q, latent = torch.randn(2, 8, 3, 576), torch.randn(2, 1, 48, 576)
    q, latent, seqlens = q.to(dtype), latent.to(dtype), torch.tensor([48, 17])
    how = {"scale": 192**-0.5, "splits": 3}
    cache = latent
    if paged:  # three pages of 16 for each sequence
        cache = latent.view(2, 3, 16, 576).flatten(0, 1).unsqueeze(1)
        how["block_table"] = torch.arange(6).view(2, 3)
    found = tilewise.flash_decode(q, cache, cache[..., :512], seqlens, **how)
    assert found.shape == (2, 8, 3, 512) and found.dtype == dtype
    how = {"scale": 192**-0.5, "softcap": None}
    true, _ = exact(q, latent, latent[..., :512], seqlens, how)
    most = 1e-12 if dtype == torch.float64 else 4 * torch.finfo(dtype).eps
    assert (found.double() - true).abs().max() < most


def test_a_gradient_is_refused_in_one_sentence():
    q, k = torch.randn(1, 2, 1, 8, requires_grad=True), torch.randn(1, 2, 4, 8)
    with pytest.raises(ValueError, match="no gradient.*flash_attention to train"):
        tilewise.flash_decode(q, k, k, torch.tensor([4]))
    with torch.no_grad():
        assert not tilewise.flash_decode(q, k, k, torch.tensor([4])).requires_grad


BAD = {  # what the sentence names → what is changed in a call that is right
    "q must be a tensor": {"q": [1]},
    "seqlens must be a tensor": {"seqlens": [3, 4]},
    "4 axes": {"q": torch.zeros(2, 4, 8)},
    "not be empty": {"q": torch.zeros(2, 4, 0, 8)},
    "in d": {"q": torch.zeros(2, 4, 1, 16)},
    "must divide": {"q": torch.zeros(2, 3, 1, 8)},
    "one float": {"q": torch.zeros(2, 4, 1, 8).double()},
    "v_cache in the rest": {"v_cache": torch.zeros(2, 2, 6, 8)},
    "int32 or int64": {"seqlens": torch.ones(2)},
    r"int64 \(2,\)": {"seqlens": torch.tensor([3])},
    "from 0 to 5": {"seqlens": torch.tensor([3, 6])},
    "from 0 to 5, not": {"seqlens": torch.tensor([-1, 3])},
    "batch of q": {"q": torch.zeros(1, 4, 1, 8), "seqlens": torch.tensor([3])},
    "block_table must be whole": {"block_table": torch.zeros(2, 1)},
    "block_table must name pages": {"block_table": torch.tensor([[0], [2]])},
    "window must be": {"window": (-1, 0)},
    "softcap must be": {"softcap": 0.0},
    "sinks must be": {"sinks": torch.zeros(2)},
    "splits must be": {"splits": 0},
}


@pytest.mark.parametrize("named", BAD)
def test_bad_input_is_one_sentence(named):
    k = torch.zeros(2, 2, 5, 8)
    call = {"q": torch.zeros(2, 4, 1, 8), "k_cache": k, "v_cache": k}
    call |= {"seqlens": torch.tensor([3, 4])}
    with torch.no_grad():
        tilewise.flash_decode(**call)
        with pytest.raises((ValueError, TypeError), match=named) as told:
            tilewise.flash_decode(**call | BAD[named])
    assert "\n" not in str(told.value)


def flash_attn_with_kvcache(
    q, k_cache, v_cache, *, cache_seqlens, block_table=None, softmax_scale=None,
    causal=False, window_size=(-1, -1), softcap=0.0, num_splits=0,
):  # fmt: skip
    """flash-attn's call by ours; q (batch, n_q, heads, d), cache (…, rows, heads_k, d).

    New keys (k, v), rotary embeddings and cache_batch_idx are the caller's; without
    causal each token sees all keys, so that tokens are heads of the group.
    """
    batch, n_q, heads, d = q.shape
    heads_k = k_cache.shape[2]
    q = q.transpose(1, 2)
    if not causal:
        assert window_size == (-1, -1), "a window that is not causal has no counterpart"
        q = q.reshape(batch, heads * n_q, 1, d)
    o, lse = tilewise.flash_decode(
        q, k_cache.transpose(1, 2), v_cache.transpose(1, 2), cache_seqlens,
        block_table=block_table, scale=softmax_scale, softcap=softcap or None,
        window=tuple(None if x < 0 else x for x in window_size),
        splits=num_splits or None, return_lse=True,
    )  # fmt: skip
    assert heads % heads_k == 0
    o = o.reshape(batch, heads, n_q, -1).transpose(1, 2)
    return o, lse.reshape(batch, heads, n_q)


KINDS = {"all": (False, False), "causal": (True, False), "window": (True, True)}


@pytest.mark.few(8)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_q", [1, 3])
@pytest.mark.parametrize("heads_k", [6, 3, 1])
@pytest.mark.parametrize("paged", [False, True])
@pytest.mark.parametrize("num_splits", [1, 0, 4])
def test_flash_attn_s_kvcache_grid(kind, n_q, heads_k, paged, num_splits):
    """The axes of its test_flash_attn_kvcache that an attention alone can have."""
    causal, local = KINDS[kind]
    torch.manual_seed(0)
    size = (20, 16, heads_k, 8) if paged else (3, 96, heads_k, 8)
    k, v = (torch.randn(*size).double() for _ in range(2))
    q, lengths = torch.randn(3, n_q, 6, 8).double(), torch.tensor([96, 5, 70]).int()
    table = torch.randperm(20)[:18].view(3, 6).int() if paged else None
    how = {"window_size": (9, 0)} if local else {}
    o, lse = flash_attn_with_kvcache(
        q, k, v, cache_seqlens=lengths, block_table=table, causal=causal,
        num_splits=num_splits, softcap=3.0, **how,
    )  # fmt: skip
    kv = [x if table is None else x[table.long()].flatten(1, 2) for x in (k, v)]
    kv = [x.repeat_interleave(6 // heads_k, 2) for x in kv]
    s = torch.einsum("bihd,bjhd->bhij", q, kv[0]) * 8**-0.5
    rows = torch.arange(n_q)[:, None] + lengths[:, None, None] - n_q  # (b, n_q, 1)
    cols = torch.arange(96)
    no = (cols >= lengths[:, None, None]) | ((cols > rows) & causal)
    no = no | ((cols < rows - 9) & local)
    s = (3 * torch.tanh(s / 3)).masked_fill(no[:, None], -math.inf)
    true = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), kv[1])
    assert (o - true).abs().max() < 1e-12
    assert (lse - s.logsumexp(-1)).abs().max() < 1e-12
