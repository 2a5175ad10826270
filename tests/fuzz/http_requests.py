"""Damaged and odd requests to a service: none gets a 500, none stops it, and memory does not grow.

    PYTHONPATH=tests python tests/fuzz/http_requests.py --requests 10000 --seed 1
"""

import argparse
import json
import random
import tempfile
import time
from http.client import HTTPException, HTTPResponse
from pathlib import Path

import pyarrow as pa
from support.service_process import model, running

from thalweg.service import Limits, Settings

LINES, ARROW, JSON = "application/x-ndjson", "application/vnd.apache.arrow.stream", "application/json"
ROW = {"price": 12.5, "shop": "north"}
INFER = {"inputs": [{"name": "price", "shape": [2], "datatype": "FP64", "data": [1, 2]},
                    {"name": "shop", "shape": [2], "datatype": "BYTES", "data": ["a", "b"]}]}  # fmt: skip
BODIES = {
    "/models/orders/predict": [
        {"row": ROW}, {"x": [1, 0]}, {"id": "a", "row": ROW}, {"rows": [ROW, ROW], "ids": ["a", 7]},
        {"rows": [[1, 2], [3, 4]]}, {"id": 3, "x": [1, None], "durable": "soon", "sets": False},
    ],
    "/models/orders/label": [{"id": "a", "label": "yes"}, {"ids": ["a", 7], "labels": ["yes", "no"]}],
    "/models/orders/learn": [
        {"row": ROW, "label": "no"}, {"id": "k", "x": [1, 2], "label": "yes"},
        {"rows": [ROW, ROW], "labels": ["yes", "no"], "ids": [1, 2]},
    ],
    "/v2/models/orders/infer": [INFER, INFER | {"parameters": {"ids": ["u", "v"]}}],
    "/v2/models/orders/label": [{"ids": ["u"], "labels": ["no"]}],
    "/admin/models/orders/erase": [{"id": "a"}],
}  # fmt: skip
ODD = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**40, -0.0, 1e308, 1e-320, 0.1, "", " ", "a", "yes",
    "é", "\0", "\ud83d\ude00", "x" * 600, "12,50", "nan", "Infinity", "2024-01-01", [], {}, [[]], [None],
    {"a": {}}, {"price": {"price": 1}}, {"": 1}, [1, "a"], "?", "NA", "%s%b%n",
]  # fmt: skip
PATHS = ["/", "/models", "/models/orders", "/health", "/metrics", "/openapi.json", "/v2", "/v2/models/orders",
         "/models/none/predict", "/models/orders/predict/", "/%00", "/models/%6frders/predict", "//",
         "/models/é", "/models/orders/predict?durable=soon&sets=1",
         "/models/orders/predict?id_column=price", "/a" * 500]
METHODS = ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "POST", "TRACE", "BREW"]
GROWTH = 48 << 20  # bytes that memory may grow by


