"""The lock of a learner: predictions run in parallel, learning excludes everything else.

Its fields change only while the interpreter's lock is held, which makes each change atomic. A thread that
has to wait releases the interpreter, sleeps briefly and looks again, so that Ctrl-C also ends a wait.
Readers let a waiting writer go first, and writers a reader that has waited for long: neither keeps the
other out. The thread that writes may read and write again. A fork while another thread writes leaves the
child with an unfinished change that no thread completes: there the learner refuses everything until
`begin` or `restore`.
"""

import os
import time

cimport cython
from cpython.pythread cimport PyThread_get_thread_ident

cdef double FIRST_WAIT = 20e-6          # seconds; twice as long each time
cdef double LONGEST_WAIT = 1e-3
cdef double PATIENCE = 0.01             # how long a reader lets writers go first

cdef unsigned long forks = 0            # of the process since this module was imported


def _count_fork():
    global forks
    forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


cdef class Lock:
    """Many readers or one writer; `with lock.read:` and `with lock.write:`."""

    def __cinit__(self):
        self.n_forks = forks

    @property
    def read(self):
        """Context in which no thread changes the learner."""
        return _Reading(self)

    @property
    def write(self):
        """Context in which no other thread reads or changes the learner."""
        return _Writing(self)

    cdef int check_fork(self) except -1:
        if self.n_forks != forks:
            self.n_forks = forks
            self.n_readers = self.n_waiting = self.n_overdue = 0
            if self.depth and self.writer != PyThread_get_thread_ident():
                self.spoiled, self.depth = True, 0
        if self.spoiled:
            raise RuntimeError(
                "this learner or detector was being changed by another thread when the process forked, so it "
                "is half-changed here: restore it from a saved state, or call begin again (reset a detector)"
            )
        return 0

    def renew(self):
        """Clear what a fork left: the learner is about to be replaced as a whole."""
        try:
            self.check_fork()
        except RuntimeError:
            self.spoiled = False

    cdef int begin_read(self) except -1:
        cdef double waited = 0.0, pause = FIRST_WAIT
        self.check_fork()
        if self.depth and self.writer == PyThread_get_thread_ident():
            self.depth += 1
            return 0
        while (self.depth or self.n_waiting) and waited < PATIENCE:
            waited += pause
            pause = rest(pause)
        if self.depth:
            # Rows learned in a loop would keep this reader out forever; now no writer begins before it has.
            self.n_overdue += 1
            try:
                while self.depth:
                    pause = rest(pause)
            finally:
                self.n_overdue = max(self.n_overdue - 1, 0)
        self.n_readers += 1
        return 0

    cdef void end_read(self) noexcept:
        if self.depth and self.writer == PyThread_get_thread_ident():
            self.depth -= 1
        elif self.n_readers:
            self.n_readers -= 1

    cdef int begin_write(self) except -1:
        cdef double pause = FIRST_WAIT
        self.check_fork()
        if self.depth and self.writer == PyThread_get_thread_ident():
            self.depth += 1
            return 0
        if self.depth or self.n_readers or self.n_overdue:
            self.n_waiting += 1
            try:
                while self.depth or self.n_readers or self.n_overdue:
                    pause = rest(pause)
            finally:
                self.n_waiting = max(self.n_waiting - 1, 0)
        self.writer = PyThread_get_thread_ident()
        self.depth = 1
        return 0

    cdef void end_write(self) noexcept:
        if self.depth:
            self.depth -= 1


cdef double rest(double pause) except -1:
    # Let other threads run; return how long to rest next time.
    time.sleep(pause)
    return min(2 * pause, LONGEST_WAIT)


@cython.freelist(8)
cdef class _Reading:
    cdef Lock lock

    def __cinit__(self, Lock lock):
        self.lock = lock

    def __enter__(self):
        self.lock.begin_read()

    def __exit__(self, *_error):
        self.lock.end_read()


@cython.freelist(8)
cdef class _Writing:
    cdef Lock lock

    def __cinit__(self, Lock lock):
        self.lock = lock

    def __enter__(self):
        self.lock.begin_write()

    def __exit__(self, *_error):
        self.lock.end_write()
