"""From a body to the bytes of its answer: what a worker thread does."""

import json
from typing import Any

import torch

from tilewise.serve.binary import from_safetensors, to_safetensors
from tilewise.serve.checks import finite, fit
from tilewise.serve.compute import Unwanted, attend
from tilewise.serve.limits import JSON_NUMBERS
from tilewise.serve.problem import wrong
from tilewise.serve.reading import from_json

JSON, SAFETENSORS = "application/json", "application/vnd.safetensors"
BYTES = "application/octet-stream"  # the same as SAFETENSORS


def answer(box, given, wanted, query, limits, unwanted):
    """The bytes of the answer, in the media type wanted, to a body of type given.

    box is a list with the body, which is taken out: once read it is not kept.
    """
    if unwanted():
        raise Unwanted
    read = from_json if given == JSON else from_safetensors
    tensors, options = read(box.pop(), query)
    if options["allow_nonfinite"] and JSON in (given, wanted):
        text = "allow_nonfinite needs safetensors both ways: JSON has neither NaN"
        raise wrong(f"{text} nor infinity", "allow_nonfinite")
    fit(tensors, limits)
    if not options["allow_nonfinite"]:
        finite(tensors)
    if wanted == JSON:
        short(tensors)
    results = attend(tensors, options, unwanted)
    if not options["allow_nonfinite"]:
        sound(results)
    return to_json(results) if wanted == JSON else to_safetensors(results)


def short(tensors):
    """Raise Problem (422) where the result has more numbers than JSON may carry."""
    size = tensors["q"].shape[:3].numel() * tensors["v"].shape[3]
    if size > JSON_NUMBERS:
        text = f"the result has {size} numbers; in JSON at most {JSON_NUMBERS}"
        raise wrong(f"{text}, with Accept: {SAFETENSORS} all of them", "q")


def sound(results):
    """Raise Problem (422) where a result is not finite, apart from L of empty rows."""
    found = dict(results)
    if "lse" in found:
        lse = found["lse"]
        found["lse"] = lse.masked_fill(lse == -torch.inf, 0)
    for name, x in found.items():
        if not torch.isfinite(x).all():
            dtype = str(x.dtype).removeprefix("torch.")
            text = f"{name} leaves the range of {dtype}; use a smaller scale"
            raise wrong(f"{text} or numbers, or a wider dtype", name)


def to_json(results):
    """{"o": lists, "lse": lists, "dtype": name} in JSON; −∞ in lse is null."""
    found: dict[str, Any] = {"dtype": str(results["o"].dtype).removeprefix("torch.")}
    found["o"] = results["o"].tolist()
    if "lse" in results:
        found["lse"] = [
            [[None if x == -torch.inf else x for x in row] for row in rows]
            for rows in results["lse"].tolist()
        ]
    return json.dumps(found, allow_nan=False).encode()
