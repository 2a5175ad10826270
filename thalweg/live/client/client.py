"""Clients of a service, on the standard library alone."""

import asyncio
import http.client
import json
import random
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from os import PathLike
from typing import Any, Self

from thalweg._parameters import whole_number
from thalweg.live.client.answers import Call, Outcome, Prediction
from thalweg.live.client.calls import ClientSettings
from thalweg.live.client.errors import ServiceError, ServiceUnreachable, refused

AGAIN = frozenset({429, 502, 503, 504})  # statuses after which the same request may succeed
LONGEST = 30.0  # seconds between two attempts


class Client:
    """Asks a service that runs `thalweg serve`.

    A request that gets no answer, or is told to wait, is sent again, with the same ids: the service carries
    it out once. Several rows are sent as JSON lines, `batch_size` at a time. Threads may share a client; each
    uses a connection of its own at a time.

    It needs nothing but Python. A request of one row takes less than half the time that httpx takes.

    Parameters
    ----------
    url : str
        The address of the service, such as "http://127.0.0.1:8000".
    model : str
        The name of the model.
    token : str or None, default=None
        The token of the service, if it has one.
    token_file : path or None, default=None
        A file with the token in its first line.
    timeout : float, default=30
        Seconds to wait for an answer.
    attempts : int, default=5
        How often a request is sent at most. The wait between two attempts doubles, from 0.1 s on, or is what
        the service says.
    batch_size : int, default=1000
        Most rows in a request.
    ssl_context : ssl.SSLContext or None, default=None
        For https; by default certificates are checked by those of the system.

    Examples
    --------
    >>> from thalweg.live import Client
    >>> client = Client("http://127.0.0.1:8000", "orders")
    >>> client.predict({"price": "12,50", "shop": "north"}, ids="o7")  # doctest: +SKIP
    Prediction(label='yes', probabilities={'no': 0.06, 'yes': 0.94}, id='o7', event=812, ...)
    >>> client.label("o7", "yes")  # doctest: +SKIP
    Outcome(status='learned', id='o7', event=913, message=None)
    """

    def __init__(
        self, url: str, model: str, *, token: str | None = None,
        token_file: str | PathLike[str] | None = None, timeout: float = 30.0, attempts: int = 5,
        batch_size: int = 1000, ssl_context: ssl.SSLContext | None = None,
    ) -> None:  # fmt: skip
        self._settings = ClientSettings(
            url, model, token=token, token_file=token_file, timeout=timeout, attempts=attempts,
            batch_size=batch_size,
        )  # fmt: skip
        self._ssl = ssl_context
        self._free: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._sleep: Callable[[float], object] = time.sleep

    def predict(self, rows: Any, *, ids: Any = None, durable: bool = True, sets: bool = False) -> Any:
        """Predict a row or rows; with `ids` they wait for their labels.

        Parameters
        ----------
        rows : dict, sequence of numbers, list of them, 2-d array or frame
            One row, or several.
        ids : str, int, sequence of them or None
            One for each row. Without ids nothing changes and nothing is logged.
        durable : bool, default=True
            Whether the service answers after the rows are on disk.
        sets : bool, default=False
            Whether to return prediction sets.

        Returns
        -------
        Prediction or list of Prediction
            One for one row, a list for several.
        """
        return self._answers(*self._settings.predict(rows, ids, durable, sets))

    def label(self, ids: Any, labels: Any) -> Any:
        """Learn the label of a row that was predicted with this id, or of several.

        Returns
        -------
        Outcome or list of Outcome
            For one id, an Outcome, and UnknownId or OtherLabel is raised if it is not learned; for several, a
            list that says what became of each.
        """
        return self._answers(*self._settings.label(ids, labels))

    def learn(self, rows: Any, labels: Any, *, ids: Any = None) -> Any:
        """Learn a row with its label, or several; return an Outcome, or a list of them.

        Rows without ids get random ones, so that a request that was not answered can be sent again.
        """
        return self._answers(*self._settings.learn(rows, labels, ids))

    def describe(self) -> dict[str, Any]:
        """Return what the model is and what it has seen."""
        found: dict[str, Any] = json.loads(self._send("GET", self._settings.prefix, None, b""))
        return found

    def close(self) -> None:
        """Close the connections; they are opened again when needed."""
        with self._lock:
            free, self._free = self._free, []
        for connection in free:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _answers(self, calls: list[Call], is_one: bool) -> Any:
        found: list[Prediction | Outcome] = []
        for call in calls:
            found += call.answers(self._post(call))
        return found[0] if is_one else found

    def _post(self, call: Call) -> bytes:
        try:
            return self._send("POST", call.path, call.content_type, call.body)
        except ServiceError as error:
            if error.row is not None:
                error.row += call.first
            raise

    def _send(self, method: str, path: str, content_type: str | None, body: bytes) -> bytes:
        """Return the body of a successful answer, after as many attempts as it may take."""
        problem: ServiceError = ServiceUnreachable("no attempt was made")
        for attempt in range(self._settings.attempts):
            if attempt:
                self._sleep(_wait(attempt, problem))
            try:
                with self._connection() as connection:
                    status, wait, content = self._exchange(connection, method, path, content_type, body)
            except (OSError, http.client.HTTPException) as error:
                where = f"{self._settings.host}:{self._settings.port}"
                problem = ServiceUnreachable(f"{where} gives no answer: {error or type(error).__name__}")
                continue
            if status == 200:
                return content
            problem = refused(status, _json(content))
            problem.retry_after = wait
            if status not in AGAIN or problem.code == "stopped":
                break
        raise problem

    def _exchange(
        self, connection: http.client.HTTPConnection, method: str, path: str, content_type: str | None,
        body: bytes,
    ) -> tuple[int, float | None, bytes]:  # fmt: skip
        headers = dict(self._settings.headers)
        if content_type is not None:
            headers["content-type"] = content_type
        connection.request(method, path, body or None, headers)
        response = connection.getresponse()
        wait = response.getheader("retry-after", "")
        return response.status, float(wait) if wait.isdecimal() else None, response.read()

    @contextmanager
    def _connection(self) -> Iterator[http.client.HTTPConnection]:
        """Give a connection that nobody else uses; after an error it is closed."""
        with self._lock:
            connection = self._free.pop() if self._free else None
        connection = connection or self._new_connection()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._free.append(connection)

    def _new_connection(self) -> http.client.HTTPConnection:
        settings = self._settings
        if settings.is_secure:
            return http.client.HTTPSConnection(
                settings.host, settings.port, timeout=settings.timeout, context=self._ssl
            )
        return http.client.HTTPConnection(settings.host, settings.port, timeout=settings.timeout)


