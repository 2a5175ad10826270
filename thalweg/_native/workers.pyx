"""Threads that help the calling thread for the time of one call.

They are started by the call and end with it, so that no thread outlives a model, and a fork between two calls
finds none. Between two pieces of work they wait without the interpreter: starting one takes some
microseconds. If the system has no more threads, the work is done by fewer.

They are threads of Python. A thread that the interpreter does not know gets a state from it whenever it takes
the GIL, under a lock which the child of a fork at that moment would wait for, forever.
"""

import _thread

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock,
)
from cpython.ref cimport Py_DECREF

from .failure cimport current_failure, record_failure

cdef extern from *:
    """
    static void relax_cpu(void) {
    #if defined(__x86_64__)
        for (int i = 0; i < 8; i++) __builtin_ia32_pause();
    #elif defined(__aarch64__)
        for (int i = 0; i < 8; i++) __asm__ volatile("yield");
    #endif
    }
    """
    void relax_cpu() noexcept nogil     # yields the core to its other hardware thread for a short time

cdef enum:
    TRIES = 500                         # to get a lock before a thread sleeps: about 0.1 ms

_start_fails_after = None               # for tests: how many threads can be started


cdef class Workers:
    """At most `n` threads besides the caller's; `close` ends them."""

    def __cinit__(self, Py_ssize_t n):
        self.worker = <worker_t*> PyMem_Calloc(max(n, 1), sizeof(worker_t))
        if self.worker == NULL:
            raise MemoryError
        while self.n < n and self.start(self.worker + self.n):
            self.n += 1

    cdef bint start(self, worker_t* w):
        cdef Thread thread
        if _start_fails_after is not None and self.n >= _start_fails_after:
            return False
        w.go, w.done = PyThread_allocate_lock(), PyThread_allocate_lock()
        w.number = self.n + 1
        if w.go != NULL and w.done != NULL:
            PyThread_acquire_lock(w.go, WAIT_LOCK)
            PyThread_acquire_lock(w.done, WAIT_LOCK)
            thread = Thread()
            thread.worker = w
            try:
                _thread.start_new_thread(thread.run, ())
                return True
            except RuntimeError:
                pass
        free_locks(w)
        return False

    def close(self):
        """End the threads."""
        cdef Py_ssize_t i
        for i in range(self.n):
            self.worker[i].is_over = True
            PyThread_release_lock(self.worker[i].go)
        for i in range(self.n):
            with nogil:
                wait_for(self.worker[i].done)
            free_locks(self.worker + i)
        self.n = 0

    def __dealloc__(self):
        self.close()
        PyMem_Free(self.worker)

    cdef void run(self, work_t work, void* on) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(self.n):
            self.worker[i].work, self.worker[i].on = work, on
            PyThread_release_lock(self.worker[i].go)
        work(on, 0)
        for i in range(self.n):
            wait_for(self.worker[i].done)
            if self.worker[i].failure.failed:
                with gil:
                    adopt_failure(self.worker + i)


cdef class Thread:
    """What a thread runs."""

    cdef worker_t* worker

    def run(self):
        """Work until the call ends."""
        with nogil:
            do_work(self.worker)
        PyThread_release_lock(self.worker.done)     # with the GIL: the caller continues when this thread ends


cdef void adopt_failure(worker_t* w) noexcept:
    # What failed on a worker's thread has failed for the caller.
    error = <object> w.failure.error
    record_failure(error)
    Py_DECREF(error)
    w.failure.failed, w.failure.error = False, NULL


cdef void free_locks(worker_t* w) noexcept:
    if w.go != NULL:
        PyThread_free_lock(w.go)
    if w.done != NULL:
        PyThread_free_lock(w.done)
    w.go = w.done = NULL


cdef void do_work(worker_t* w) noexcept nogil:
    # Process one piece of work after another until the call ends.
    wait_for(w.go)
    while not w.is_over:
        w.work(w.on, w.number)
        w.failure = current_failure()[0]
        current_failure().failed, current_failure().error = False, NULL
        PyThread_release_lock(w.done)
        wait_for(w.go)


cdef void wait_for(PyThread_type_lock lock) noexcept nogil:
    # Most waits are shorter than the time to sleep and wake up.
    cdef int _i
    for _i in range(TRIES):
        if PyThread_acquire_lock(lock, NOWAIT_LOCK):
            return
        relax_cpu()
    PyThread_acquire_lock(lock, WAIT_LOCK)
