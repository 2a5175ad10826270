# What went wrong in compiled code that cannot raise: recorded for the thread, raised by whoever called it.

from cpython.object cimport PyObject

ctypedef struct failure_t:
    bint failed
    PyObject* error                     # owned; the first one recorded


# of this thread
cdef failure_t* current_failure() noexcept nogil

# keep `error` unless one is kept already
cdef void record_failure(error) noexcept

# compute(*arguments), for a callback: computed once more after an interrupt, which is recorded, so that nothing is
# lost by it; None after any other exception, recorded too
cdef object computed(compute, tuple arguments) noexcept


ctypedef struct call_t:
    failure_t* failure
    failure_t outer                     # of the call inside which this one was made
    bint polls                          # this thread handles signals
    Py_ssize_t n_rows                   # to process before the next look at the clock
    double started


# start of a public call that runs compiled code; to be ended by end_call, with nothing that raises in between;
# n_rows is 0 if no signals are looked for
cdef void begin_call(call_t* call, Py_ssize_t n_rows) noexcept

# every `call.n_rows` rows: look for signals such as Ctrl-C, and adapt n_rows to the time they took
cdef void poll_signals(call_t* call) noexcept

# the same for long work inside a row, on any thread: whether the call has failed, so that the work should stop
cdef bint should_stop() noexcept nogil

# raise what was recorded, with the number of rows processed as its attribute `rows_learned` if that is not -1
cdef int end_call(call_t* call, Py_ssize_t n_rows) except -1
