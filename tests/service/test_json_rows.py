"""The compiled reader of JSON lines reads what msgspec reads, or declines."""

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thalweg.service import decoding
from thalweg.service._native.json_rows import parse_rows
from thalweg.service.request_error import RequestError

NUMBERS = st.one_of(
    st.none(), st.integers(-(10**25), 10**25), st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1000, 1000).map(lambda x: round(x, 4)),
)  # fmt: skip
LETTERS = 'ab1 "\\\n\x00\x1f\x7fé☃😀\ud800'
IDS = st.one_of(st.text(LETTERS, min_size=1, max_size=8), st.integers(-(2**63), 2**63 - 1))
NUMBER_LABELS = st.integers(-(10**20), 10**20) | st.booleans() | st.floats(-9, 9)
LABELS = st.text(LETTERS, max_size=5) | NUMBER_LABELS


# Neither may depend on how busy the machine is.
anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def same(fast, slow):
    X, ids, labels = fast
    expected = np.array(slow.rows, dtype=float)
    assert np.array_equal(X, expected, equal_nan=True)
    assert (np.signbit(X) == np.signbit(expected)).all()
    for found, wanted in ((ids, slow.ids), (labels, slow.labels)):
        assert found == wanted and [*map(type, found or [])] == [*map(type, wanted or [])]


@anytime
@given(st.data())
def test_it_reads_what_the_slow_way_reads(data):
    width, kind = data.draw(st.integers(1, 4)), data.draw(st.sampled_from(["predict", "learn"]))
    has_id, spaces = data.draw(st.booleans()), data.draw(st.sampled_from([(",", ":"), (" ,\t", " : ")]))
    lines = []
    for _ in range(data.draw(st.integers(1, 4))):
        line = {"x": data.draw(st.lists(NUMBERS, min_size=width, max_size=width))}
        line |= {"id": data.draw(IDS)} if has_id else {}
        line |= {"label": data.draw(LABELS)} if kind == "learn" else {}
        ordered = dict(data.draw(st.permutations([*line.items()])))
        lines.append(json.dumps(ordered, separators=spaces, ensure_ascii=data.draw(st.booleans())))
    body = data.draw(st.sampled_from(["\n", "\r\n", "\n\n"])).join(lines).encode("utf-8", "surrogatepass")
    found = parse_rows(body, width, 100)
    try:
        slow = decoding.decode_lines(kind, body, 100)
    except RequestError:
        assert found is None
    else:
        if found is not None:
            same(found, slow)


@pytest.mark.parametrize(
    "text",
    ["1", "-1", "0.1", "-0.0", "0", "-0", "123456789.123456789", "9007199254740993", "0.3e1", "1e-7",
     "5e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "0.000000000000000000000001",
     "12345678901234567890.5"],
)  # fmt: skip
def test_numbers_are_exact(text):
    (row,), _, _ = parse_rows(b'{"x":[%b]}' % text.encode(), 1, 1)
    assert row[0] == float(text) and math.copysign(1, row[0]) == math.copysign(1, float(text))


DECLINED = [
    b'{"x":[1,2]}', b'{"x":[]}', b'{"x":[01]}', b'{"x":[1.]}', b'{"x":[.5]}', b'{"x":[1e]}', b'{"x":[1e999]}',
    b'{"x":[+1]}', b'{"x":[NaN]}', b'{"x":["1"]}', b'{"x":[true]}', b'{"x":[1]', b'{"x":[1', b'{"x":', b"{",
    b"",
    b'{"x":[1]} x', b'{"x":[1],}', b'{"x":[1],"x":[1]}', b'{"y":[1]}', b'{"x":[1],"id":""}', b'{"id":"a"}',
    b'{"x":[1],"id":"\\n"}', b'{"x":[1],"id":1.5}', b'{"x":[1],"id":true}', b'{"x":[1],"id":"\xff"}',
    b'{"x":[1]}{"x":[1]}',
    b'{"x":[1],"id":"' + b"a" * 513 + b'"}', b'{"x":[1]}\n{"x":[1],"id":1}',
    b'{"x":[1],"id":12345678901234567890}',
]  # fmt: skip


@pytest.mark.parametrize("body", DECLINED)
def test_what_is_odd_is_declined(body):
    assert parse_rows(body, 1, 10) is None


@anytime
@given(st.binary(max_size=60), st.integers(0, 60))
def test_no_bytes_make_it_crash(noise, place):
    body = b'{"id":"a","x":[1.5,-2e3],"label":"yes"}\n{"id":"b","x":[1,2],"label":"no"}'
    parse_rows(body[:place] + noise + body[place:], 2, 10)
    parse_rows(noise, 2, 10)
    parse_rows(body[:place], 2, 10)


def test_more_lines_than_allowed_are_declined():
    assert parse_rows(b'{"x":[1]}\n' * 3, 1, 3) is not None
    assert parse_rows(b'{"x":[1]}\n' * 4, 1, 3) is None
