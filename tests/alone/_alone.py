"""The stand-alone files as a reader has them: text in a folder, without tilewise."""

import importlib.util
import sys

# MODULES FILE: run the file as a program where importing these, tilewise say, fails
WITHOUT = """import runpy, sys
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def loaded(name, text, folder):
    """The module that a file of this text is."""
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(f"alone_{name}", path)
    module = importlib.util.module_from_spec(spec)
    kept = {x: sys.modules[x] for x in sys.modules if x.split(".")[0] == "tilewise"}
    try:
        sys.modules.update(dict.fromkeys(kept), tilewise=None)
        spec.loader.exec_module(module)
    finally:
        sys.modules.update(kept)
    return module
