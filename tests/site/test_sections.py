"""Sections and includes fit together: what the source marks, a page shows."""

import re

from pages import INCLUDE, ROOT, pages, read

from tilewise.exercises import NAMES
from tilewise.render.exercise import HEAD

MARK = re.compile(r"--8<-- \[(start|end):([\w-]+)\]")
LINES = re.compile(r"[\d:]+")  # an include of lines by their numbers
EXERCISE = {*HEAD, "solution", "start"}  # an exercise on a page consists of these


def marked(file):
    """The names of a file's sections, each once for its start and once for its end."""
    marks = MARK.findall((ROOT / file).read_text("utf-8"))
    return [[name for kind, name in marks if kind == x] for x in ("start", "end")]


def test_every_section_is_on_a_page_and_every_include_exists():
    sources = [ROOT / "README.md", *pages()]
    includes = {x for page in sources for x in INCLUDE.findall(read(page)[0])}
    offenders = []
    for path in sorted((ROOT / "src/tilewise").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        starts, ends = marked(file)
        if sorted(starts) != sorted({*ends}):
            offenders.append(f"{file}: a section begins twice or does not end")
        of_exercise = path.parent.name == "exercises" and path.stem in NAMES
        names = {*starts} - EXERCISE if of_exercise else {*starts}
        wanted = {f"{file}:{name}" for name in names}
        offenders += [f"{x} is on no page" for x in sorted(wanted - includes)]
    for target in sorted(includes):
        file, _, name = target.partition(":")
        if not (ROOT / file).is_file():
            offenders.append(f"{target}: there is no such file")
        elif name and not LINES.fullmatch(name) and name not in marked(file)[0]:
            offenders.append(f"{target}: the file has no such section")
    assert not offenders, "\n".join(offenders)
