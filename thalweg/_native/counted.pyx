"""Count the rows that a kernel has processed, where no signal can come between the two.

Python handles signals between its own instructions, and there are none in this file. So a learner's number is
that of the rows processed, wherever Ctrl-C comes.
"""


def learn_counted(learner, Py_ssize_t n_rows, learn, *arguments):
    """Learn rows by a kernel's method and add their number to the learner's `_n_learned`."""
    call_counted(learner, "_n_learned", n_rows, learn, arguments)


def observe_counted(learner, Py_ssize_t n_rows, observe, *arguments):
    """Observe rows by a kernel's method and add their number to the learner's `_n_observed`."""
    call_counted(learner, "_n_observed", n_rows, observe, arguments)


cdef call_counted(learner, str counter, Py_ssize_t n_rows, call, tuple arguments):
    try:
        call(*arguments)
    except BaseException as error:
        setattr(learner, counter, getattr(learner, counter) + getattr(error, "rows_learned", 0))
        raise
    setattr(learner, counter, getattr(learner, counter) + n_rows)
