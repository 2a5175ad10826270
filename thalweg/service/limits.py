"""How much a client may ask for, and how long it may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a service.

    Attributes
    ----------
    max_bytes : int, default=8 MiB
        Largest body of a request.
    max_rows : int, default=10,000
        Most rows in a request.
    max_pending : int, default=20,000
        Most rows of one model that are asked for and not answered yet; then a request gets 429.
    rate : float or None, default=None
        Rows a second that one client address may send, measured over a few seconds; None for no limit.
    body_seconds : float, default=20
        How long the body of a request may take to arrive.
    idle_seconds : float, default=60
        How long a connection may stay open without a request.
    send_seconds : float, default=20
        How long a client may leave an answer unread.
    busy_seconds : float, default=30
        How long a model may take for one group of requests; after that it is reported as busy, not ready.
    """

    max_bytes: int = 8 << 20
    max_rows: int = 10_000
    max_pending: int = 20_000
    rate: float | None = None
    body_seconds: float = 20.0
    idle_seconds: float = 60.0
    send_seconds: float = 20.0
    busy_seconds: float = 30.0
