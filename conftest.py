"""pytest runs the code blocks of every page below docs as the reader sees them.

pytest-codeblocks collects and reports. What a block is, and how it runs, is decided in
tests/site/codeblocks.py: the plugin alone skips fences it does not know without a word
and takes an include for Python.
"""

import pytest_codeblocks.plugin as plugin
from codeblocks import blocks, run
from pytest_codeblocks.main import CodeBlock


class Source(str):
    """The text of a block, which the plugin hands back to be run."""


def extract_from_file(path):
    """The Python blocks of the page, in the plugin's form."""
    made = []
    for block in blocks(path):
        code = Source(block.code)
        code.block = block
        made.append(CodeBlock(code, block.line, "python", expected_output=block.output))
    return made


plugin.extract_from_file = extract_from_file
plugin.exec = lambda code, _: run(code.block)  # found before the built-in exec
