"""The strict reader of the file of `bench --share`."""

import json

import pytest

from tests.bench._made import made
from tilewise.bench import share, share_file


def put(data, path, value):
    """data with a value changed or, if it is None here, taken away."""
    data = json.loads(json.dumps(data))
    *above, last = path
    inner = data
    for key in above:
        inner = inner[key]
    if value is GONE:
        del inner[last]
    else:
        inner[last] = value
    return data


GONE = object()
ROW, THIRD = (("cells", 0, "rows", n) for n in (0, 2))


def test_what_is_written_is_read():
    data = made()
    assert share_file.read(json.dumps(data)) == data
    found = data["ratios"]["forward"]
    told = dict.fromkeys(("mean", "least", "most"), 1.25)
    assert found["flash"] == pytest.approx(told | {"cells": 8})
    assert found["efficient"] is None
    assert data["ratios"]["backward"]["cudnn"]["cells"] == 7  # one is left out


@pytest.mark.parametrize(
    ("path", "value", "code", "where"),
    [
        (("host",), "mine", "fields", "host"),
        (("machine", "user"), "me", "fields", "machine.user"),
        (("machine", "driver"), GONE, "fields", "machine.driver"),
        (("machine", "gpu"), "H100 in /home/me", "value", "machine.gpu"),
        (("machine", "sms"), True, "value", "machine.sms"),
        (("machine", "cudnn"), "9", "value", "machine.cudnn"),
        (("commit",), "main", "value", "commit"),
        (("date",), "2026-11-28\n", "value", "date"),
        (("date",), "٢٠٢٦-11-28", "value", "date"),
        (("command",), "python -m tilewise bench", "value", "command"),
        (("form",), 2, "value", "form"),
        (("cells",), {}, "value", "cells"),
        (("cells",), [], "fields", "cells"),
        (("cells", 0), None, "value", "cells[0]"),
        (("cells", 0, "n"), 2048, "value", "cells[0]"),
        (("cells", 0, "why"), "x", "fields", "cells[0].why"),
        (("cells", 15, "left_out"), "no time", "value", "cells[15].left_out"),
        (("cells", 0, "rows"), [], "fields", "cells[0].rows"),
        (("cells", 0, "plain", "o"), float("nan"), "value", "cells[0].plain.o"),
        (("cells", 0, "allowed", "o"), 1.0, "follows", "cells[0].allowed"),
        ((*ROW, "ms"), "fast", "value", "cells[0].flash.ms"),
        ((*ROW, "ms"), float("inf"), "value", "cells[0].flash.ms"),
        ((*ROW, "max"), 1e-9, "follows", "cells[0].flash.ms"),
        ((*ROW, "min"), 0, "follows", "cells[0].flash.ms"),
        ((*ROW, "tflops"), 90.0, "follows", "cells[0].flash.tflops"),
        ((*ROW, "error", "o"), 1.0, "follows", "cells[0].flash.error"),
        ((*ROW, "error", "dq"), 0.0, "fields", "cells[0].flash.error.dq"),
        ((*ROW, "watts"), -1, "value", "cells[0].flash.watts"),
        ((*THIRD, "missing"), "/tmp", "value", "cells[0].efficient.missing"),
        (("machine", "max_sm_clock"), "9 MHz", "follows", "cells[0].flash.tflops"),
    ],
)  # fmt: skip
def test_a_wrong_file_says_where(path, value, code, where):
    """Also where its digest is right."""
    for data in (put(made(), path, value), signed_again(put(made(), path, value))):
        with pytest.raises(share_file.Unfit) as unfit:
            share_file.read(json.dumps(data))
        assert (unfit.value.code, unfit.value.where) == (code, where)


def signed_again(data):
    return data | {"sha256": share.digest(data)}


def test_a_changed_file_is_seen_by_its_digest():
    data = put(made(), ("date",), "2026-11-29")
    with pytest.raises(share_file.Unfit, match="changed"):
        share_file.read(json.dumps(data))
    data = signed_again(put(made(), ("ratios", "forward", "flash", "mean"), 2.0))
    with pytest.raises(share_file.Unfit, match="follows: ratios"):
        share_file.read(json.dumps(data))


@pytest.mark.parametrize("text", ["", "{", "[" * 10**5, "9" * 5000, " " * 600_000])
def test_what_is_no_json(text):
    with pytest.raises(share_file.Unfit, match="json"):
        share_file.read(text)


@pytest.mark.parametrize("text", ["[]", "null", '"x"', "{}"])
def test_json_of_another_kind(text):
    with pytest.raises(share_file.Unfit):
        share_file.read(text)
