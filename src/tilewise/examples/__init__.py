"""Beside the floors: short programs that pages show, with their output."""
