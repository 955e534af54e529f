"""Tensors from safetensors and back.

A body is 8 bytes with the length of a header, the header in JSON, the numbers. The
header is read here strictly and up to a length, then by the library, which holds
offsets against shapes. https://huggingface.co/docs/safetensors
"""

import safetensors.torch
import torch

from tilewise.serve.limits import HEADER
from tilewise.serve.options import DTYPES, from_words, gather, strict
from tilewise.serve.problem import bad, short, wrong

TORCH = {code: getattr(torch, name) for name, code in DTYPES.items()}


def header(body):
    """The header of a safetensors body: a dict, not yet compared with the rest."""
    if len(body) < 8:
        raise bad(f"the body has {len(body)} bytes; safetensors begins with 8")
    length = int.from_bytes(body[:8], "little")
    if length > HEADER:
        text = f"the safetensors header would have {length} bytes; at most {HEADER}"
        raise bad(f"{text} are read")
    if length > len(body) - 8:
        have = f"{len(body) - 8} bytes of a header of {length}"
        raise bad(f"the body is cut: it has {have}")
    found = strict(body[8 : 8 + length], "the safetensors header")
    if not isinstance(found, dict):
        raise bad("the safetensors header is not an object")
    return found


def from_safetensors(body, query):
    """({"q", "k", "v"}, options) of a safetensors body and the options of the query."""
    head = header(body)
    words = head.pop("__metadata__", {})
    if not isinstance(words, dict):
        raise bad("__metadata__ is not an object", "__metadata__")
    options = gather(from_words(words.items()), query)
    for name in head:
        if name not in ("q", "k", "v"):
            raise wrong(f"there is a tensor {short(name)}; q, k and v are known")
    for name in "qkv":
        if name not in head:
            raise wrong(f"{name} is missing", name)
        about = head[name]
        code = about.get("dtype") if isinstance(about, dict) else None
        if not isinstance(code, str) or code not in TORCH:
            text = f"dtype of {name} must be one of {', '.join(TORCH)}"
            raise wrong(f"{text}, not {short(code)}", name)
    try:
        found = dict(safetensors.deserialize(body))
    except safetensors.SafetensorError as error:
        raise bad(f"the body is not safetensors: {short(error, 120)}") from None
    return {name: tensor(name, found[name]) for name in "qkv"}, options


def tensor(name, found):
    """One tensor, over the memory that the library filled for it alone."""
    shape = found["shape"]
    if 0 in shape:
        raise wrong(f"{name} has no entries: its shape is {shape}", name)
    return torch.frombuffer(found["data"], dtype=TORCH[found["dtype"]]).view(shape)


def to_safetensors(results):
    """The bytes of {"o"} or {"o", "lse"}."""
    return safetensors.torch.save(results)
