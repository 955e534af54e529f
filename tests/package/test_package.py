"""The wheel and the sdist, used in a folder without the repository."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string

import pytest
from repository import ROOT

from tilewise.cli import errors

pytestmark = pytest.mark.full
BUILD = "from setuptools import build_meta as b; print(b.build_{}('dist'))"
NO_TORCH = """import sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "triton", "fastapi"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, NoTorch())
"""
ATTENTION = """import torch, tilewise
q, k, v = torch.randn(3, 1, 2, 70, 8, dtype=torch.float64).unbind(0)
o = tilewise.flash_attention(q, k, v, causal=True)
exact = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
assert (o - exact).abs().max() < 1e-12
print(tilewise.__file__)
"""


def run(folder, command, path=None, status=0):
    """What a program prints in a folder, with these folders first on its path."""
    env = {x: y for x, y in os.environ.items() if x != "PYTHONPATH"}
    env |= {"PYTHONPATH": os.pathsep.join(map(str, path or [])), "PYTHONUTF8": "1"}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=300
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The wheel and the sdist, built from a copy of what git has or would add."""
    folder = tmp_path_factory.mktemp("copy")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in run(ROOT, listed).split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for kind in ("sdist", "wheel"):
        run(folder, [sys.executable, "-c", BUILD.format(kind)])
    return folder / "dist"


@pytest.fixture(scope="module")
def installed(dist, tmp_path_factory):
    """The folder that the wheel was installed into."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        wheel.extractall(folder)  # nothing but Python: that is how pip installs it
    return folder


def test_the_wheel_has_all_of_src_and_says_what_it_is(dist):
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        names = {x for x in wheel.namelist() if not x.endswith("/")}
        info = next(x for x in names if x.endswith("/METADATA"))
        said = message_from_string(wheel.read(info).decode())
        scripts = wheel.read(info.replace("METADATA", "entry_points.txt")).decode()
    ours = {p.relative_to(ROOT / "src").as_posix() for p in (ROOT / "src").rglob("*")}
    parts = {x for x in names if x.startswith("tilewise/")}
    files = {x for x in ours if x.endswith((".py", ".md", ".toml", "py.typed"))}
    assert parts == {x for x in files if "egg-info" not in x}
    assert said["Requires-Python"] == ">=3.11" and said["Description-Content-Type"]
    assert "tilewise = tilewise.cli:main" in scripts


@pytest.mark.parametrize("torch", [True, False])
def test_the_wheel_works_in_an_empty_folder(installed, tmp_path, torch):
    (tmp_path / "path").mkdir()
    (tmp_path / "path/sitecustomize.py").write_text("" if torch else NO_TORCH)
    path = [tmp_path / "path", installed]
    call = [
        sys.executable,
        "-c",
        "import sys; from tilewise.cli import main; sys.exit(main())",
    ]

    def tilewise(*argv, status=0):
        return run(tmp_path, [*call, *argv], path, status)

    assert "9/4" in tilewise("trace")
    assert "FA2" in tilewise("ledger", "--n", "4096") and "merge" in tilewise(
        "exercise"
    )
    tilewise("exercise", "merge")
    assert "checks pass" in tilewise("exercise", "merge", status=1)
    tilewise("export", "online_softmax")
    assert "largest" in run(tmp_path, [sys.executable, "online_softmax.py"], path)
    assert "commit" not in (tmp_path / "online_softmax.py").read_text("utf-8")
    if torch:
        where = run(tmp_path, [sys.executable, "-c", ATTENTION], path)
        assert str(installed) in where
    else:
        said = tilewise("serve", status=2)
        assert 'pip install "tilewise[serve]"' in said
        assert '"healthy": false' in tilewise("doctor", "--format", "json", status=1)


def test_the_sdist_has_the_tests_and_all_that_they_need(dist, tmp_path):
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = {x for x in run(ROOT, listed).split("\0") if x and (ROOT / x).is_file()}
    missing = {x for x in names if not (folder / x).is_file()}
    assert {x for x in missing if not x.startswith(".")} == set()
    tests = ["tests/plain/test_softmax.py", "tests/tiled/test_flash2.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *tests]
    assert " passed" in run(folder, command, [folder / "src"])


def test_a_checkout_names_its_own_extra(monkeypatch, tmp_path):
    assert errors.extra("serve") == '-e ".[serve]"'
    monkeypatch.setattr(errors, "SOURCE", tmp_path / "lib/tilewise")
    assert errors.extra("serve") == '"tilewise[serve]"'
