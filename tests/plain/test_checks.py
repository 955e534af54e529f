"""One sentence for each thing that a caller got wrong."""

import json

import pytest

from tilewise import strict_json
from tilewise.checks import check_causal, check_choice, check_sizes, short


@pytest.mark.parametrize("causal", ["left", None, 2, "True"])
def test_causal(causal):
    with pytest.raises(ValueError, match=f"'top-left', not {causal!r}$"):
        check_causal(causal)


@pytest.mark.parametrize("size", [0, -1, 2.0, "3", None, True])
def test_sizes(size):
    with pytest.raises(ValueError, match="^d must be a whole number of at least 1"):
        check_sizes(n=4, d=size)


def test_what_fits_passes():
    for causal in (False, True, "top-left"):
        check_causal(causal)
    check_sizes(n=1, d=2**40)
    check_choice("order", "kv-outer", ("kv-outer", "q-outer"))


def test_choice():
    with pytest.raises(ValueError, match="^order must be one of a, b, not 'c'$"):
        check_choice("order", "c", ("a", "b"))


def test_short():
    assert short("a\nb") == r"'a\nb'" and short("x" * 99, 3) == "'xxx…'"


REFUSED = {
    b'{"a": 1, "a": 2}': "names 'a' twice",
    b'{"b": [{"a": 1, "a": 1}]}': "names 'a' twice",
    b"[NaN]": "contains NaN",
    b"-Infinity": "contains -Infinity",
    b"[1,]": "not valid JSON .line 1",
    b"\xff": "UTF-8",
    b"[" * 100_000: "nested",
    b"": "line 1, column 1",
}


@pytest.mark.parametrize("data", REFUSED, ids=range(len(REFUSED)))
def test_json_that_is_not_strict(data):
    with pytest.raises(strict_json.NotStrict, match=REFUSED[data]):
        strict_json.loads(data)


def test_strict_json_is_read():
    data = json.dumps({"a": [1, -2.5e3, None, True, "é"], "b": {}}).encode()
    value = strict_json.loads(b"\xef\xbb\xbf" + data)
    assert value == json.loads(data) and type(value["a"][0]) is float
    assert strict_json.loads(b"1e999") == float("inf")


def test_names_may_be_limited():
    assert strict_json.loads(b'{"a": 1, "b": 2}', 2) == {"a": 1, "b": 2}
    with pytest.raises(strict_json.NotStrict, match="has 2 names in one object"):
        strict_json.loads(b'[{"a": 1, "b": 2}]', 1)


def test_many_names_take_linear_time():
    """110,000 names and one of them twice: a list of names would take minutes."""
    names = ",".join(f'"{n}":0' for n in range(110_000))
    with pytest.raises(strict_json.NotStrict, match="'7' twice"):
        strict_json.loads(f'{{{names},"7":1}}'.encode())
