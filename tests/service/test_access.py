"""Strangers get nothing: tokens, Host, Origin and proxies are decided from the headers, on both ways."""

import asyncio
import json
import logging
import threading
import time

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from support.service_app import FakeLive, Service
from support.service_process import read_answer, read_head, running

from thalweg.errors import ParameterError
from thalweg.live import LiveFollower
from thalweg.live.worker import Task
from thalweg.service import Application, Limits, Settings, Tokens
from thalweg.service.access import Access, check_network, warn_of_admin
from thalweg.service.live_page import MOST_VIEWERS

TOKEN = "a-long-enough-token"
BEARER = f"authorization: Bearer {TOKEN}\r\n"
BODY = b'{"row": {"price": 12, "shop": "north"}}'
PREDICT = "/models/orders/predict"
SHORT_WAY, LONG_WAY = PREDICT, f"{PREDICT}?durable=true"  # a query goes by uvicorn and ASGI
WAYS = (SHORT_WAY, LONG_WAY)
MIB = 1 << 20


def head(path=PREDICT, method="POST", host="localhost", n=39, more=""):
    return (
        f"{method} {path} HTTP/1.1\r\nhost: {host}\r\n{more}"
        f"content-type: application/json\r\ncontent-length: {n}\r\n\r\n"
    ).encode()


def ask(server, path=PREDICT, method="POST", host="localhost", more="", body=BODY):
    """Send one request; return the status, the headers and the body of its answer."""
    with server.connect() as connection:
        connection.sendall(head(path, method, host, len(body), more) + body)
        status, headers, found = read_head(connection)
        while len(found) < int(headers.get("content-length", 0)):
            found += connection.recv(65536)
        return status, headers, found


def held(server):
    """Return the bytes of bodies that the connections of a server hold."""
    found = 0
    for connection in server.server.server_state.connections:
        cycle = connection.cycle
        parts = getattr(cycle, "parts", None)
        found += sum(map(len, parts)) if parts is not None else len(cycle.body) if cycle else 0
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    settings = Settings(Limits(max_bytes=4 * MIB), tokens=Tokens([TOKEN]), admin=True)
    with running(tmp_path_factory.mktemp("live"), settings) as found:
        yield found


@pytest.fixture(scope="module")
def open_server(tmp_path_factory):
    settings = Settings(allowed_hosts=["Orders.Example."], allowed_origins=["https://shop.example/"])
    with running(tmp_path_factory.mktemp("live"), settings) as found:
        yield found


@pytest.mark.parametrize("path", [*WAYS, "/v2/models/orders/infer", "/admin/models/orders", "/models"])
def test_without_a_token_the_answer_comes_after_the_headers_and_no_body_is_held(server, path):
    method = "PUT" if "admin" in path else "POST"
    with server.connect() as connection:
        connection.sendall(head(path, method, n=3 * MIB))
        status, body, rest = read_answer(connection)
        assert (status, json.loads(body)["error"], rest) == (401, "unauthorized", b"")
        for _ in range(3):
            connection.sendall(b" " * MIB)
            assert held(server) == 0
        connection.sendall(head(more=BEARER) + BODY)  # the rest was dropped: the connection goes on
        assert read_answer(connection)[0] == 200


def test_many_connections_without_a_token_hold_nothing(server):
    connections = [server.connect() for _ in range(40)]
    for i, connection in enumerate(connections):
        wrong = "authorization: Bearer wrong\r\n"
        connection.sendall(head(WAYS[i % 2], n=4 * MIB, more=wrong) + b" " * 300_000)
    assert {read_answer(connection)[0] for connection in connections} == {401}
    assert held(server) == 0
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("way", ["body", "trailer"])
def test_what_follows_a_refusal_without_end_closes_the_connection(server, way):
    with server.connect() as connection:
        connection.sendall(head().replace(b"content-length: 39", b"transfer-encoding: chunked"))
        assert read_answer(connection)[0] == 401
        part = b"%x\r\n%b\r\n" % (65536, b" " * 65536)
        if way == "trailer":
            connection.sendall(b"0\r\n")
            part = b"a" * 65536
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(1000):
                connection.sendall(part)


