"""The handle of a detector, the loop over many losses, and the trampoline for detectors written in Python."""

import numpy as np

from thalweg._native import layout
from thalweg._native.layout import FLOAT, Array, checked_arrays, checked_fields, require

from thalweg._native.failure cimport begin_call, call_t, end_call, poll_signals, record_failure
from thalweg._native.pointers cimport doubles

cdef enum:
    FIRST_LOSSES = 4096                 # processed before the first check of the clock

globals().update(LARGEST_LOSS=LARGEST_LOSS)     # for Python, as `cpdef` does for integers


cdef class DetectorKernel:
    """A native detector: a struct of doubles, settings first, laid over `memory`, one NumPy array.

    A subclass declares the fields of the struct, makes the array with `allocate` and puts its functions into
    `handle`. The detector's whole state is in `memory` and `level` (what the last loss led to): saving and
    copying need nothing else.
    """

    def __cinit__(self):
        self.lock = Lock()
        self.who = type(self).__name__
        self.n_losses = FIRST_LOSSES

    cdef int allocate(self, dict fields, Py_ssize_t n_more, tuple settings) except -1:
        # `n_more` numbers follow the struct; `settings` are its first numbers.
        self.fields = fields
        memory = layout.new_array(len(fields) + n_more, FLOAT)
        memory[:len(settings)] = settings
        self.adopt(memory, QUIET)
        return 0

    cdef void adopt(self, memory, int level):
        self.memory, self.last_level = memory, level
        self.handle.state = <void*> doubles(memory)

    @property
    def level(self):
        """What the last loss led to: 0 for no signal, 1 for a warning, 2 for an alarm."""
        self.lock.begin_read()
        cdef int level = self.last_level
        self.lock.end_read()
        return level

    def update(self, double loss):
        """Process one loss; return 0 for no signal, 1 for a warning, 2 for an alarm."""
        cdef call_t call
        cdef int level
        self.lock.begin_write()
        begin_call(&call, 0)
        level = self.handle.update(self.handle.state, loss)
        if not call.failure.failed:
            self.last_level = level
        self.lock.end_write()
        end_call(&call, -1)
        return level

    def update_many(self, const double[::1] losses):
        """Process losses one after another; return the positions of those that led to an alarm."""
        cdef Py_ssize_t i = 0, n = 0, stop
        cdef int level
        places = np.empty(len(losses), dtype=np.intp)
        cdef Py_ssize_t[::1] found = places
        cdef detector_t* h = &self.handle
        cdef call_t call
        self.lock.begin_write()
        begin_call(&call, self.n_losses)
        level = self.last_level
        while i < losses.shape[0] and not call.failure.failed:
            stop = min(i + call.n_rows, losses.shape[0])
            with nogil:
                while i < stop and not call.failure.failed:
                    level = h.update(h.state, losses[i])
                    if level == ALARM:
                        found[n] = i
                        n += 1
                    i += 1
            poll_signals(&call)
        self.last_level = level
        self.lock.end_write()
        end_call(&call, i)
        return places[:n].copy()

    def reset(self):
        """Forget all losses."""
        cdef call_t call
        self.lock.begin_write()
        begin_call(&call, 0)
        self.handle.reset(self.handle.state)
        self.last_level = QUIET
        self.lock.end_write()
        end_call(&call, -1)

    def state(self):
        """Return a copy of the detector's state."""
        return {"memory": self.memory.copy(), "level": self.last_level}

    def restore(self, state):
        """Restore what `state` returned; raise StateError, and change nothing, if it does not fit."""
        arrays = dict(state)
        level = arrays.pop("level", None)
        is_level = type(level) is int and QUIET <= level <= ALARM
        require(is_level, self.who, "level", f"is {level!r}, not 0, 1 or 2")
        memory = checked_arrays({"memory": Array(FLOAT, len(self.memory))}, {}, arrays, self.who)["memory"]
        self.check(memory, checked_fields(self.fields, memory[:len(self.fields)], self.who, self.memory))
        self.adopt(memory, level)

    def check(self, memory, found):
        """Raise StateError if the numbers of the struct, by name in `found`, or those after it cannot be."""


cdef class PythonDetectorKernel(DetectorKernel):
    """The handle of a detector written in Python, with `update`, `reset` and perhaps `warning`."""

    cdef object detector

    def __init__(self, detector):
        self.detector = detector
        self.handle = detector_t(<void*> self, python_update, python_reset)

    cdef int call_update(self, double loss) noexcept:
        try:
            if self.detector.update(loss):
                return ALARM
            return WARNING if getattr(self.detector, "warning", False) else QUIET
        except BaseException as error:
            record_failure(error)
            return QUIET

    cdef void call_reset(self) noexcept:
        try:
            self.detector.reset()
        except BaseException as error:
            record_failure(error)


cdef int python_update(void* state, double loss) noexcept nogil:
    with gil:
        return (<PythonDetectorKernel> state).call_update(loss)


cdef void python_reset(void* state) noexcept nogil:
    with gil:
        (<PythonDetectorKernel> state).call_reset()
