"""Fuzz a running attention service from its own OpenAPI description.

    python -m pip install --group fuzz
    python scripts/quality/serve/serve_fuzz.py [SECONDS]

schemathesis makes requests from /openapi.json, right ones and wrong ones, and holds
every answer against it. Left out is its check that whatever fits the schema is
accepted: a schema cannot say that the shapes of q, k and v have to fit together. Exit
status 0: no 5xx, no answer that is not described, and the server still answers right.
"""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from quality.serve.serve_load import start

from tilewise import worked_example as example

EXAMPLE = {"q": [[example.Q]], "k": [[example.K]], "v": [[example.V]]}


def fuzz(port, seconds):
    """The exit status of schemathesis."""
    command = [sys.executable, "-m", "schemathesis.cli", "run", "--checks", "all"]
    command += ["--exclude-checks", "positive_data_acceptance", "--max-time", seconds]
    command += ["--max-examples", "100000", "--request-timeout", "60", "--no-color"]
    return subprocess.run(
        [*command, f"http://127.0.0.1:{port}/openapi.json"]
    ).returncode


def get(port, path, body=None):
    """The body of an answer with status 200."""
    address = f"http://127.0.0.1:{port}{path}"
    form = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, body, form)) as answer:
        return answer.read()


def main():
    """Start a server, fuzz it, look at what it counted, ask it once more."""
    seconds = sys.argv[1] if sys.argv[1:] else "300"
    process, port = start()
    status = fuzz(port, seconds)
    lines = get(port, "/metrics").decode().splitlines()
    counts = [x for x in lines if x.startswith("tilewise_seconds_count")]
    print("\n".join(counts))
    failed = [x for x in counts if 'status="5' in x]
    body = json.dumps(EXAMPLE | {"scale": example.SCALE, "dtype": "float64"}).encode()
    right = json.loads(get(port, "/v1/attention", body))["o"] == [[example.O]]
    process.terminate()
    ended = process.wait(60)
    print(f"schemathesis {status}, 5xx {len(failed)}, right {right}, exit {ended}")
    sys.exit(bool(status or failed or ended or not right))


if __name__ == "__main__":
    main()
