"""The server: uvicorn with the application, from binding to a clean stop."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import uvicorn

from thalweg.errors import ThalwegError
from thalweg.live.alerts import AlertRules, Alerts
from thalweg.live.watch.sources import snapshot_of
from thalweg.service.application import Application
from thalweg.service.connections import Connections
from thalweg.service.protocol import protocol_for
from thalweg.service.settings import Settings
from thalweg.service.threads import in_thread

log = logging.getLogger("thalweg.service")
STOP_SECONDS = 10
BACKLOG = 2048
FAILED = 74  # EX_IOERR of sysexits.h: events could not be written


class BindError(ThalwegError, OSError):
    """The address cannot be bound."""


def resolve(host: str) -> str:
    """Return the numeric address of a host to bind; raise BindError if there is none."""
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        return socket.getnameinfo(found[0][4], socket.NI_NUMERICHOST | socket.NI_NUMERICSERV)[0]
    except OSError as error:
        raise BindError(f"--host {host}: {error.strerror}") from None


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the address; raise BindError if another process has it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise BindError(f"--host {host}: {error.strerror}") from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise BindError(f"{host}:{port} cannot be bound: {error.strerror}") from None
    bound.setblocking(False)
    return bound


def address_of(bound: socket.socket, is_secure: bool) -> str:
    """Return the address of a socket as a browser takes it."""
    host, port = bound.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"{'https' if is_secure else 'http'}://{shown}:{port}"


class Server(uvicorn.Server):
    """A uvicorn server that looks after its connections, and stops when a live model has failed.

    `options` are further settings of uvicorn. Its `proxy_headers` are off: Access decides which to believe.
    """

    def __init__(self, application: Application, **options: Any) -> None:
        settings: dict[str, Any] = {
            "log_config": None, "access_log": False, "lifespan": "on", "server_header": False,
            "http": protocol_for(application), "date_header": False, "backlog": BACKLOG, "ws": "none",
            "timeout_graceful_shutdown": STOP_SECONDS, "proxy_headers": False,
        }  # fmt: skip
        super().__init__(uvicorn.Config(application, **(settings | options)))
        self.application = application
        self.failure: BaseException | None = None
        self._connections = Connections(self, application.settings.limits)

    async def main_loop(self) -> None:
        """Serve until a signal comes or a model fails."""
        watching = asyncio.create_task(self._connections.watch())
        try:
            await super().main_loop()
        finally:
            watching.cancel()

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop; called ten times a second."""
        for served in self.application.models:
            failure = getattr(served.live, "failure", None)
            if failure is not None and self.failure is None:
                self.failure = failure
                log.error("%s has stopped: %s", served.name, failure)
                self.should_exit = True
        return await super().on_tick(counter)


def run(
    models: dict[str, Any], bound: socket.socket, settings: Settings, **options: Any
) -> BaseException | None:
    """Serve models until SIGTERM or SIGINT, then close them; return why it stopped, if one has failed.

    Parameters
    ----------
    models : dict of LiveModel
    bound : socket
        As `bind` returns it.
    settings : Settings
    **options
        Further settings of uvicorn, such as `ssl_certfile`.
    """

    alerts = alerts_of(models, settings)

    async def close() -> None:
        for each in alerts:
            await in_thread(each.close)
        for name, live in models.items():
            try:
                await in_thread(live.close)
            except Exception:
                log.exception("%s could not be closed: its log is replayed at the next start", name)

    server = Server(Application(models, settings, close), **options)
    for each in alerts:
        each.start()
    with _signals_end_quietly():
        server.run(sockets=[bound])
    return server.failure


def alerts_of(models: Mapping[str, Any], settings: Settings) -> list[Alerts]:
    """Return what sends the alerts of each model; nothing if nobody wants them."""
    if settings.alert_url is None and not settings.alert_log:
        return []

    def snapshots(name: str, live: Any) -> dict[str, Any]:
        found = snapshot_of(live)
        return {} if found is None else {name: found}

    return [
        Alerts(
            partial(snapshots, name, live), url=settings.alert_url, log=settings.alert_log,
            rules=AlertRules(silence=settings.alert_silence), path=live.folder / "alerts.json",
        )
        for name, live in models.items()
    ]  # fmt: skip


@contextlib.contextmanager
def _signals_end_quietly() -> Iterator[None]:
    """Ignore the signal that uvicorn raises again after it has stopped: the exit code is then ours."""
    before = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
