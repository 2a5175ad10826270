"""A service with a real live model on a real socket, in a thread of this process."""

import json
import socket
import threading
import time
from contextlib import contextmanager
from http.client import HTTPConnection

import thalweg
from thalweg.live import LiveModel
from thalweg.service import Application, Settings
from thalweg.service.server import Server, bind

JSON = {"content-type": "application/json"}


def orders(n=200):
    """Return records of orders, paid if they cost less than 25."""
    return [
        {"price": i % 40, "shop": ("north", "south")[i % 3 == 0], "paid": "yes" if i % 40 < 25 else "no"}
        for i in range(n)
    ]


def model(learner="NaiveBayes", **settings):
    """Return a model that has learned the orders."""
    return thalweg.Model(target="paid", learner=learner, **settings).learn(orders())


class RunningServer:
    """A server that runs: its port, its live model and its event loop."""

    def __init__(self, live, settings, names=("orders",)):
        self.live = live
        self.application = Application(dict.fromkeys(names, live), settings)
        self.bound = bind("127.0.0.1", 0)
        self.port = self.bound.getsockname()[1]
        self.server = Server(self.application, timeout_graceful_shutdown=5)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.bound]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.005)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def connect(self, timeout=60):
        """Return a plain connection to it."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def ask(self, method, path, body=None, headers=JSON):
        """Return the status and the JSON of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        found = answer.read()
        connection.close()
        return answer.status, json.loads(found) if found else None

    def predict(self, body):
        return self.ask("POST", "/models/orders/predict", body)

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
        self.bound.close()


@contextmanager
def running(folder, settings=None, first=None, **options):
    """Serve a model under the name orders; give the server."""
    with LiveModel(folder, model() if first is None else first, **options) as live:
        server = RunningServer(live, settings or Settings())
        try:
            yield server
        finally:
            server.stop()


def read_head(connection):
    """Return the status, the headers and what has come of the body of the next answer."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = connection.recv(65536)
        if not part:
            return None
        found += part
    head, _, body = found.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    headers = [tuple(line.decode().lower().split(": ", 1)) for line in lines]
    assert len(dict(headers)) == len(headers), headers
    return int(first.split()[1]), dict(headers), body


def read_answer(connection):
    """Return the status and the body of the next answer."""
    found = read_head(connection)
    if found is None:
        return None
    status, headers, body = found
    length = int(headers["content-length"])
    while len(body) < length:
        body += connection.recv(65536)
    return status, body[:length], body[length:]


def free_port():
    """Return a port that nobody has bound."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
