"""`bench` on the GPU at hand: a small run from checking to the file."""

import json
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")


def test_a_small_run(tmp_path):
    words = ["--n", "1024", "--d", "64", "--causal", "yes", "--parts", "speed,host"]
    words += ["--only", "flash,descriptors,backward_split", "--seconds", "1"]
    place = tmp_path / "found.json"
    command = [sys.executable, "-m", "tilewise", "bench", *words, "--out", str(place)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(place.read_text("utf-8"))
    timed = {(row["pass"], row["kernel"]) for row in found["rows"] if "ms" in row}
    assert timed == {
        ("forward", "flash"),
        ("forward", "descriptors"),
        ("backward", "flash"),
        ("backward", "backward_split"),
    }, done.stderr[-2000:]
    assert found["complete"] and len(found["host"]) == 0
    assert "descriptors" in done.stdout


def test_a_card_to_share(tmp_path):
    """All of `bench --share`, and its file, read again."""
    place = str(tmp_path / "card.json")
    command = [sys.executable, "-m", "tilewise", "bench"]
    done = subprocess.run(
        [*command, "--share", "--out", place],
        capture_output=True,
        encoding="utf-8",
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    read = [*command, "--check", place]
    shown = subprocess.run(read, capture_output=True, encoding="utf-8", timeout=60)
    assert shown.returncode == 0, shown.stderr
    assert done.stdout.startswith(shown.stdout.rstrip())


def test_a_graph_that_outlives_nothing():
    """What a timed graph reads stays alive with it, also what make() has made."""
    from tilewise.bench import collect, peers, timing
    from tilewise.bench.cells import cell

    shape = cell(512, 64, batch=2, heads=4)
    x = collect.problem(shape)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad():
        prepare = peers.usual
        run = peers.entry(prepare, "forward", turned=False)(x)
        want, held = run()[0].clone(), []

        def right(results):
            held.append(results[0])
            return torch.equal(results[0], want)

        measure, how = timing.timer(run, right)
        del run, x
        torch.cuda.empty_cache()
        assert how["graph"] and measure()["ms"] > 0
        torch.cuda.synchronize()
        assert torch.equal(held[0], want)
