"""From a body to the bytes of its answer: what a worker thread does.

A body of safetensors is 8 bytes with the length of a header, the header in JSON, and
the numbers. https://huggingface.co/docs/safetensors
"""

import safetensors.torch
import torch

from tilewise.checks import short, strict_json
from tilewise.serve.checks import finite, fit
from tilewise.serve.compute import attend
from tilewise.serve.limits import HEADER, JSON_NUMBERS, NAMES
from tilewise.serve.models import JSON, SAFETENSORS, Attention, Options, Result, Words
from tilewise.serve.problem import Problem, wrong

DTYPES = torch.float16, torch.bfloat16, torch.float32, torch.float64


def answer(body, form, wanted, given, limits, unwanted):
    """The bytes of the answer, of the type wanted, to a memory map with a body's bytes.

    given contains the options of the query; unwanted() says that nobody waits any more.
    """
    with body:  # which is closed as soon as it is read
        read = from_json if form == JSON else from_safetensors
        tensors, options = read(body[: body.tell()], given)
    wild = options.allow_nonfinite
    if wild and JSON in (form, wanted):
        text = "allow_nonfinite needs safetensors both ways, since JSON has no NaN"
        raise wrong(text, "allow_nonfinite")
    fit(tensors, limits)
    if not wild:
        finite(tensors, "has a number that is not finite in {}")
    numbers = tensors["q"].shape[:3].numel() * tensors["v"].shape[3]
    if wanted == JSON and numbers > JSON_NUMBERS:
        text = f"the result has {numbers} numbers; in JSON at most {JSON_NUMBERS}"
        raise wrong(f"{text}, so accept {SAFETENSORS}", "q")
    results = attend(tensors, options, unwanted)
    if not wild:
        finite(results, "leaves the range of {}; use a smaller scale or a wider dtype")
    if wanted != JSON:
        return safetensors.torch.save(results)
    lists = {name: x.tolist() for name, x in results.items()}
    result = Result.model_construct(**lists, dtype=str(results["o"].dtype)[6:])
    return result.model_dump_json(exclude_unset=True).encode()  # −∞ becomes null


def from_json(body, given):
    """({"q", "k", "v"}, Options) of a body in JSON and the options of the query."""
    asked = Attention.model_validate(once(strict(body, "the body"), given))
    dtype = getattr(torch, asked.dtype)
    try:
        wide = {x: torch.tensor(getattr(asked, x), dtype=torch.float64) for x in "qkv"}
    except ValueError as error:
        raise wrong(f"q, k or v is ragged: {error}") from None
    return {name: x.to(dtype) for name, x in wide.items()}, asked


def from_safetensors(body, given):
    """({"q", "k", "v"}, Options) of a body in safetensors and options of the query."""
    length = int.from_bytes(body[:8], "little")
    if not 8 + length <= len(body):
        raise Problem(400, "the body is shorter than its first 8 bytes say")
    if length > HEADER:
        text = f"the header would have {length} bytes; at most {HEADER} are read"
        raise Problem(400, text)
    header = strict(body[8 : 8 + length], "the header")
    words = Words.model_validate(header.get("__metadata__", {}))
    try:
        tensors = safetensors.torch.load(body)
    except (safetensors.SafetensorError, KeyError) as error:
        text = f"the body is not safetensors that is read here: {short(error, 120)}"
        raise Problem(400, text) from None
    if tensors.keys() != {*"qkv"}:
        raise wrong(f"there must be q, k and v, not {short([*tensors])}")
    if tensors["q"].dtype not in DTYPES:
        raise wrong(f"the dtype must not be {tensors['q'].dtype}", "q")
    options = Options(**once(words.values(), given))
    return {name: tensors[name] for name in "qkv"}, options


def once(inside, given):
    """The options of the body and those of the query, which must be others."""
    for name in given:
        if name in inside:
            raise wrong(f"{name} stands in the body and in the query", name)
    return inside | given


def strict(text, what):
    """An object of strict JSON, in which every number is a float."""
    try:
        read = strict_json.loads(text, NAMES)
    except strict_json.NotStrict as error:
        raise Problem(400, f"{what} {error}"[:200]) from None
    if not isinstance(read, dict):
        raise Problem(400, f"{what} is not an object")
    return read
