"""Faults that checks cause on purpose: interrupts, failed allocations, forks."""

import gc
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from thalweg._native import layout

SECONDS = 0.5  # longest time until an interrupt ends a call
FORK_SECONDS = 20.0  # a forked process that needs longer hangs


class Interrupt(BaseException):
    """Raised by a signal handler, like KeyboardInterrupt."""


def can_interrupt() -> bool:
    """Return whether this thread handles signals and timers can send them."""
    return threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")


def interrupted(call: Callable[[], object], after: float) -> tuple[Interrupt, float] | None:
    """Interrupt a call after `after` seconds.

    Returns the exception that ended the call and the seconds between the signal and its end; None if the call
    ended before the signal.
    """

    def interrupt(_number: int, _frame: object) -> None:
        raise Interrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    collects = gc.isenabled()
    gc.disable()  # Python ignores exceptions during garbage collection
    start = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, max(after, 1e-4))
        call()
        if not signal.setitimer(signal.ITIMER_REAL, 0)[0]:
            time.sleep(SECONDS)  # another thread may have taken the signal and not yet passed it on
            raise AssertionError("the interrupt was lost")
    except Interrupt as error:
        return error, time.perf_counter() - start - after
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        if collects:
            gc.enable()
    return None


@contextmanager
def failing_allocation(k: int) -> Iterator[Callable[[], bool]]:
    """Make the k-th allocation of an array by a kernel fail; yield a function that returns whether it did."""
    original: Any = layout.new_array
    n_calls = 0

    def new_array(*arguments: Any, **settings: Any) -> Any:
        nonlocal n_calls
        n_calls += 1
        if n_calls == k:
            raise MemoryError("a test made this allocation fail")
        return original(*arguments, **settings)

    layout.new_array = new_array
    try:
        yield lambda: n_calls >= k
    finally:
        layout.new_array = original


def in_a_fork(call: Callable[[], object]) -> str:
    """Run `call` in a forked process; return its result or the name of its exception, or "hung"."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks while threads run
        child = os.fork()
    if child == 0:
        try:
            answer = str(bool(call()))
        except BaseException as error:
            answer = type(error).__name__
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    deadline = time.monotonic() + FORK_SECONDS
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reader)
            return "hung"
        time.sleep(0.005)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read().decode()
