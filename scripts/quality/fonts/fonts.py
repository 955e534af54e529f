"""The fonts that the browser's tests look with, whatever else this machine has.

They come from npm, as package-lock.json beside this pins them, and fontconfig is told
of no others. DejaVu Sans is the widest of the usual fallbacks, and Arimo, which has the
widths of Arial and of Liberation Sans, is a narrow one. Both have Noto Sans SC as their
Chinese partner.

    python scripts/quality/fonts/fonts.py

says which browser the tests use, and which fonts it then knows.
"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from release import chromium
from website import packages

HERE = Path(__file__).resolve().parent
NODE = HERE / "node_modules"
FOLDERS = (
    "dejavu-fonts-ttf/ttf",
    "@expo-google-fonts/arimo/400Regular",
    "@expo-google-fonts/arimo/700Bold",
    "@expo-google-fonts/noto-sans-sc/400Regular",
    "@expo-google-fonts/noto-sans-sc/700Bold",
)
WIDE, NARROW, CHINESE = "DejaVu Sans", "Arimo", "Noto Sans SC"
DEFAULTS = {
    "sans-serif": WIDE,
    "system-ui": WIDE,
    "serif": "DejaVu Serif",
    "monospace": "DejaVu Sans Mono",
}


def install():
    """Bring the fonts."""
    packages.install(HERE)


def configuration(folder):
    """The path of a fontconfig file in a folder, which lists these fonts alone."""
    aliases = "".join(
        f"<alias binding='same'><family>{generic}</family>"
        f"<prefer><family>{family}</family><family>{CHINESE}</family></prefer></alias>\n"
        for generic, family in DEFAULTS.items()
    )
    places = "".join(f"<dir>{NODE / name}</dir>\n" for name in FOLDERS)
    path = Path(folder, "fonts.conf")
    path.write_text(
        "<?xml version='1.0'?>\n<!DOCTYPE fontconfig SYSTEM 'fonts.dtd'>\n"
        f"<fontconfig>\n{places}<cachedir>{folder}</cachedir>\n{aliases}</fontconfig>\n",
        "utf-8",
    )
    return path


def report():
    """Print the browser's version and the folders of the fonts."""
    subprocess.run([chromium.find() or "chromium", "--version"], check=True)
    print(f"wide {WIDE}, narrow {NARROW}, Chinese {CHINESE}:", *FOLDERS, sep="\n  ")


if __name__ == "__main__":
    report()
