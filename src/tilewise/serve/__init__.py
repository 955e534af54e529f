"""Floor 2: attention over HTTP, `python -m tilewise serve`, for tests and teaching.

It needs the extra `serve` (FastAPI, hypercorn, safetensors, prometheus-client) and
PyTorch, except for `strict_json`, which the command line reads files with. Nothing else
in tilewise imports this folder. `tilewise.serve.server.run` starts the service.

A request passes through `watch` (metrics), `api` (routes) and `shared` (memory, queue,
threads). A worker thread runs `answer`, with `checks` and `compute`. `models` describes
what goes in and out.
"""
