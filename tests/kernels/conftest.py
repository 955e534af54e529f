"""Triton is for Linux: elsewhere nothing here is collected."""

import sys

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]
