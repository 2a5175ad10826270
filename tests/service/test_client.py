"""The clients: one and many, retries with the same ids, clear errors."""

import asyncio
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pyarrow as pa
import pytest
from support.service_process import running

from thalweg.errors import ParameterError
from thalweg.live import (
    AsyncClient,
    Client,
    NotAllowed,
    OtherLabel,
    ServiceBusy,
    ServiceError,
    ServiceUnreachable,
    UnknownId,
)
from thalweg.service import Settings, Tokens

TOKEN = "a-token-that-is-long"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("live"), Settings(tokens=Tokens([TOKEN]))) as found:
        yield found


@pytest.fixture
def client(server):
    with Client(server.url, "orders", token=TOKEN, batch_size=7) as found:
        yield found


def test_one_row_its_label_and_what_is_wrong_with_others(client):
    found = client.predict({"price": 12, "shop": "north"}, ids="c1")
    assert (found.label, found.id, found.status) == ("yes", "c1", "predicted")
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert client.predict({"price": 12, "shop": "north"}, ids="c1").status == "already"
    assert client.label("c1", "yes").status == "learned"
    assert client.label("c1", "yes").status == "already"
    with pytest.raises(OtherLabel):
        client.label("c1", "no")
    with pytest.raises(UnknownId) as caught:
        client.label("nobody", "no")
    assert (caught.value.status, caught.value.code, caught.value.field) == (404, "unknown_id", "id")
    with pytest.raises(ServiceError, match="price: 'much' is not a number") as caught:
        client.predict({"price": "much"})
    assert (caught.value.status, caught.value.field) == (422, "price")


def test_a_text_is_one_label_and_a_number_of_numpy_one_id(client):
    row = {"price": 12, "shop": "north"}
    client.predict([row] * 3, ids=["t1", "t2", "t3"])
    with pytest.raises(ValueError, match="1 labels for 3 rows"):
        client.label(["t1", "t2", "t3"], "yes")
    assert client.label("t1", ["yes"]).status == "learned"
    assert client.predict(row, ids=np.int64(9)).id == 9
    assert client.label(np.int64(9), np.str_("no")).status == "learned"
    for bad in ([1], np.array([1, 2])):
        with pytest.raises(ServiceError, match=r"price|cell|value"):
            client.predict({"price": bad, "shop": "north"})
    assert client.describe()["classes"] == ["no", "yes"]


def test_many_rows_are_sent_in_batches(client):
    rows = [{"price": i, "shop": "north"} for i in range(20)]
    found = client.predict(rows, ids=[f"m{i}" for i in range(20)])
    assert [each.id for each in found] == [f"m{i}" for i in range(20)]
    assert len({each.event for each in found}) == 20
    outcomes = client.label([f"m{i}" for i in range(21)], ["yes"] * 21)
    assert [each.status for each in outcomes] == ["learned"] * 20 + ["unknown_id"]
    assert not outcomes[-1].is_good and "m20" in outcomes[-1].message
    with pytest.raises(ServiceError) as caught:
        client.predict([*rows[:10], {"price": "?!"}, *rows])
    assert caught.value.row == 10  # among all, though it is in the second request


def test_rows_come_in_many_forms(client):
    table = pa.table({"price": [1.0, 30.0], "shop": ["north", "south"]})
    expected = [each.label for each in client.predict(table.to_pylist())]
    assert expected == ["yes", "no"]
    for rows in (table, table.to_pandas(), np.array([[1.0, np.nan], [30.0, np.nan]], dtype=float)):
        assert [each.label for each in client.predict(rows)] == expected
    assert client.predict(np.array([30.0, np.nan])).label == "no"
    assert client.predict([1, None]).label == "yes"
    assert client.predict([]) == []


def test_learning_without_ids_can_be_sent_again(client, server):
    before = server.live.event
    assert client.learn({"price": 3, "shop": "north"}, "yes").status == "learned"
    outcomes = client.learn([[3, 0], [35, 1]], ["yes", "no"])
    assert [each.status for each in outcomes] == ["learned"] * 2
    assert all(each.id for each in outcomes)
    assert server.live.event == before + 3


