"""Ctrl-C while something must be finished."""

import signal
import threading
from types import TracebackType
from typing import Any, Self


class CtrlC:
    """Ctrl-C within, in the main thread, is noted the first time, and raises the second time."""

    has_come = False

    def __enter__(self) -> Self:
        self._handler = None
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)

    def _note(self, number: int, frame: Any) -> None:
        if self.has_come:
            raise KeyboardInterrupt
        self.has_come = True
