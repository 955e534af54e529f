"""What the tests of the command line share."""

import pytest

from tilewise.cli import main


@pytest.fixture
def refused(capsys):
    """refused(*argv): the one sentence that these arguments get, with exit status 2."""

    def run(*argv):
        status = main(list(argv))
        out, err = capsys.readouterr()
        assert status == 2 and out == ""
        assert err.startswith("tilewise: ") and err.count("\n") == 1
        sentence = err.removeprefix("tilewise: ").rstrip("\n")
        assert sentence.endswith((".", "。")) and "Traceback" not in err
        assert len(sentence) < 300
        return sentence

    return run
