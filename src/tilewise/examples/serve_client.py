"""Ask a server for attention, with nothing but the standard library."""

import json
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

Q = [[-1, -1], [1, 0], [0, 1], [1, 1]]
K = [[1, 0], [0, 1], [0, 2], [-1, 1]]
V = [[0, 9], [9, 9], [-9, 0], [9, 0]]


def attention(address, **body):
    """The answer to one request, or the sentence that says why there is none."""
    form = {"Content-Type": "application/json"}
    text = json.dumps(body).encode()
    try:
        with urlopen(Request(f"{address}/v1/attention", text, form)) as answer:
            return json.load(answer)
    except HTTPError as problem:
        with problem:
            return f"{problem.code}: {json.load(problem)['detail']}"


command = [sys.executable, "-m", "tilewise", "serve", "--port", "0"]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
    address = server.stdout.readline().split()[-1]  # Listening on http://...
    qkv = {"q": [[Q]], "k": [[K]], "v": [[V]]}  # (batch, heads, N, d)
    options = {"dtype": "float64", "scale": 0.6931471805599453}  # ln 2
    for causal in (False, True):
        o = attention(address, **qkv, **options, causal=causal)["o"][0][0]
        print([[round(x, 9) for x in row] for row in o])
    print(attention(address, **qkv | {"k": [[K[:3]]]}))
    server.terminate()
print("exit status", server.returncode)
