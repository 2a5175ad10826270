# Threads that help the calling thread for the time of one call.

from cpython.pythread cimport PyThread_type_lock

from .failure cimport failure_t

# `on` is shared by all threads, 0 the caller's and 1, 2, …: they divide the work among themselves
ctypedef void (*work_t)(void* on, Py_ssize_t thread) noexcept nogil

ctypedef struct worker_t:
    work_t work
    void* on
    Py_ssize_t number                   # of the thread
    PyThread_type_lock go               # free when there is work
    PyThread_type_lock done             # free when it is done
    bint is_over
    failure_t failure                   # of its last piece of work


cdef class Workers:
    cdef worker_t* worker
    cdef readonly Py_ssize_t n          # threads besides the caller's

    # do work(on, thread) on all threads, the caller's included; return when all are done
    cdef bint start(self, worker_t* w)
    cdef void run(self, work_t work, void* on) noexcept nogil
