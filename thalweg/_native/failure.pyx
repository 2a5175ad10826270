"""Failures of compiled code, and signals.

A row loop runs without the interpreter and cannot raise. What it calls back into Python catches every
exception, Ctrl-C and MemoryError included, records it for its thread and leaves the model whole; the loop
sees `failed` after the row and stops, and `end_call` raises the error once. Calls can nest: a learner written
in Python may call compiled learners.
"""

import os
import threading
from contextlib import suppress
from time import perf_counter

from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport PyThread_get_thread_ident
from cpython.ref cimport Py_DECREF, Py_INCREF

cdef extern from *:
    """
    #if defined(_MSC_VER)
    static __declspec(thread) struct { int failed; PyObject *error; } thalweg_failure;
    #else
    static _Thread_local struct { int failed; PyObject *error; } thalweg_failure;
    #endif
    """
    failure_t thalweg_failure

cdef double SHORT = 0.01                # seconds between two checks for signals: more rows if it was less,
cdef double LONG = 0.05                 # fewer if it was more

cdef enum:
    MOST_CALLS = 100                    # of a function that interrupts end

cdef unsigned long main_thread = threading.main_thread().ident


def _become_main_thread():
    global main_thread
    main_thread = PyThread_get_thread_ident()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_become_main_thread)


cdef failure_t* current_failure() noexcept nogil:
    return <failure_t*> &thalweg_failure


cdef void record_failure(error) noexcept:
    cdef failure_t* failure = current_failure()
    if failure.error == NULL:
        Py_INCREF(error)
        failure.error = <PyObject*> error
    failure.failed = True


cdef object attempt(function, tuple arguments):
    cdef int _i
    for _i in range(MOST_CALLS):
        try:
            return function(*arguments)
        except Exception as error:
            record_failure(error)
            return None
        except BaseException as error:
            record_failure(error)
    return None


cdef void begin_call(call_t* call, Py_ssize_t n_rows) noexcept:
    call.failure = current_failure()
    call.outer = call.failure[0]
    call.failure.failed, call.failure.error = False, NULL
    call.n_rows = n_rows
    call.polls = n_rows > 0 and <unsigned long> PyThread_get_thread_ident() == main_thread
    call.started = perf_counter() if call.polls else 0.0


cdef void poll_signals(call_t* call) noexcept:
    cdef double now
    if not call.polls:
        return
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        record_failure(error)
    now = perf_counter()
    if now - call.started < SHORT:
        call.n_rows = min(2 * call.n_rows, 1 << 24)
    elif now - call.started > LONG:
        call.n_rows = max(call.n_rows // 4, 1)
    call.started = now


cdef bint should_stop() noexcept nogil:
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            record_failure(error)
    return current_failure().failed


cdef int end_call(call_t* call, Py_ssize_t n_rows) except -1:
    cdef PyObject* found = call.failure.error
    call.failure[0] = call.outer
    if found == NULL:
        return 0
    error = <object> found
    Py_DECREF(error)
    if n_rows >= 0:
        with suppress(AttributeError):
            error.rows_learned = n_rows
    raise error
