# Errors in compiled code that cannot raise: recorded for the thread, raised by the caller.

from cpython.object cimport PyObject

ctypedef struct failure_t:
    bint failed
    PyObject* error                     # owned; the first one recorded


# of this thread
cdef failure_t* current_failure() noexcept nogil

# keep `error` unless one is kept already
cdef void record_failure(error) noexcept

# function(*arguments), or None if it raised an Exception, which is recorded; it must change nothing before it
# returns, because what Ctrl-C raises inside it is recorded and the call repeated
cdef object attempt(function, tuple arguments)


ctypedef struct call_t:
    failure_t* failure
    failure_t outer                     # of the call inside which this one was made
    bint polls                          # this thread handles signals
    Py_ssize_t n_rows                   # to process before the next check of the clock
    double started


# start of a public call that runs compiled code; to be ended by end_call, with nothing that raises in
# between; n_rows is 0 if no signals are checked
cdef void begin_call(call_t* call, Py_ssize_t n_rows) noexcept

# every `call.n_rows` rows: check for signals such as Ctrl-C, and adapt n_rows to the time they took
cdef void poll_signals(call_t* call) noexcept

# the same where perhaps fewer rows were processed, in too short a time to tell how many more there could be
cdef inline void poll_after(call_t* call, Py_ssize_t n_processed) noexcept:
    cdef Py_ssize_t n_rows = call.n_rows
    poll_signals(call)
    if n_processed < n_rows:
        call.n_rows = min(call.n_rows, n_rows)

# the same for long work inside a row, on any thread: whether the call has failed and the work should stop
cdef bint should_stop() noexcept nogil

# raise what was recorded, with the number of rows processed as its attribute `rows_learned` if that is not -1
cdef int end_call(call_t* call, Py_ssize_t n_rows) except -1
