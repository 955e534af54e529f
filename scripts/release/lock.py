"""Write the pins: constraints.txt, and with hashes what the workflows install.

    python -m pip install --group tools
    python scripts/release/lock.py            keeps every version that still fits
    python scripts/release/lock.py --upgrade  the newest that pyproject.toml allows
    python scripts/release/lock.py --upgrade-package NAME

constraints.txt leads; requirements-ci.txt is the same with hashes. Both are for Linux
on x86-64, with the torch of the public registry, which has the one for CUDA alone. What
the lowest Python gets, every later one gets as well.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = "3.11.5"  # the lowest that pymdown-extensions allows
PLATFORM = "x86_64-manylinux_2_28"
PINS, TEST, TOOLS = "constraints.txt", "requirements-ci.txt", "requirements-tools.txt"
WHAT = {
    PINS: "Exact versions that CI tests with; the README's test command installs "
    "under them.",
    TEST: "constraints.txt with hashes: what the workflows install, on Linux, x86-64.",
    TOOLS: "What the workflows use besides, with hashes: the group `tools`.",
}


def compiled(name, *options):
    """Have uv write one file, from the versions in it and the options."""
    command = ["uv", "pip", "compile", "pyproject.toml", *options, "-o", name]
    command += ["--python-version", PYTHON, "--python-platform", PLATFORM]
    command += ["--no-config", "--no-annotate", "--no-header", "--quiet"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    path = ROOT / name
    text = path.read_text("utf-8")
    path.write_text(
        f"# {WHAT[name]}\n# Written by scripts/release/lock.py.\n{text}", "utf-8"
    )


def main(options):
    compiled(PINS, "--extra", "test", *options)
    compiled(TEST, "--extra", "test", "-c", PINS, "--generate-hashes")
    compiled(TOOLS, "--group", "tools", "--generate-hashes", *options)


if __name__ == "__main__":
    main(sys.argv[1:])