class AsyncClient:
    """The same as `Client`, to be awaited: `await client.predict(row, ids="o7")`.

    The requests run in threads, `connections` of them at a time, each on its own connection. A call that is
    cancelled is still carried out by the service.

    Parameters
    ----------
    url, model : str
        See `Client`.
    connections : int, default=16
        How many requests are sent at a time.
    **settings
        Further parameters of `Client`.
    """

    def __init__(self, url: str, model: str, *, connections: int = 16, **settings: Any) -> None:
        self._client = Client(url, model, **settings)
        n = whole_number(self, "connections", connections, 1)
        self._threads = ThreadPoolExecutor(n, thread_name_prefix="thalweg client")

    async def predict(self, rows: Any, *, ids: Any = None, durable: bool = True, sets: bool = False) -> Any:
        """Predict a row or rows; see `Client.predict`."""
        return await self._run(lambda: self._client.predict(rows, ids=ids, durable=durable, sets=sets))

    async def label(self, ids: Any, labels: Any) -> Any:
        """Learn the label of a row, or of several; see `Client.label`."""
        return await self._run(lambda: self._client.label(ids, labels))

    async def learn(self, rows: Any, labels: Any, *, ids: Any = None) -> Any:
        """Learn a row with its label, or several; see `Client.learn`."""
        return await self._run(lambda: self._client.learn(rows, labels, ids=ids))

    async def describe(self) -> dict[str, Any]:
        """Return what the model is and what it has seen."""
        found: dict[str, Any] = await self._run(self._client.describe)
        return found

    async def close(self) -> None:
        """Close the connections, after the requests that are under way."""
        await asyncio.get_running_loop().run_in_executor(None, self._threads.shutdown)
        self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _run(self, function: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)


def _wait(attempt: int, problem: ServiceError) -> float:
    """Return the seconds before an attempt: what the service said, or about twice as long as before."""
    if problem.retry_after is not None:
        return min(problem.retry_after, LONGEST)
    return min(0.1 * 2.0 ** (attempt - 1), LONGEST) * random.uniform(0.5, 1.0)


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