def stream(rng):
    """Return an Arrow stream of orders, perhaps with odd columns."""
    n = rng.choice([0, 1, 3])
    columns = {"price": pa.array([1.5] * n), "shop": pa.array(["north"] * n)}
    if rng.random() < 0.5:
        columns["id"] = pa.array(rng.choice([[f"q{rng.random()}" for _ in range(n)], [1] * n, [None] * n]))
    if rng.random() < 0.5:
        columns["label"] = pa.array(rng.choice([["yes"] * n, [1.5] * n, [None] * n, [[1]] * n]))
    if rng.random() < 0.2:
        values = rng.choice([[float("inf")] * n, [float("nan")] * n, [b"\xff"] * n, [{"a": 1}] * n])
        columns["price"] = pa.array(values)
    if rng.random() < 0.2:
        columns["shop"] = pa.array(["a"] * n).dictionary_encode()
    table = pa.table(columns)
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=rng.choice([None, None, None, "zstd"]))
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def with_odd(value, rng):
    """Return JSON data with one value replaced, removed or added."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice([*value])
        choice = rng.random()
        if choice < 0.15:
            return {name: each for name, each in value.items() if name != key}
        if choice < 0.3:
            return value | {rng.choice(["id", "ids", "x", "rows", "label", "zz", ""]): rng.choice(ODD)}
        return value | {key: with_odd(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        i = rng.randrange(len(value))
        return [*value[:i], with_odd(value[i], rng), *value[i + 1 :]]
    return rng.choice(ODD)


def damaged(body, rng):
    """Return bytes with some changed, removed or repeated."""
    found = bytearray(body)
    for _ in range(rng.randint(1, 4)):
        i = rng.randrange(len(found) + 1)
        choice = rng.random()
        if choice < 0.5 and i < len(found):
            found[i] = rng.randrange(256)
        elif choice < 0.7:
            del found[i : i + rng.randint(1, 20)]
        elif choice < 0.9:
            found[i:i] = found[: rng.randint(0, 40)]
        else:
            del found[i:]
    return bytes(found)


def random_request(rng):
    """Return the bytes of a request, and whether it is complete."""
    path = rng.choice([*BODIES])
    data, content_type = rng.choice(BODIES[path]), JSON
    for _ in range(rng.choice([0, 1, 1, 2])):
        data = with_odd(data, rng)
    body = json.dumps(data).encode()
    form = rng.random()
    if form < 0.2 and path.startswith("/models"):
        content_type, body = LINES, b"\n".join([body] * rng.choice([1, 2, 5]))
    elif form < 0.4 and path.startswith("/models"):
        content_type, body = ARROW, stream(rng)
    if rng.random() < 0.3:
        body = damaged(body, rng)
    if rng.random() < 0.05:
        content_type = rng.choice(["text/plain", "", "application/json; charset=x", ARROW, LINES, "\xff"])
    method = "POST" if rng.random() < 0.95 else rng.choice(METHODS)
    path = path if rng.random() < 0.93 else rng.choice(PATHS)
    head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {content_type}\r\n"
    head = head.encode("latin-1", "replace")
    if rng.random() < 0.1:
        return head + b"transfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body), True
    length = len(body) if rng.random() < 0.97 else rng.choice([0, -1, 10**12, 10**30, len(body) + 5])
    sent = head + b"content-length: %d\r\n\r\n" % length + body
    if rng.random() < 0.03:
        return damaged(sent, rng), False
    return sent, length == len(body)


class Fuzz:
    """Sends requests to a service, and keeps what is wrong."""

    def __init__(self, server):
        self.server, self.connection = server, None
        self.statuses, self.faults = {}, []

    def send(self, rng):
        """Send one request; an answer with 500 is a fault."""
        sent, is_complete = random_request(rng)
        self.last = sent
        if self.connection is None:
            self.connection = self.server.connect(timeout=20)
        try:
            self.connection.sendall(sent)
            status = self.status(sent.split(b" ", 1)[0].decode("latin-1")) if is_complete else None
        except (OSError, HTTPException):
            status = "closed"
        if status in ("closed", None) or status >= 400:
            self.connection.close()
            self.connection = None
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if status == 500 or (status == "closed" and is_complete):
            self.faults.append((status, sent))

    def status(self, method):
        answer = HTTPResponse(self.connection, method=method)
        answer.begin()
        answer.read()
        return "closed" if answer.status == 101 else answer.status

    def is_alive(self):
        """Return whether a good request is answered."""
        return self.server.predict({"row": ROW})[0] == 200


def memory():
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def fuzz(seed, requests=None, seconds=None):
    """Send requests for some time, or so many; return what was found and how memory grew."""
    rng = random.Random(seed)
    settings = Settings(Limits(max_bytes=50_000, max_rows=50), admin=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder) / "live", settings, model(classes=["yes", "no"], max_waiting=100)) as server,
    ):
        found, end, n, before = Fuzz(server), time.monotonic() + (seconds or 1e9), 0, 0
        while time.monotonic() < end and (requests is None or n < requests) and server.live.failure is None:
            found.send(rng)
            n += 1
            if n == 1000:
                before = memory()
        if server.live.failure is not None or not found.is_alive():
            found.faults.append((f"stopped: {server.live.failure}", found.last))
        return found, n, memory() - before if before else 0


def main():
    """Fuzz, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--requests", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.seconds is None and given.requests is None:
        given.requests = 10_000
    found, n, growth = fuzz(given.seed, given.requests, given.seconds)
    print(f"{n:,} requests, {found.statuses}, memory grew by {growth / 2**20:.1f} MB")
    for status, sent in found.faults[:20]:
        print(status, sent[:300])
    raise SystemExit(bool(found.faults) or growth > GROWTH)


if __name__ == "__main__":
    main()
