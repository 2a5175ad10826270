"""Ctrl-C after some time, as a signal that compiled code has to look for."""

import contextlib
import gc
import signal
from types import FrameType


@contextlib.contextmanager
def without_gc_callbacks():
    """Keep callbacks of the garbage collector from running: what a signal raises in one of them is lost."""
    callbacks, gc.callbacks[:] = gc.callbacks[:], []
    try:
        yield
    finally:
        gc.callbacks[:] = callbacks


@contextlib.contextmanager
def interrupted_within(function, seconds):
    """Raise KeyboardInterrupt after some time if `function` runs then; a later signal is ignored."""

    def stop(_number, frame: FrameType | None):
        while frame is not None:
            if frame.f_code is function.__code__:
                raise KeyboardInterrupt
            frame = frame.f_back

    previous = signal.signal(signal.SIGALRM, stop)
    with without_gc_callbacks():
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
