"""Small random models of Transformers: ours against `eager`, mostly in float64."""

import pytest
import torch
from torch.nn import functional

from tilewise.attention import ops
from tilewise.integrations import transformers as integration

transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.full

SIZES = {
    "vocab_size": 50,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": None,
}
GEMMA = {"attn_logit_softcapping": 5.0, "query_pre_attn_scalar": 8}
EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}
MODELS = {  # name: class of the config, what it is told beside SIZES
    "llama": ("LlamaConfig", {}),
    "qwen3": ("Qwen3Config", {}),
    "gemma2": ("Gemma2Config", {"sliding_window": 7, **GEMMA}),
    "gpt-oss": ("GptOssConfig", {"sliding_window": 7, **EXPERTS}),
    "mistral": ("MistralConfig", {"sliding_window": 7}),
}
CACHES = [(name, "dynamic") for name in MODELS]
each = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    """A softmax of eager's that stays in float64, where models ask for float32."""
    softmax = functional.softmax
    monkeypatch.setattr(
        functional, "softmax", lambda x, dim, dtype=None: softmax(x, dim)
    )
    integration.register()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for such small models they only wait for each other
    yield
    torch.set_num_threads(threads)


def model_of(name):
    """A model of random weights, and sinks that matter."""
    kind, more = MODELS[name]
    config = getattr(transformers, kind)(**SIZES, **more)
    torch.manual_seed(0)
    how = {"experts_implementation": "eager"} if name == "gpt-oss" else {}
    model = transformers.AutoModelForCausalLM.from_config(config, **how).double().eval()
    for label, x in model.named_parameters():
        if label.endswith("sinks"):
            torch.nn.init.normal_(x)
    return model


def ids(batch=3, n=24):
    return torch.randint(2, 50, (batch, n), generator=torch.Generator().manual_seed(1))


PADDING = {  # how many tokens of padding each sequence has, before it and after it
    "none": (None, 0),
    "left": ([5, 9, 0], 0),
    "right": (None, [5, 9, 0]),
}


def seen(kind):
    """What Transformers calls attention_mask (batch, N), all ones without padding."""
    left, right = (torch.tensor(x or [0] * 3)[:, None] for x in PADDING[kind])
    at = torch.arange(24)
    return ((at >= left) & (at < 24 - right)).long()


def learned(model, implementation, tokens, mask):
    """[logits, gradient of each parameter]."""
    model.set_attn_implementation(implementation)
    logits = model(tokens, attention_mask=mask).logits[mask.bool()]
    grads = torch.autograd.grad(logits.square().mean(), [*model.parameters()])
    return [logits.detach(), *grads]


def generated(model, implementation, cache="dynamic"):
    """The tokens of two prompts and 64 tokens more, and the logits of these."""
    model.set_attn_implementation(implementation)
    how = {"max_new_tokens": 64, "do_sample": False, "cache_implementation": cache}
    how |= {"return_dict_in_generate": True, "output_logits": True}
    mask = seen("left")[:2, :12]
    found = model.generate(ids()[:2, :12], attention_mask=mask, **how)
    return found.sequences, torch.stack(found.logits)


@each
@pytest.mark.parametrize("kind", PADDING)
def test_logits_and_gradients(name, kind):
    model, given = model_of(name), (ids(), seen(kind))
    found = [learned(model, how, *given) for how in ("eager", "tilewise")]
    for x, y in zip(*found, strict=True):
        assert (x - y).abs().max() < 1e-12 * max(1, y.abs().max())


@pytest.mark.parametrize("name, cache", [*CACHES, ("mistral", "static")])
def test_64_tokens(name, cache):
    model = model_of(name)
    found = [generated(model, how, cache)[0] for how in ("eager", "tilewise")]
    assert found[0].shape == (2, 76) and torch.equal(*found)


