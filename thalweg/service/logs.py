"""Logs as JSON lines."""

import json
import logging
import sys
import time
from typing import Any

from thalweg._escaping import in_json
from thalweg.errors import one_line


class JsonLines(logging.Formatter):
    """A line of JSON for each record: time, level, logger, message, and the fields of `extra={"data": …}`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        found: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": one_line(record.getMessage()),
        }
        found |= getattr(record, "data", {})
        if record.exc_info and record.exc_info[0] is not None:
            found["error"] = self.formatException(record.exc_info)
        return in_json(json.dumps(found, ensure_ascii=False, default=str))


def set_up_logs(level: str = "info") -> None:
    """Write the logs of the service, the live models and the server to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("thalweg", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper() if name == "thalweg" else "WARNING")