@pytest.mark.parametrize("path", WAYS)
def test_what_is_wrong_with_the_headers_is_said_before_the_body(open_server, path):
    with open_server.connect() as connection:
        connection.sendall(head(path, n=MIB).replace(b"application/json", b"text/plain"))
        assert read_answer(connection)[0] == 415


GOOD_HOSTS = [
    "localhost", "LOCALHOST:8471", "localhost.:80", "127.0.0.1", "10.1.2.3:80", "[::1]", "[fd00::2]:8000",
    "orders.example", "orders.example.:443",
]  # fmt: skip
BAD_HOSTS = [
    "evil.example", "evil.example:8471", "localhost.evil.example", "127.0.0.1.evil.example", "2130706433",
    "[::1", "evil@localhost", "localhost:80:80", "localhost, evil.example", "localhost:123456", "", "[evil]",
    "x.orders.example",
]  # fmt: skip


@pytest.mark.parametrize("path", WAYS)
def test_a_request_for_another_host_is_refused(open_server, path):
    for host in GOOD_HOSTS:
        assert ask(open_server, path, host=host)[0] == 200, host
    for host in BAD_HOSTS:
        status, _, body = ask(open_server, path, host=host)
        assert (status, json.loads(body)["error"]) == (421, "wrong_host"), host
    twice = "host: evil.example\r\n"
    assert ask(open_server, path, more=twice)[0] == 421
    assert "--allowed-host" in json.loads(ask(open_server, path, host="a.example")[2])["message"]


def test_every_route_checks_the_host(server):
    for path in ("/health", "/v2/health/live", "/", "/models", "/metrics", "/nothing", "/events"):
        assert ask(server, path, "GET", "evil.example", BEARER)[0] == 421, path


def test_a_rebound_page_teaches_nothing(open_server):
    """The headers of the audit: a name of the attacker that points to this machine."""
    evil = "origin: http://evil.example:8471\r\n"
    body = b'{"row":{"price":11,"shop":"n"},"label":"no"}'
    event = open_server.live.event
    assert ask(open_server, "/models/orders/learn", host="evil.example:8471", more=evil, body=body)[0] == 421
    assert open_server.live.event == event


@pytest.mark.parametrize("path", WAYS)
def test_a_page_of_another_origin_is_refused(open_server, path):
    def status(origin, host="127.0.0.1:8000"):
        return ask(open_server, path, host=host, more=f"origin: {origin}\r\n")[0]

    assert status("http://127.0.0.1:8000") == status("https://127.0.0.1:8000") == 200
    assert status("https://orders.example", "orders.example:443") == 200
    assert status("https://shop.example") == status("HTTPS://SHOP.EXAMPLE") == 200
    for origin in (
        "http://evil.example", "http://127.0.0.1:8001", "http://127.0.0.1", "null", "", "127.0.0.1:8000",
        "http://127.0.0.1:8000, http://evil.example", "http://127.0.0.1:8000@evil.example",
        "http://shop.example", "https://shop.example:8443", f"http://127.0.0.1:{'9' * 5000}",
    ):  # fmt: skip
        assert status(origin) == 403, origin
    body = ask(open_server, path, more="origin: http://evil.example\r\n")[2]
    assert json.loads(body)["error"] == "foreign_origin"


def test_a_probe_without_a_host_is_answered(open_server):
    for version, expected in (("1.0", 200), ("1.1", 421)):
        with open_server.connect() as connection:
            connection.sendall(f"GET /v2/health/ready HTTP/{version}\r\n\r\n".encode())
            assert read_answer(connection)[0] == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"allowed_hosts": ["http://a"]}, {"allowed_hosts": ["a:80"]}, {"allowed_hosts": [""]},
        {"allowed_origins": ["shop.example"]}, {"allowed_origins": ["https://a/b"]},
        {"trusted_proxies": ["proxy"]}, {"trusted_proxies": ["10.0.0.1/8"]},
    ],
)  # fmt: skip
def test_settings_that_cannot_be_meant_are_refused(settings):
    with pytest.raises(ParameterError):
        Access(Settings(**settings))


def forged(i):
    return f"x-forwarded-for: 203.0.113.{i}\r\n"


