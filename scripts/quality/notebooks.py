"""Run a built site's notebooks, each in an empty folder and without this package.

    python scripts/quality/notebooks.py site [PAGE …]

A page is a path such as softmax/merging; without one, all English notebooks run. Each
cell must run, and print what the notebook shows below it.
"""

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import v4

ONE = {"OMP_NUM_THREADS": "1"}  # sums as the pages have them, and no threads that wait
HIDE = """\
import sys
from pathlib import Path
sys.path[:] = [x for x in sys.path if not Path(x, "tilewise").exists()]
sys.meta_path[:] = [x for x in sys.meta_path if "editable" not in repr(x)]
"""


def printed(cell):
    """What a cell writes to its output."""
    texts = (x["text"] for x in cell.outputs if x.get("name") == "stdout")
    return "".join(texts).replace("\r\n", "\n").rstrip()


def wrong(path):
    """What goes wrong in a notebook, or ""."""
    book = nbformat.read(path, 4)
    shown = {x["id"]: printed(x) for x in book.cells if x.get("outputs")}
    book.cells.insert(0, v4.new_code_cell(HIDE))
    with TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        try:
            client = NotebookClient(book, timeout=600, resources=where)
            client.execute(env={**os.environ, **ONE})
        except CellExecutionError as error:
            return str(error)
    found = {x["id"]: printed(x) for x in book.cells if x["id"] in shown}
    other = [f"{found[x]}\ninstead of\n{y}" for x, y in shown.items() if found[x] != y]
    return "\n".join(other)


def main(site, *pages):
    """Run them and say which fail; exits with 1 if any does."""
    folder, failed = Path(site), 0
    paths = [folder / f"{page}.ipynb" for page in pages]
    for path in paths or sorted(folder.rglob("*.ipynb")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if not pages and name.startswith("zh/"):
            continue
        start = time.monotonic()
        problem = wrong(path)
        failed += bool(problem)
        said = "failed" if problem else "ok"
        print(f"{name:34} {time.monotonic() - start:6.1f} s  {said}", flush=True)
        print(problem, file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
