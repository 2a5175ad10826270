"""Requests on many connections at once, and the processor time that a server takes for them."""

import asyncio
import itertools
import os
import socket
import time
from pathlib import Path

LIMIT = 120.0


def post(path, body, content_type="application/json"):
    """Return the bytes of a request."""
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: {content_type}\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def cpu_microseconds(pid):
    """Return the processor time that the threads of a process and of its children have taken."""
    total = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0]) / 1000
        total += sum(map(cpu_microseconds, (task / "children").read_text().split()))
    return total


class Connection(asyncio.Protocol):
    """Sends a request, waits for its answer, sends the next, until none is left."""

    def __init__(self, run):
        self.run, self.parts, self.missing = run, b"", None

    def connection_made(self, transport):
        self.transport = transport
        self.run.connected()

    def send(self):
        request = next(self.run.requests, None)
        if request is None:
            self.transport.close()
        else:
            self.transport.write(request)

    def data_received(self, data):
        self.parts += data
        if self.missing is None:
            end = self.parts.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.parts[:end].lower()
            if b" 200 " not in head[:20]:
                self.run.fail(RuntimeError(self.parts[:1000]))
                return
            length = int(head.split(b"content-length:", 1)[1].split(b"\r", 1)[0])
            self.missing = end + 4 + length
        if len(self.parts) >= self.missing:
            self.parts, self.missing = b"", None
            self.run.answered()
            self.send()

    def connection_lost(self, error):
        if error is not None:
            self.run.fail(error)


class Lines(Connection):
    """The same for a daemon that answers each line by a line; a request is several lines."""

    def data_received(self, data):
        self.missing = (self.missing or 0) + data.count(b"\n")
        if self.missing >= self.run.lines:
            self.missing = None
            self.run.answered()
            self.send()


class Run:
    """Requests to one server; all connections are open before the first is sent."""

    def __init__(self, port, requests, connections, kind=Connection, lines=1):
        self.port, self.requests, self.n = port, iter(requests), len(requests)
        self.n_connections, self.kind, self.lines = connections, kind, lines
        self.n_connected = self.n_answered = 0
        self.open = []

    def connected(self):
        self.n_connected += 1
        if self.n_connected == self.n_connections:
            self.ready.set_result(None)

    def answered(self):
        self.n_answered += 1
        if self.n_answered == self.n and not self.done.done():
            self.done.set_result(None)

    def fail(self, error):
        if not self.done.done():
            self.done.set_exception(error)

    async def go(self, pid):
        loop = asyncio.get_running_loop()
        self.ready, self.done = loop.create_future(), loop.create_future()
        for _ in range(self.n_connections):
            _, protocol = await loop.create_connection(lambda: self.kind(self), "127.0.0.1", self.port)
            self.open.append(protocol)
        await self.ready
        before, start = cpu_microseconds(pid), time.perf_counter()
        for protocol in self.open:
            protocol.send()
        await asyncio.wait_for(self.done, LIMIT)
        return cpu_microseconds(pid) - before, time.perf_counter() - start


def measure(server, requests, connections, **options):
    """Return the processor time in microseconds that a server takes for requests, and the seconds."""
    import uvloop

    run = Run(server.port, requests, connections, **options)
    return uvloop.run(run.go(server.pid))


def repeated(items, n):
    """Return the first `n` of items that are repeated as often as needed."""
    return list(itertools.islice(itertools.cycle(items), n))


def free_port():
    """Return a port that nobody has bound."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for_port(port, process, seconds=90):
    """Wait until a server accepts connections."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server has ended with code {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            os.sched_yield()
            time.sleep(0.05)
    raise RuntimeError("the server did not start")
