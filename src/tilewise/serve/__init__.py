"""Floor 2: attention over HTTP, `python -m tilewise serve`, for tests and teaching.

It needs the extra `serve` (FastAPI, hypercorn, safetensors, prometheus-client) and
PyTorch. Only the command of that name imports this folder; `server.run` starts it all.

A request passes through `watch` (metrics), `api` (routes) and `shared` (memory, queue,
threads). A worker thread runs `answer`, with `checks` and `compute`. `models` describes
what goes in and out.
"""
