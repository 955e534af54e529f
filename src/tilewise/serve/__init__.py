"""Floor 2: attention over HTTP, `python -m tilewise serve`, for tests and teaching.

It needs the extra `serve` (FastAPI, uvicorn, safetensors, prometheus-client) and
PyTorch. Nothing else in tilewise imports it. `tilewise.serve.server.run` starts it.

A request's way: `protocol` (sockets, slow clients), `watch` (ids, metrics), `api`
(routes), `body` (bytes, counted as they come), `jobs` (a queue, worker threads), and
in a worker `reading` or `binary`, `checks`, `compute`, `writing`.
"""
