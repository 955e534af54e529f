"""`python -m tilewise`: see tilewise.cli."""

import sys

from tilewise.cli import main

if __name__ == "__main__":
    sys.exit(main())
