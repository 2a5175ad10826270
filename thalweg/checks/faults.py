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

SECONDS = 0.5  # longest processor time until an interrupt ends a call: some ms are usual
PATIENCE = 100.0  # seconds after which a forked process hangs or a signal is lost, however busy the machine
TICK = 0.02  # timers of processor time are no finer than some ms


class Interrupt(BaseException):
    """Raised by a signal handler, like KeyboardInterrupt."""


def can_interrupt() -> bool:
    """Return whether this thread handles signals and timers can send them."""
    return threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")


def interrupted(call: Callable[[], object], after: float) -> tuple[Interrupt, float] | None:
    """Interrupt a call after `after` seconds of processor time; less than `TICK` is measured by the clock.

    Returns the exception that ended the call and the processor time between the signal and its end; None if
    the call ended before the signal. Processor time does not depend on what else the machine does.
    """
    by_clock = after < TICK
    timer, number = (
        (signal.ITIMER_REAL, signal.SIGALRM) if by_clock else (signal.ITIMER_PROF, signal.SIGPROF)
    )
    has_come = False

    def interrupt(_number: int, _frame: object) -> None:
        nonlocal has_come
        has_come = True
        raise Interrupt

    old = signal.signal(number, interrupt)
    collects = gc.isenabled()
    gc.disable()  # Python ignores exceptions during garbage collection
    start = time.process_time()
    try:
        signal.setitimer(timer, max(after, 1e-4))
        call()
        if not signal.setitimer(timer, 0)[0]:
            if not has_come:  # another thread may have taken the signal and not yet passed it on
                time.sleep(PATIENCE)
            raise AssertionError("the interrupt was lost")
    except Interrupt as error:
        return error, time.process_time() - start - (0.0 if by_clock else after)
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, old)
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


@contextmanager
def repeated(call: Callable[[], object]) -> Iterator[None]:
    """Call `call` again and again on another thread."""
    stop = threading.Event()

    def repeat() -> None:
        while not stop.is_set():
            call()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


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
    deadline = time.monotonic() + PATIENCE
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reader)
            return "hung"
        time.sleep(0.005)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read().decode()
