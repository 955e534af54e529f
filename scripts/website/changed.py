"""When each page was last changed, from git: the same in every build of a commit.

Without git, or in a clone that has only the last commits, nothing is known.
"""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def git(*words):
    """What git says of this repository; nothing where it has nothing to say."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8"
        )
    except FileNotFoundError:
        return ""
    return "" if done.returncode else done.stdout


@cache
def dates():
    """{path below the repository: date of the last commit that changed it}."""
    if git("rev-parse", "--is-shallow-repository").strip() != "false":
        return {}
    found, date = {}, ""
    for line in git("log", "--format=@%cs", "--name-only", "--", "docs").splitlines():
        if line.startswith("@"):
            date = line[1:]
        elif line:
            found.setdefault(line, date)
    return found
