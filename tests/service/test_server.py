"""A service on a socket: clients that are slow, idle or vanish do not disturb the others."""

import json
import socket
import struct
import time

import pytest
from support.service_process import read_answer, running

from thalweg.service import Limits, Settings
from thalweg.service.connections import Connections

ROW = b'{"row": {"price": 12, "shop": "north"}}'
HEAD = b"POST /models/orders/predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


def request(body, head=HEAD):
    return head + b"content-length: %d\r\n\r\n" % len(body) + body


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    limits = Limits(max_bytes=100_000, max_rows=1000)
    with running(tmp_path_factory.mktemp("live"), Settings(limits)) as found:
        yield found


def test_a_row_comes_and_its_label(server):
    status, found = server.predict({"id": "o7", "row": {"price": 12, "shop": "north"}})
    assert (status, found["label"], found["id"]) == (200, "yes", "o7")
    status, found = server.ask("POST", "/models/orders/label", {"id": "o7", "label": "yes"})
    assert (status, found["status"]) == (200, "learned")
    assert server.ask("POST", "/models/orders/label", {"id": "o7", "label": "no"})[0] == 409
    assert server.ask("GET", "/models/orders")[1]["columns"] == {"price": "number", "shop": "category"}


def test_both_ways_of_a_request_answer_the_same(server):
    """A body of known length goes the short way, one in chunks or with a query that of uvicorn."""
    chunked = HEAD + b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(ROW), ROW)
    with_query = request(ROW, HEAD.replace(b"predict", b"predict?durable=true"))
    found = []
    for sent in (request(ROW), chunked, with_query):
        with server.connect() as connection:
            connection.sendall(sent)
            found.append(read_answer(connection)[:2])
    assert found[0] == found[1] == found[2]
    assert found[0][0] == 200


@pytest.mark.parametrize("body", [b"{", b'{"row": {"price": "much"}}', b'{"x": [1]}', b'{"id": 1.5}'])
def test_both_ways_refuse_the_same(server, body):
    chunked = HEAD + b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    found = []
    for sent in (request(body), chunked):
        with server.connect() as connection:
            connection.sendall(sent)
            found.append(read_answer(connection)[:2])
    assert found[0] == found[1] and found[0][0] in (400, 422)
    if b"much" in body:
        assert json.loads(found[0][1])["field"] == "price"


def test_requests_that_come_together_on_a_connection_are_answered_in_order(server):
    with server.connect() as connection:
        bodies = [b'{"id": "p%d", "row": {"price": %d}}' % (i, i) for i in range(30)]
        connection.sendall(b"".join(map(request, bodies)) + b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        rest, ids = b"", []
        while len(ids) < 31:
            part = connection.recv(65536)
            assert part
            rest += part
            ids = [json.loads(b"{" + each.partition(b"}")[0].split(b"{", 1)[1] + b"}}").get("id")
                   for each in rest.split(b"HTTP/1.1 200 OK")[1:] if b"probab" in each or b"ready" in each]
    assert ids[:30] == [f"p{i}" for i in range(30)]


def test_a_body_that_is_too_large_is_not_read(server):
    with server.connect() as connection:
        connection.sendall(HEAD + b"content-length: 100000000\r\n\r\n" + b" " * 1000)
        status, body, _ = read_answer(connection)
        assert (status, json.loads(body)["error"]) == (413, "too_large")
        assert connection.recv(100) == b""  # closed
    with server.connect() as connection:
        part = b"%x\r\n%b\r\n" % (60_000, b" " * 60_000)
        connection.sendall(HEAD + b"transfer-encoding: chunked\r\n\r\n" + part + part)
        assert read_answer(connection)[0] == 413


def test_what_is_not_http_gets_400(server):
    with server.connect() as connection:
        connection.sendall(b"hello\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 400")


def test_clients_that_vanish_do_not_disturb_those_of_their_group(server):
    """Their connections are reset while the answers of their group are written."""
    for _ in range(5):
        connections = [server.connect() for _ in range(40)]
        for i, connection in enumerate(connections):
            connection.sendall(request(b'{"id": "v%d-%d", "row": {"price": 3}}' % (time.monotonic_ns(), i)))
        for connection in connections[::2]:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        for connection in connections[1::2]:
            assert read_answer(connection)[0] == 200
            connection.close()
    assert server.predict({"row": {"price": 3}})[0] == 200
    assert next(iter(server.application.models)).n_pending == 0


def test_a_thousand_idle_connections_disturb_nobody(server):
    idle = [server.connect() for _ in range(500)]
    for connection in idle[::2]:
        connection.sendall(HEAD[:30])  # half of the headers
    assert server.predict({"row": {"price": 3}})[0] == 200
    for connection in idle:
        connection.close()


class FakeTransport:
    is_aborted = False

    def abort(self):
        self.is_aborted = True


class FakeCycle:
    def __init__(self, response_complete, is_reading=False):
        self.response_complete, self.is_reading = response_complete, is_reading


class FakeConnection:
    def __init__(self, cycle, write_paused=False):
        self.transport, self.cycle = FakeTransport(), cycle
        self.flow = type("Flow", (), {"write_paused": write_paused})()


def test_connections_are_closed_when_they_wait_for_too_long():
    kinds = {
        "new": FakeConnection(None), "idle": FakeConnection(FakeCycle(True)),
        "answered": FakeConnection(FakeCycle(False)), "sends slowly": FakeConnection(FakeCycle(False, True)),
        "does not read": FakeConnection(FakeCycle(True), True),
    }  # fmt: skip
    state = type("State", (), {"connections": set(kinds.values())})()
    watched = Connections(type("Server", (), {"server_state": state})(), Limits())
    assert watched.look(0.0) == 0
    assert watched.look(19.0) == 0
    assert watched.look(21.0) == 2
    aborted = {name for name, each in kinds.items() if each.transport.is_aborted}
    assert aborted == {"sends slowly", "does not read"}
    state.connections -= {kinds["sends slowly"], kinds["does not read"]}
    kinds["idle"].cycle = FakeCycle(True)  # it has asked in between
    assert watched.look(59.0) == 0
    assert watched.look(61.0) == 1
    assert kinds["new"].transport.is_aborted and not kinds["idle"].transport.is_aborted
    assert not kinds["answered"].transport.is_aborted


def test_a_body_that_does_not_come_is_answered_with_408(tmp_path):
    with (
        running(tmp_path / "live", Settings(Limits(body_seconds=0.05))) as server,
        server.connect() as connection,
    ):
        connection.sendall(HEAD + b"transfer-encoding: chunked\r\n\r\n5\r\n")
        status, body, _ = read_answer(connection)
        assert (status, json.loads(body)["error"]) == (408, "too_slow")
