"""The errors of the clients of a service."""

from typing import Any

from thalweg.errors import ThalwegError, one_line


class ServiceError(ThalwegError):
    """A service has refused a request, or could not be reached.

    Parameters
    ----------
    message : str
        What is wrong.

    Attributes
    ----------
    status : int or None
        The HTTP status; None if there was no answer.
    code : str or None
        A word for programs, such as "unknown_id" or "queue_full".
    field : str or None
        The part of the request that is wrong.
    row : int or None
        Which of the rows is wrong, from 0 on.
    retry_after : float or None
        Seconds after which the service says the request may succeed.
    """

    def __init__(
        self,
        message: str,
        status: int | None = None,
        code: str | None = None,
        field: str | None = None,
        row: int | None = None,
    ) -> None:
        super().__init__(one_line(message))
        self.status, self.code, self.field, self.row = status, code, field, row
        self.retry_after: float | None = None


class ServiceUnreachable(ServiceError):
    """There was no answer, after all attempts; whether the request was carried out is not known.

    It is harmless to send it again with the same ids.
    """


class ServiceBusy(ServiceError):
    """The service is recovering, or has too many rows queued, after all attempts: try again later."""


class UnknownId(ServiceError):
    """No row waits with this id: it was never predicted, was dropped, or has expired; `code` says which."""


class OtherLabel(ServiceError):
    """The row has been learned with another label already."""


class UnknownLabel(ServiceError):
    """The label is no class of the model, or cannot be read; the row goes on waiting for its label."""


class NotAllowed(ServiceError):
    """The token is missing or wrong, or the service does not allow this, or not under this name."""


BY_STATUS: dict[int, type[ServiceError]] = {
    401: NotAllowed,
    403: NotAllowed,
    421: NotAllowed,
    429: ServiceBusy,
    503: ServiceBusy,
}
BY_CODE: dict[str, type[ServiceError]] = {
    "unknown_id": UnknownId, "dropped": UnknownId, "expired": UnknownId, "other_label": OtherLabel,
    "unknown_label": UnknownLabel,
}


def refused(status: int, answer: Any) -> ServiceError:
    """Return the error for an answer that is no success."""
    found = answer if isinstance(answer, dict) else {}
    code, message = found.get("error"), found.get("message")
    kind = BY_CODE.get(str(code)) or BY_STATUS.get(status, ServiceError)
    said = str(message) if message else f"the service answered with status {status}"
    return kind(said, status, code, found.get("field"), found.get("row"))
