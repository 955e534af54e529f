"""Each question has a source and a proof, and what a CPU can show holds."""

import pytest
import torch
from every import every
from pages import DOCS, LANGS, html
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

import tilewise

LEAST = torch.finfo(torch.float32).min


def questions(lang):
    """{anchor: the elements of the answer}."""
    headings = html(DOCS / lang / "reference/questions.md").select("h3")
    return {h["id"]: answer(h) for h in headings}


def answer(heading):
    parts = []
    for element in heading.find_next_siblings():
        if element.name in ("h2", "h3"):
            break
        parts.append(element)
    return parts


@pytest.fixture
def qkv():
    torch.manual_seed(0)
    return torch.randn(3, 1, 2, 6, 8)


@every("lang", LANGS)
def test_every_question_has_a_proof_and_a_source(lang):
    assert len(questions(lang)) >= 50
    for anchor, (text, source) in questions(lang).items():
        assert anchor.startswith("q-"), anchor
        assert text.select("a[href*='.md#'], a[href*='.md']"), anchor
        assert source.select("a[href^='https://']"), anchor
        assert not text.select("a[href^='https://']"), anchor


def test_answers_are_short():
    for anchor, (text, _) in questions("en").items():
        assert 40 <= len(text.get_text().split()) <= 95, anchor


def test_a_forced_backend_raises_where_it_cannot_run(qkv):
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION), pytest.raises(RuntimeError):
        scaled_dot_product_attention(*qkv)


@every("of", [1, 2], ids=["a key", "a value"])
def test_a_hidden_nan_reaches_the_output(qkv, of):
    mask = torch.ones(6, 6, dtype=torch.bool)
    mask[:, 5] = False
    qkv[of, ..., 5, :] = torch.nan
    assert scaled_dot_product_attention(*qkv, attn_mask=mask).isnan().any()


def test_an_empty_row_is_zero_or_a_mean(qkv):
    hidden = torch.zeros(6, 6)
    hidden[0] = -torch.inf
    assert not scaled_dot_product_attention(*qkv, attn_mask=hidden)[..., 0, :].any()
    hidden[0] = LEAST
    row = scaled_dot_product_attention(*qkv, attn_mask=hidden)[..., 0, :]
    torch.testing.assert_close(row, qkv[2].mean(-2))


def test_the_least_number_is_not_safe():
    least = torch.tensor(LEAST)
    assert least + least == -torch.inf
    assert least.bfloat16() == least.half() == -torch.inf


def test_a_sink_can_be_added_afterwards(qkv):
    q, k, v = qkv.double()
    z = torch.tensor([0.3, -1.0]).double()[:, None]
    o, lse = tilewise.flash_attention(q, k, v, return_lse=True)
    scores = torch.cat([8**-0.5 * q @ k.mT, z.expand(1, 2, 6)[..., None]], -1)
    exact = torch.softmax(scores, -1)[..., :-1] @ v
    torch.testing.assert_close(torch.sigmoid(lse - z)[..., None] * o, exact)


def test_only_the_math_backend_has_a_second_derivative(qkv):
    q, k, v = qkv.requires_grad_()
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
        with sdpa_kernel(backend):
            loss = scaled_dot_product_attention(q, k, v).sum()
        (dq,) = torch.autograd.grad(loss, q, create_graph=True)
        if backend is SDPBackend.MATH:
            torch.autograd.grad(dq.square().sum(), q)
        else:
            with pytest.raises(RuntimeError, match="is not implemented"):
                torch.autograd.grad(dq.square().sum(), q)


def test_a_chunk_is_the_end_of_the_sequence(qkv):
    """Query i of two sees the keys up to i + N_k − N_q; PyTorch aligns top-left."""
    q, k, v = qkv
    chunk = tilewise.flash_attention(q[..., 4:, :], k, v, causal=True)
    whole = tilewise.flash_attention(q, k, v, causal=True)
    torch.testing.assert_close(chunk, whole[..., 4:, :])
    one = scaled_dot_product_attention(q[..., 5:, :], k, v, is_causal=True)
    torch.testing.assert_close(one, v[..., :1, :])  # top-left: the first key alone


def test_pytorch_returns_weights_unless_told_otherwise():
    layer, x = torch.nn.MultiheadAttention(8, 2), torch.randn(5, 8)
    assert layer(x, x, x)[1].shape == (5, 5)
    assert layer(x, x, x, need_weights=False)[1] is None
