"""Faults that checks cause: interrupts, failed allocations, forks."""

import gc
import os
import signal
import threading
import time
import warnings
from contextlib import contextmanager

from thalweg._kernels import layout

SECONDS = 0.5  # within which an interrupt ends a call
FORK_SECONDS = 20.0  # after which a forked process hangs


class Interrupt(BaseException):
    """Raised by a signal handler, as KeyboardInterrupt is."""


def can_interrupt():
    """Whether this thread handles signals, and timers can send them."""
    return threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")


def interrupted(call, after):
    """Interrupt a call after so many seconds.

    Returns the exception that ended it and how long after the signal; None if the call was done before.
    """

    def interrupt(_number, _frame):
        raise Interrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    collects = gc.isenabled()
    gc.disable()  # Python ignores what is raised while it collects garbage
    start = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, max(after, 1e-4))
        call()
        left = signal.setitimer(signal.ITIMER_REAL, 0)[0]
        assert left > 0, "the interrupt was lost"
    except Interrupt as error:
        return error, time.perf_counter() - start - after
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        if collects:
            gc.enable()
    return None


@contextmanager
def failing_allocation(k):
    """Let the k-th array that kernels make from now on fail; yields a function that says whether it did."""
    original, n_calls = layout.new_array, 0

    def new_array(*arguments, **settings):
        nonlocal n_calls
        n_calls += 1
        if n_calls == k:
            raise MemoryError("no memory, as a test asked for")
        return original(*arguments, **settings)

    layout.new_array = new_array
    try:
        yield lambda: n_calls >= k
    finally:
        layout.new_array = original


def in_a_fork(call):
    """Return what `call` returns, or raises (its name), in a forked process; "hung" if it does not end."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
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
    with os.fdopen(reader, "rb") as answer:
        return answer.read().decode()
