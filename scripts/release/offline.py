"""Pack the built site into one zip: the same files give the same bytes.

    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) mkdocs build --strict
    python scripts/release/offline.py site dist/tilewise.zip

Files stand in the order of their names, all with the time SOURCE_DATE_EPOCH, in UTC.
Beside the zip, dist/tilewise.zip.sha256 is what `sha256sum --check` reads.
"""

import hashlib
import os
import sys
import time
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo


def pack(site, target):
    """Write the zip of a folder, and its checksum beside it."""
    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    paths = {p.relative_to(site).as_posix(): p for p in site.rglob("*") if p.is_file()}
    target.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(target, "w") as zipped:
        for name in sorted(paths):
            entry = ZipInfo(f"{target.stem}/{name}", moment)
            entry.compress_type, entry.create_system = ZIP_DEFLATED, 3  # as on Unix,
            entry.external_attr = 0o644 << 16  # where each file can be read by all
            zipped.writestr(entry, paths[name].read_bytes())
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    note = target.with_name(f"{target.name}.sha256")
    note.write_text(f"{digest}  {target.name}\n", "utf-8")


if __name__ == "__main__":
    pack(*map(Path, sys.argv[1:]))
