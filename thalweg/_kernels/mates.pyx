"""Threads that do one piece of work after another, and wait in between without the interpreter.

They come from pools that the whole process shares. To hand a block of rows to a thread this way takes some
microseconds, by way of Python's executors a tenth of a millisecond.
"""

import os
from concurrent.futures import ThreadPoolExecutor

from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock,
)

cdef extern from *:
    """
    static void rest(void) {
    #if defined(__x86_64__)
        for (int i = 0; i < 8; i++) __builtin_ia32_pause();
    #elif defined(__aarch64__)
        for (int i = 0; i < 8; i++) __asm__ volatile("yield");
    #endif
    }
    """
    void rest() noexcept nogil          # a moment in which the processor's other thread has it all

cdef enum:
    TRIES = 500                         # to get a lock before a thread sleeps: about 0.1 ms

_pools = {}                             # by number of threads; kept, since threads take long to start
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)


cdef class Mate:
    """A thread at work for another one, which begins and ends each piece of it."""

    def __cinit__(self):
        self.go, self.done = PyThread_allocate_lock(), PyThread_allocate_lock()
        if self.go == NULL or self.done == NULL:
            raise MemoryError
        PyThread_acquire_lock(self.go, WAIT_LOCK)
        PyThread_acquire_lock(self.done, WAIT_LOCK)

    def __dealloc__(self):
        if self.go != NULL:
            PyThread_free_lock(self.go)
        if self.done != NULL:
            PyThread_free_lock(self.done)

    def live(self):
        """Do one piece of work after another until all is over: what the thread runs."""
        with nogil:
            self.is_there = 1
            await_lock(self.go)
            while not self.is_over:
                self.work(self.on)
                PyThread_release_lock(self.done)
                await_lock(self.go)

    cdef void begin_work(self):
        PyThread_release_lock(self.go)

    cdef bint end_work(self):
        # Whether the thread had come at all: where others keep the pool busy, it is done without.
        if not self.is_there and self.job.cancel():
            return False
        with nogil:
            await_lock(self.done)
        return True


cdef void await_lock(PyThread_type_lock lock) noexcept nogil:
    # Most waits are shorter than it takes to fall asleep and wake up.
    cdef int _i
    for _i in range(TRIES):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return
        rest()
    PyThread_acquire_lock(lock, WAIT_LOCK)


cdef list call_mates(Py_ssize_t n, work_t work, void* on):
    cdef Mate mate
    if n not in _pools:
        _pools[n] = ThreadPoolExecutor(n, thread_name_prefix="thalweg")
    mates = []
    for _ in range(n):
        mate = Mate()
        mate.work, mate.on = work, on
        mate.job = _pools[n].submit(mate.live)
        mates.append(mate)
    return mates


cdef void dismiss(list mates):
    # They look at nothing but themselves from now on.
    cdef Mate mate
    for mate in mates:
        mate.is_over = True
        PyThread_release_lock(mate.go)
        mate.job.cancel()
