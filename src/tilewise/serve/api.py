"""The application: four routes, and one form for everything that goes wrong."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Any

import torch
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

import tilewise
from tilewise.serve import openapi
from tilewise.serve.accept import media
from tilewise.serve.body import Answer, Budget, read
from tilewise.serve.jobs import Jobs
from tilewise.serve.limits import LIMITS, MIB
from tilewise.serve.options import from_query
from tilewise.serve.problem import MEDIA, Problem
from tilewise.serve.watch import metrics, watched
from tilewise.serve.writing import JSON, answer

TELEMETRY = ("tracing", "metrics", "logs", "operation_spans", "auto_configure")
OFF: dict[str, Any] = {  # docs pages load scripts from another host
    "docs_url": None,
    "redoc_url": None,
    "redirect_slashes": False,
    "telemetry": dict.fromkeys(TELEMETRY, False),
}


def make_app(**limits):
    """The ASGI application with LIMITS, or others by keyword."""
    limits = LIMITS | limits
    jobs = Jobs(limits["threads"], limits["queue"])
    budget = Budget(max(limits["memory"], limits["max_body"]) * MIB)
    registry, seen = metrics(jobs, budget)

    @asynccontextmanager
    async def life(_):
        await jobs.start()
        yield
        await jobs.close()

    version = tilewise.__version__
    app = FastAPI(title="Tilewise", version=version, lifespan=life, **OFF)
    routes(app, jobs, registry)
    attention(app, jobs, budget, limits)
    describe = partial(openapi.describe, app, limits)
    app.openapi = describe  # type: ignore[method-assign]  # as FastAPI says to
    for error, told in HANDLERS.items():
        app.add_exception_handler(error, told)
    app.add_middleware(watched, seen=seen)
    return app


def routes(app, jobs, registry):
    """What is asked about the server itself."""

    @app.get("/health", **openapi.HEALTH)
    async def health():
        ready = jobs.pending < jobs.most and not jobs.closing.is_set()
        found = {"live": True, "ready": ready, "queued": jobs.queued}
        found |= {"threads": jobs.threads, "running": jobs.pending - jobs.queued}
        found |= {"version": tilewise.__version__, "torch": torch.__version__}
        return JSONResponse(found, 200 if ready else 503)

    @app.get("/metrics", **openapi.METRICS)
    async def metrics():
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def attention(app: FastAPI, jobs, budget, limits):
    """POST /v1/attention: refuse early, read, wait for a thread, answer."""

    @app.post("/v1/attention", **openapi.ATTENTION)
    async def post(request: Request):
        until = asyncio.get_running_loop().time() + limits["deadline"]
        given, wanted = media(request.headers)
        query = from_query(request.scope["query_string"])
        jobs.room()  # before the body is read
        most = limits["max_json" if given == JSON else "max_body"] * MIB
        async with read(request, most, until, budget) as box:
            about = box, given, wanted, query, limits
            made = await jobs.run(
                partial(answer, *about), until, partial(left, request)
            )
        return Answer(made, wanted, budget)


async def left(request):
    """Return when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def told(problem):
    """The response to a Problem."""
    return Response(problem.body(), problem.status, problem.headers, MEDIA)


async def on_problem(_, problem):
    return told(problem)


async def on_http(_, error):
    """404 and 405, which the router raises."""
    phrase = HTTPStatus(error.status_code).phrase.lower()
    text = f"{phrase}: see /openapi.json for what there is"
    return told(Problem(error.status_code, text, headers=error.headers or {}))


async def on_late(_, error):
    text, headers = "the body did not come in time", {"Connection": "close"}
    return told(Problem(408, text, "body", headers))


async def on_gone(_, error):
    return told(Problem(408, "the client left before its body was there"))


async def on_fault(_, error):
    """500: a mistake of this program, which goes to its log and not to the client."""
    return told(Problem(500, "a mistake in the server; its log says more"))


HANDLERS = {
    Problem: on_problem,
    HTTPException: on_http,
    TimeoutError: on_late,
    ClientDisconnect: on_gone,
    Exception: on_fault,
}