@each
def test_float32_errs_at_most_twice_as_much_as_eager(name):
    model, tokens, found = model_of(name).float(), [], []
    for how, to in ("tilewise", "float"), ("eager", "float"), ("eager", "double"):
        logits, *grads = learned(getattr(model, to)(), how, ids(), seen("left"))
        chosen, later = generated(model, how)
        found.append((logits, later, torch.cat([x.flatten() for x in grads])))
        tokens.append(chosen)
    assert all(torch.equal(x, tokens[2]) for x in tokens)
    for ours, theirs, exact in zip(*found, strict=True):
        assert (ours - exact).abs().max() < 2 * (theirs - exact).abs().max()


@each
def test_a_prompt_in_two_parts(name):
    """With a cache, a chunk of queries sees all keys before it: bottom-right."""
    model, tokens = model_of(name), ids()
    model.set_attn_implementation("tilewise")
    whole = model(tokens).logits
    cache = transformers.DynamicCache(config=model.config)
    model(tokens[:, :15], cache=cache)
    rest = model(tokens[:, 15:], cache=cache).logits
    assert (whole[:, 15:] - rest).abs().max() < 1e-12


def asked(name, monkeypatch, **options):
    """[(mask, causal, window)] of each layer's call of attention."""
    calls, attend = [], integration.attend

    def watched(q, k, v, attn_mask=None, causal=False, **how):
        calls.append((attn_mask is not None, causal, how.get("window")))
        return attend(q, k, v, attn_mask, causal, **how)

    monkeypatch.setattr(integration, "attend", watched)
    model = model_of(name)
    model.set_attn_implementation("tilewise")
    model(ids(), **options)
    return calls


def test_kernels_get_rules_and_not_masks(monkeypatch):
    full, window = (False, True, None), (False, True, (6, 0))
    assert asked("llama", monkeypatch) == [full, full]
    assert asked("mistral", monkeypatch) == [window, window]
    assert asked("gpt-oss", monkeypatch) == [window, full]
    ones = torch.ones(3, 24, dtype=torch.long)
    assert asked("gemma2", monkeypatch, attention_mask=ones) == [window, full]
    padded = asked("mistral", monkeypatch, attention_mask=seen("left"))
    assert padded == [(True, False, None)] * 2


def test_packed_sequences_stay_apart():
    """Positions that begin again mean another document, as eager has it."""
    model, tokens, found = model_of("llama"), ids(1), []
    positions = torch.cat([torch.arange(9), torch.arange(15)])[None]
    for implementation in ("eager", "tilewise"):
        model.set_attn_implementation(implementation)
        found.append(model(tokens, position_ids=positions, use_cache=False).logits)
    assert (found[0] - found[1]).abs().max() < 1e-12


def test_chunks_are_no_window():
    """Both are local; what Llama 4 has begins again at each multiple of a size."""
    how = {"q_offset": 0, "kv_offset": 0, "device": "cpu"}
    chunks = transformers.masking_utils.chunked_causal_mask_function(4, torch.zeros(1))
    config = type("Config", (), {"attention_chunk_size": 4})
    found = integration.mask(
        1, 10, 10, mask_function=chunks, local_size=4, config=config, **how
    )
    at = torch.arange(10)
    expected = (at[:, None] >= at) & (at[:, None] // 4 == at // 4)
    assert torch.equal(found[0, 0], expected)
    assert integration.mask(1, 10, 10, local_size=4, **how) == integration.Window(4)


def test_what_is_not_there_is_said(monkeypatch):
    q = torch.zeros(1, 1, 2, 8)
    with pytest.raises(NotImplementedError, match="no position_bias: use 'sdpa'"):
        integration.attention(torch.nn.Identity(), q, q, q, None, position_bias=q)
    monkeypatch.setattr("transformers.__version__", "4.57.1")
    with pytest.raises(RuntimeError, match=r"version 5 or newer, not 4\.57\.1"):
        integration.register()
    assert ops.attend is integration.attend