def test_a_token_is_read_from_a_file(server, tmp_path):
    (tmp_path / "token").write_text(f"# ours\n{TOKEN}\n")
    with Client(server.url, "orders", token_file=tmp_path / "token") as client:
        assert client.describe()["target"] == "paid"
    with Client(server.url, "orders") as client, pytest.raises(NotAllowed):
        client.describe()


def test_a_name_that_is_not_that_of_the_service_is_said(server, monkeypatch):
    """A client that reaches the service by another name is told which option allows it."""
    real = socket.create_connection
    monkeypatch.setattr(
        socket, "create_connection", lambda address, *rest: real(("127.0.0.1", address[1]), *rest)
    )
    with (
        Client(f"http://orders.internal:{server.port}", "orders", token=TOKEN) as client,
        pytest.raises(NotAllowed, match=r"'orders.internal:\d+' .* --allowed-host") as caught,
    ):
        client.predict({"price": 3, "shop": "north"})
    assert (caught.value.status, caught.value.code) == (421, "wrong_host")


def test_awaited_calls(server):
    async def ask():
        async with AsyncClient(server.url, "orders", token=TOKEN, connections=4) as client:
            rows = [client.predict({"price": i, "shop": "north"}, ids=f"a{i}") for i in range(30)]
            found = await asyncio.gather(*rows)
            outcomes = await client.label([each.id for each in found], ["yes"] * 30)
            learned = await client.learn({"price": 1}, "yes")
            return found, outcomes, learned, await client.describe()

    found, outcomes, learned, about = asyncio.run(ask())
    assert [each.id for each in found] == [f"a{i}" for i in range(30)]
    assert {each.status for each in outcomes} == {"learned"} and learned.is_good
    assert about["name"] == "orders"


class Flaky(BaseHTTPRequestHandler):
    """Answers as the list of the server says: a status, or None to close the connection."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.bodies.append(json.loads(body))
        status = self.server.answers.pop(0)
        if status is None:
            self.close_connection = True
            return
        refused = {"error": "queue_full", "message": "full"}
        found = json.dumps({"id": "k", "status": "learned"} if status == 200 else refused).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(found)))
        if status == 503:
            self.send_header("retry-after", "3")
        self.end_headers()
        self.wfile.write(found)

    def log_message(self, *_):
        pass


@pytest.fixture
def flaky():
    server = HTTPServer(("127.0.0.1", 0), Flaky)
    server.bodies, server.answers = [], []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def flaky_client(server, **settings):
    client = Client(f"http://127.0.0.1:{server.server_port}", "m", **settings)
    client.waits = []
    client._sleep = client.waits.append
    return client


def test_a_request_without_an_answer_is_sent_again_with_the_same_id(flaky):
    flaky.answers = [None, 503, 429, 200]
    with flaky_client(flaky) as client:
        assert client.learn({"a": 1}, "yes").status == "learned"
    assert len(flaky.bodies) == 4
    assert len({body["id"] for body in flaky.bodies}) == 1
    assert client.waits[1] == 3.0 and 0.05 <= client.waits[0] <= 0.1


def test_attempts_end(flaky):
    flaky.answers = [429] * 9
    with flaky_client(flaky, attempts=3) as client, pytest.raises(ServiceBusy, match="full"):
        client.label("a", "yes")
    assert len(flaky.bodies) == 3
    flaky.answers = [None] * 9
    with flaky_client(flaky, attempts=2) as client, pytest.raises(ServiceUnreachable, match="no answer"):
        client.label("a", "yes")


def test_what_cannot_be_sent_is_an_error():
    with pytest.raises(ParameterError, match="url"):
        Client("127.0.0.1:8000", "orders")
    client = Client("http://127.0.0.1:9", "orders")
    with pytest.raises(ValueError, match="got 1 labels for 2 rows"):
        client.learn([[1], [2]], ["yes"])
    with pytest.raises(ServiceError, match="cannot be sent"):
        client.predict({"a": float("inf")})