RATE_WAYS = (SHORT_WAY, LONG_WAY, "/v2/models/orders/infer")
TENSORS = {"inputs": [{"name": "price", "shape": [1], "datatype": "FP64", "data": [1.0]},
                      {"name": "shop", "shape": [1], "datatype": "BYTES", "data": ["north"]}]}  # fmt: skip


def body_of(path):
    return json.dumps(TENSORS).encode() if "infer" in path else BODY


@pytest.mark.parametrize("path", RATE_WAYS)
def test_a_forged_address_does_not_change_the_rate(tmp_path, path):
    with running(tmp_path / "live", Settings(Limits(rate=5))) as server:
        found = [ask(server, path, more=forged(i), body=body_of(path))[0] for i in range(30)]
    assert found[:10] == [200] * 10 and found.count(429) >= 15


def test_a_trusted_proxy_tells_the_address_for_rates_and_logs_on_every_way(tmp_path, caplog):
    settings = Settings(Limits(rate=0.01), access_log=True, trusted_proxies=["127.0.0.0/8", "10.0.0.1"])
    caplog.set_level(logging.INFO, "thalweg.requests")
    with running(tmp_path / "live", settings) as server:
        for i, path in enumerate(RATE_WAYS):
            more = f"x-forwarded-for: 198.51.100.9, 203.0.113.{i}, 10.0.0.1\r\n"
            statuses = [ask(server, path, more=more, body=body_of(path))[0] for _ in range(2)]
            assert statuses == [200, 429], path
            assert ask(server, RATE_WAYS[i - 1], more=more, body=body_of(RATE_WAYS[i - 1]))[0] == 429
    clients = [record.data["client"] for record in caplog.records if record.name == "thalweg.requests"]
    assert clients == [f"203.0.113.{i}" for i in range(3) for _ in range(3)]


@pytest.mark.parametrize(
    ("forwarded", "expected"),
    [
        (None, "10.0.0.9"), ("1.2.3.4", "1.2.3.4"), ("9.9.9.9, 1.2.3.4", "1.2.3.4"), ("", "10.0.0.9"),
        ("1.2.3.4, 10.1.1.1", "1.2.3.4"), ("1.2.3.4, evil, 10.1.1.1", "10.1.1.1"), ("evil", "10.0.0.9"),
        ("10.2.2.2, 10.1.1.1", "10.2.2.2"), ("1.2.3.4:5678", "1.2.3.4"), ("[2001:db8::1]:80", "2001:db8::1"),
        ("::ffff:1.2.3.4", "1.2.3.4"), ("fe80::1%" + "x" * 9000, "10.0.0.9"), ("[fe80::1%x]:1", "10.0.0.9"),
    ],
)  # fmt: skip
def test_the_client_behind_trusted_proxies(forwarded, expected):
    access = Access(Settings(trusted_proxies=["10.0.0.0/8"]))
    for peer in ("10.0.0.9", "::ffff:10.0.0.9"):
        scope, headers = {"client": (peer, 1)}, {b"host": b"localhost"}
        if forwarded is not None:
            headers[b"x-forwarded-for"] = forwarded.encode()
        access.admit(scope, headers)
        assert scope["client"][0] == (peer if expected == "10.0.0.9" else expected)
    scope = {"client": ("192.0.2.1", 1)}
    access.admit(scope, {b"host": b"localhost", b"x-forwarded-for": b"1.2.3.4"})
    assert scope["client"] == ("192.0.2.1", 1)


def test_headers_have_a_limit(server):
    line = "a: " + "b" * 1000 + "\r\n"
    many = "".join(f"x{i}: 1\r\n" for i in range(97))
    for path in (*WAYS, "/health"):
        assert ask(server, path, more=BEARER + many[:-8])[0] in (200, 405)
        assert ask(server, path, more=BEARER + "".join(f"y{i}{line}" for i in range(50)))[0] in (200, 405)
        for more in (many, "".join(f"y{i}{line}" for i in range(70)), f"c: {'d' * (64 << 10)}\r\n"):
            status, headers, body = ask(server, path, more=BEARER + more)
            assert (status, json.loads(body)["error"]) == (431, "headers_too_large")
            assert headers["connection"] == "close"


