# Many threads may read a learner at once; a thread that changes it is alone.

cdef class Lock:
    cdef Py_ssize_t n_readers
    cdef Py_ssize_t n_waiting           # writers
    cdef Py_ssize_t depth               # of the writer's nested calls
    cdef unsigned long writer           # thread that writes, if depth > 0
    cdef unsigned long n_forks          # of the process when last used
    cdef bint spoiled
    cdef Py_ssize_t n_overdue           # readers that have waited so long that they go first

    cdef int begin_read(self) except -1
    cdef void end_read(self) noexcept
    cdef int begin_write(self) except -1
    cdef void end_write(self) noexcept
    cdef int check_fork(self) except -1
