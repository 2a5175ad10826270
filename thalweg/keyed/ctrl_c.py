"""Ctrl-C while something must be finished."""

import signal
import threading
from types import TracebackType
from typing import Any, Self


class CtrlC:
    """Ctrl-C within is noted the first time, and raises KeyboardInterrupt the second time.

    That is so in the main thread, and where it would raise the first time: not within another one of these.
    """

    has_come = False

    def __enter__(self) -> Self:
        is_main = threading.current_thread() is threading.main_thread()
        self._is_raised = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._is_raised:
            signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_raised:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: Any) -> None:
        if self.has_come:
            raise KeyboardInterrupt
        self.has_come = True
