"""What a request and its answers contain: pydantic checks it and describes it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tilewise.worked_example import SCALE, K, Q, V

JSON, SAFETENSORS = "application/json", "application/vnd.safetensors"
BYTES = "application/octet-stream"  # the same as SAFETENSORS
FORMS = (JSON, SAFETENSORS, BYTES)
EXAMPLE: Any = {"q": [[Q]], "k": [[K]], "v": [[V]], "scale": SCALE, "dtype": "float64"}
CAUSAL = "true: row r sees keys 0 .. r + N_k − N_q. top-left: 0 .. r."
TAU = "what q kᵀ is multiplied with; 1/√d where it is not given"
LSE = "also answer with lse, log Σ e^s of each row"
WILD = "let NaN and infinity in and out; safetensors only"
SOME = Field(min_length=1, fail_fast=True)  # no list is empty; one fault is enough
Row = Annotated[list[float], SOME]
Rows = Annotated[list[Row], SOME]
Heads = Annotated[list[Rows], SOME]
Numbers = Annotated[list[Heads], SOME]  # (batch, heads, N, d)


class Strict(BaseModel):
    """A model that converts nothing, and takes no other field, no NaN, no infinity."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class Options(Strict):
    """How attention is computed."""

    causal: bool | Literal["top-left"] = Field(False, description=CAUSAL)
    scale: float | None = Field(None, description=TAU)
    return_lse: bool = Field(False, description=LSE)
    allow_nonfinite: bool = Field(False, description=WILD)


class Attention(Options):
    """A body in JSON."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})
    q: Numbers  # (batch, heads, N_q, d)
    k: Numbers  # (batch, kv heads, N_k, d)
    v: Numbers  # (batch, kv heads, N_k, d_v)
    dtype: Literal["float16", "bfloat16", "float32", "float64"] = "float32"


class Words(Strict):
    """The same options as text: in the query, or in the header of safetensors."""

    model_config = ConfigDict(strict=False)
    causal: Literal["false", "true", "top-left"] = Field("false", description=CAUSAL)
    scale: float | None = Field(None, description=TAU)
    return_lse: Literal["false", "true"] = Field("false", description=LSE)
    allow_nonfinite: Literal["false", "true"] = Field("false", description=WILD)

    def values(self) -> dict[str, Any]:
        """The options that the text contains, as values."""
        given = self.model_dump(exclude_unset=True)
        return {x: {"true": True, "false": False}.get(y, y) for x, y in given.items()}


class Result(Strict):
    """An answer in JSON; in lse, null is −∞: the row sees no key."""

    o: Numbers  # (batch, heads, N_q, d_v)
    lse: list[list[list[float | None]]] | None = None  # (batch, heads, N_q)
    dtype: str  # of o


class Health(Strict):
    ready: bool  # it would take a request now


class Details(Strict):
    """What is wrong with a request, as RFC 9457 has it."""

    type: Literal["about:blank"] = "about:blank"
    title: str
    status: int
    detail: str  # one sentence
    field: str | None = None  # what the sentence is about
