"""Every limit holds, before memory or time is spent, and what is refused is let go."""

import pytest
import torch

from tilewise.serve.limits import MIB

from ._service import BYTES, JSON, PATH, packed, problem, service

SMALL = {"max_elements": 60, "max_heads": 6, "max_dim": 7, "max_body": 1}


def ones(*shapes):
    return packed(*(torch.ones(shape) for shape in shapes))


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([(1, 1, 61, 1), (1, 1, 1, 1), (1, 1, 1, 1)], "q would have 61 numbers"),
        ([(1, 1, 1, 1), (1, 1, 61, 1), (1, 1, 61, 1)], "k would have 61 numbers"),
        ([(1, 1, 20, 1), (1, 1, 1, 1), (1, 1, 1, 4)], "o would have 80 numbers"),
        ([(1, 1, 1, 8), (1, 1, 1, 8), (1, 1, 1, 1)], "d is 8; at most 7"),
        ([(1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 8)], "d_v is 8; at most 7"),
        ([(7, 1, 1, 1), (7, 1, 1, 1), (7, 1, 1, 1)], "batch × heads is 7; at most 6"),
        ([(1, 7, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)], "batch × heads is 7; at most 6"),
    ],
)
def test_sizes(shapes, words):
    with service(**SMALL) as served:
        problem(served.ask(ones(*shapes), BYTES), 422, words)
        fits = ones((1, 6, 2, 5), (1, 2, 4, 5), (1, 2, 4, 3))
        assert served.ask(fits, BYTES).status_code == 200


def test_a_small_body_cannot_ask_for_hours(served):
    long = torch.zeros(1, 1, 2**19, 1, dtype=torch.float16)
    answer = served.ask(packed(long, long, long), BYTES)
    assert problem(answer, 422, "too much work: 1.41e+14 multiply-adds") == "q"


def test_work_is_counted_in_billions():
    with service(max_work=1) as served:
        x, y = torch.zeros(1, 1, 1250, 8), torch.zeros(1, 1, 1500, 8)
        assert served.ask(packed(x, x, x), BYTES).status_code == 200
        problem(served.ask(packed(y, y, y), BYTES), 422, "at most 1e+09")


def test_long_results_do_not_come_as_json(served):
    q, k = torch.zeros(1, 1, 2**13 + 1, 8), torch.zeros(1, 1, 1, 8)
    answer = served.ask(packed(q, k, k), BYTES, accept=JSON)
    problem(answer, 422, "65544 numbers; in JSON at most 65536")
    assert served.ask(packed(q[:, :, 1:], k, k), BYTES, accept=JSON).is_success


@pytest.mark.parametrize(("form", "most"), [(JSON, 1), (BYTES, 2)])
def test_a_body_is_cut_off_where_it_is_too_long(form, most):
    taken = 0

    async def endless():
        nonlocal taken
        while True:
            taken += 2**16
            yield b" " * 2**16

    with service(max_body=2) as served:
        headers = {"content-type": form}
        send = served.client.post(PATH, content=endless(), headers=headers)
        answer = served.run(send)
        assert problem(answer, 413, f"more than {most * MIB} bytes") == "body"
        assert taken == most * MIB + 2**16
        taken, headers["content-length"] = 0, str(most * MIB + 1)
        send = served.client.post(PATH, content=endless(), headers=headers)
        problem(served.run(send), 413)
        assert taken <= 2**16  # what the headers say is believed
        body = b"{" + b" " * (most * MIB - 1)
        assert served.ask(body, form).status_code == 400  # just as long as may be