@pytest.mark.parametrize("first", [b"GET /", b"GET / HTTP/1.1\r\na: ", b"POST /health HTTP/1.1\r\n"])
def test_headers_that_never_end_are_refused(server, first):
    with server.connect() as connection:
        connection.sendall(first)
        try:
            for i in range(200):
                connection.sendall(b"b" * 4096 if not first.endswith(b"\r\n") else b"x%d: 1\r\n" % i * 300)
                time.sleep(0.0005)
        except OSError:
            pass
        else:
            pytest.fail("the connection was not closed")
        assert not any(len(each.headers or ()) > 10_000 for each in server.server.server_state.connections)


def test_slow_headers_within_the_limit_are_answered(server):
    content = head(more=BEARER + "a: " + "b" * 60_000 + "\r\n") + BODY
    with server.connect() as connection:
        for at in range(0, len(content), 7000):
            connection.sendall(content[at : at + 7000])
            time.sleep(0.001)
        assert read_answer(connection)[0] == 200
        connection.sendall(content[:-39].replace(b"bbbbb", b"bbbbbbb"))
        assert read_answer(connection)[0] == 431


def test_large_bodies_behind_each_other_are_not_mistaken_for_headers(open_server):
    body = b'{"row": {"price": 12, "shop": "%b"}}' % (b"n" * 500)
    body += b" " * (200_000 - len(body))
    with open_server.connect() as connection:
        content = (head(n=len(body)) + body) * 8
        sender = threading.Thread(target=connection.sendall, args=(content,))
        sender.start()
        rest, n = b"", 0
        while n < 8:
            rest += connection.recv(65536)
            n = rest.count(b"HTTP/1.1 200 OK")
            assert b"HTTP/1.1 4" not in rest
        sender.join()


def test_every_answer_forbids_to_guess_its_type(server):
    requests = [
        (SHORT_WAY, "POST", "localhost", BEARER), (LONG_WAY, "POST", "localhost", BEARER),
        (SHORT_WAY, "POST", "localhost", ""), (LONG_WAY, "POST", "localhost", ""),
        (SHORT_WAY, "POST", "evil", ""), ("/nothing", "GET", "evil", ""),
        (PREDICT, "GET", "localhost", BEARER),
        *((path, "GET", "localhost", BEARER) for path in (
            "/", "/health", "/models", "/models/orders", "/models/none", "/metrics", "/openapi.json",
            "/nothing", "/models/orders/page", "/events", "/v2", "/v2/health/live", "/v2/models/none/ready")),
        ("/models", "POST", "localhost", BEARER), ("/nothing", "GET", "localhost", "x: y\r\n" * 101),
        ("/admin/models/orders", "PUT", "localhost", BEARER), ("no path", "GET", "localhost", ""),
    ]  # fmt: skip
    statuses = set()
    for path, method, host, more in requests:
        status, headers, _ = ask(server, path, method, host, more)
        statuses.add(status)
        assert headers.get("x-content-type-options") == "nosniff", (path, method)
    assert statuses == {200, 400, 401, 404, 405, 415, 421, 431}


def test_nothing_is_redirected_to_a_host_of_the_request(server):
    for path in ("/models/", "/health/", "//evil.example/models/"):
        status, headers, _ = ask(server, path, "GET", "127.0.0.1", BEARER)
        assert status == 404 and "location" not in headers


def test_one_viewer_too_many_is_told_to_come_later(open_server):
    connections = [open_server.connect() for _ in range(MOST_VIEWERS)]
    for connection in connections:
        connection.sendall(head("/events", "GET", n=0))
    assert {read_head(connection)[0] for connection in connections} == {200}
    status, headers, body = ask(open_server, "/events", "GET", body=b"")
    assert (status, headers["retry-after"], json.loads(body)["error"]) == (503, "30", "too_many_viewers")
    for connection in connections:
        connection.close()
    for _ in range(1000):  # until the server has seen that they left
        status = ask(open_server, "/events", "GET", body=b"")[0]
        if status == 200:
            break
        time.sleep(0.005)
    assert status == 200


def test_health_names_models_only_to_those_who_have_a_token(server, open_server):
    def found(server, more):
        status, _, body = ask(server, "/health", "GET", more=more, body=b"")
        return status, json.loads(body)

    with_names = {"status": "ready", "models": {"orders": "ready"}}
    assert found(server, "") == found(server, "authorization: Bearer no\r\n") == (200, {"status": "ready"})
    assert found(server, BEARER) == found(open_server, "") == (200, with_names)


