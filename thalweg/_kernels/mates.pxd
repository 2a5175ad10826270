# Threads that do one piece of work after another for the one that called them.

from cpython.pythread cimport PyThread_type_lock

ctypedef void (*work_t)(void* on) noexcept nogil


cdef class Mate:
    cdef work_t work
    cdef void* on
    cdef PyThread_type_lock go          # free when there is work
    cdef PyThread_type_lock done        # free when it is done
    cdef char is_there
    cdef bint is_over
    cdef object job

    cdef void begin_work(self)
    cdef bint end_work(self)


cdef list call_mates(Py_ssize_t n, work_t work, void* on)
cdef void dismiss(list mates)
