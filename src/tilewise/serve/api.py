"""The application: three routes, described by the models of what they take and give."""

import asyncio
import json
import mmap
import re
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware.trustedhost import TrustedHostMiddleware

import tilewise
from tilewise.serve import limits as defaults
from tilewise.serve import models, problem
from tilewise.serve.answer import answer
from tilewise.serve.models import BYTES, FORMS, JSON, SAFETENSORS, Result
from tilewise.serve.problem import RESPONSES
from tilewise.serve.shared import Budget, Jobs, cut, read
from tilewise.serve.watch import metrics, watched

ABOUT = """Attention, o = softmax(scale · q kᵀ) v, on this machine's CPU, for tests and
teaching. An answer has the form of the body unless `Accept` names another. Each option
stands in the body (in `__metadata__` of safetensors) or in the query."""
BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
OTHERS = {SAFETENSORS: BINARY, BYTES: BINARY}
BODY = {JSON: {"schema": models.Attention.model_json_schema()}} | OTHERS


def warm():
    """Compute once, so that PyTorch has loaded what it loads at its first use."""
    for form in FORMS:
        with mmap.mmap(-1, 1000) as body:
            body.write(json.dumps(models.EXAMPLE).encode())
            answer(body, JSON, form, {}, defaults.LIMITS, lambda: False)


def make_app(hosts=defaults.LOCAL, **limits):
    """The ASGI application with LIMITS, or others, for clients that name a host."""
    limits = defaults.LIMITS | limits
    jobs = Jobs(limits["threads"], limits["queue"])
    budget = Budget(max(limits["memory"], limits["max_body"]) * defaults.MIB)
    registry, seen = metrics(jobs, budget)

    @asynccontextmanager
    async def life(_):
        await asyncio.to_thread(warm)
        yield
        await jobs.close()

    app = FastAPI(
        title="Tilewise",
        version=tilewise.__version__,
        description=f"{ABOUT}\n\nLimits of this server: {limits}.\n",
        docs_url=None,  # its pages load scripts from another host
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
    )
    for error in problem.ERRORS:
        app.add_exception_handler(error, problem.respond)
    app.add_middleware(TrustedHostMiddleware, list(hosts), www_redirect=False)
    app.add_middleware(watched, seen=seen, most=2 * limits["deadline"] + 1)
    routes(app, jobs, registry)
    attention(app, jobs, budget, limits)
    return app


def routes(app: FastAPI, jobs, registry):
    """What is asked about the server itself."""

    @app.get("/health", responses={503: {"model": models.Health}})
    async def health(response: Response) -> models.Health:
        response.status_code = 200 if jobs.ready else 503
        return models.Health(ready=jobs.ready)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def attention(app: FastAPI, jobs, budget, limits):
    """POST /v1/attention: refuse early, read, wait for a thread, answer."""

    @app.post(
        "/v1/attention",
        responses={200: {"model": Result, "content": OTHERS}, **RESPONSES},
        openapi_extra={"requestBody": {"required": True, "content": BODY}},
    )
    async def attention(
        request: Request,
        words: Annotated[models.Words, Query()],
        take: Annotated[Any, Depends(budget.share)],
    ) -> Response:
        until = asyncio.get_running_loop().time() + limits["deadline"]
        form, wanted = forms(request)
        jobs.room()  # before the body is read
        most = limits["max_json" if form == JSON else "max_body"] * defaults.MIB
        async with read(request, most, until, take) as body:
            job = partial(answer, body, form, wanted, words.values(), limits)
            result = await jobs.run(job, until, partial(left, request))
        take(len(result))
        length = {"Content-Length": str(len(result))}
        return StreamingResponse(cut(result), 200, length, wanted)


async def left(request):
    """Return when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def forms(request):
    """The media types of the body and of the answer, once the query is unambiguous."""
    query = request.query_params
    for name in query:
        if len(query.getlist(name)) > 1:
            raise problem.wrong(f"{name} stands twice in the query", name)
    headers = (request.headers.get(x, "") for x in ("content-type", "accept"))
    given, wanted = (re.split(r"[\s;,]+", x.lower()) for x in headers)
    if given[0] not in FORMS:
        text = f"Content-Type must be one of {', '.join(FORMS)}"
        raise problem.Problem(415, text, "Content-Type")
    return given[0], next((x for x in wanted if x in FORMS), given[0])