@pytest.mark.parametrize("is_follower", [False, True])
def test_health_reports_a_model_that_is_busy_for_too_long(tmp_path, is_follower):
    """Its requests wait: no more should be sent to it, but it must not be killed."""
    held_up, go_on = threading.Event(), threading.Event()

    def long_work():
        held_up.set()
        go_on.wait()

    with running(tmp_path / "live", Settings(Limits(busy_seconds=0.05))) as server:
        live = LiveFollower(tmp_path / "live") if is_follower else server.live
        for served in server.application.models:
            served.live = live
        assert live.busy_seconds < 0.05 and server.ask("GET", "/health")[0] == 200
        if is_follower:
            live._refresh = long_work  # its thread calls this all the time
        else:
            live._worker.put(Task(None, long_work, lambda result: None, 0))
        held_up.wait()
        time.sleep(0.06)
        status, found = server.ask("GET", "/health")
        assert status == 503 and found["busy_s"] >= 0.05
        assert (found["status"], found["models"]) == ("not ready", {"orders": "busy"})
        assert server.ask("GET", "/v2/health/ready")[0] == 503
        assert server.ask("GET", "/v2/health/live")[0] == 200
        with server.connect() as connection:
            connection.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
            assert b'state="busy"} 1' in read_answer(connection)[1]
        if is_follower:
            del live._refresh
        go_on.set()
        while live.busy_seconds > 0.05:
            time.sleep(0.001)
        assert server.ask("GET", "/health") == (200, {"status": "ready", "models": {"orders": "ready"}})
        if is_follower:
            live.close()


def embedded(application, method, path, body=None):
    """Return the answer of an application that is asked as Starlette's TestClient asks."""

    async def answer():
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            return await client.request(method, path, json=body)

    return asyncio.run(answer())


@pytest.mark.parametrize(("hosts", "expected"), [((), 421), (("testserver",), 200), (("*",), 200)])
@pytest.mark.parametrize("prefix", ["", "/ml"])
def test_the_application_is_embedded_under_another_host(hosts, expected, prefix):
    application = Application({"m": FakeLive()}, Settings(allowed_hosts=hosts))
    outer = Starlette(routes=[Mount(prefix, application)]) if prefix else application
    for method, path, body in (("POST", "/models/m/predict", {"x": [4, 1]}), ("GET", "/models", None)):
        answer = embedded(outer, method, prefix + path, body)
        assert answer.status_code == expected
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_probes_need_no_token_in_a_mounted_application():
    application = Application({"m": FakeLive()}, Settings(tokens=Tokens([TOKEN]), allowed_hosts=["*"]))
    mounted = Starlette(routes=[Mount("/ml", application)])
    assert embedded(mounted, "GET", "/ml/health").json() == {"status": "ready"}
    assert embedded(mounted, "GET", "/ml/models").status_code == 401


def test_prometheus_scrapes_with_a_token():
    service = Service(Settings(tokens=Tokens([TOKEN])))
    assert service.request("GET", "/metrics").status_code == 401
    headers = {"authorization": f"Bearer {TOKEN}", "host": "10.0.0.7"}
    scrape = service.request("GET", "/metrics", headers=headers)
    assert scrape.status_code == 200 and "thalweg_model_state" in scrape.text


def test_a_network_must_be_trusted_or_have_tokens():
    for address in ("127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"):
        check_network(address, False, Settings())
    for address in ("0.0.0.0", "::", "192.168.1.2", "8.8.8.8", "fe80::1%lo"):
        with pytest.raises(ParameterError, match=r"--token-file .* --trust-network"):
            check_network(address, False, Settings())
        check_network(address, True, Settings())
        check_network(address, False, Settings(tokens=Tokens([TOKEN])))


def test_admin_without_a_token_of_its_own_is_a_warning(caplog):
    warn_of_admin(Settings())
    assert not caplog.messages
    warn_of_admin(Settings(admin=True, tokens=Tokens([TOKEN])))
    warn_of_admin(Settings(admin=True))
    assert "with a token may replace" in caplog.messages[0]
    assert "who reaches this address may replace" in caplog.messages[1]

