"""The handle of a detector, the loop over many losses, and the trampoline for detectors written in Python."""

import numpy as np

from .failure cimport begin_call, call_t, end_call, poll_signals, record_failure

cdef enum:
    FIRST_LOSSES = 4096                 # processed before the first look at the clock


cdef class DetectorKernel:
    """A native detector: a struct of doubles, settings first, laid over `memory`, one NumPy array.

    A subclass makes the array with `keep` and puts its functions into `handle`. Everything the detector knows
    is in `memory` and `level` (what the last loss led to): saving and copying need nothing else.
    """

    cdef void keep(self, memory):
        self.memory = memory
        self.view = memory
        self.handle.state = <void*> &self.view[0]

    def update(self, double loss):
        """Take one loss; return 0 if all is quiet, 1 for a warning, 2 for an alarm."""
        cdef call_t call
        begin_call(&call, 0)
        self.level = self.handle.update(self.handle.state, loss)
        end_call(&call, -1)
        return self.level

    def update_many(self, const double[::1] losses):
        """Take losses one after another; return the positions of those that led to an alarm."""
        cdef Py_ssize_t i, n = 0
        cdef int level = self.level
        places = np.empty(len(losses), dtype=np.intp)
        cdef Py_ssize_t[::1] found = places
        cdef detector_t* h = &self.handle
        cdef call_t call
        cdef Py_ssize_t stop
        begin_call(&call, FIRST_LOSSES)
        i = 0
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
        self.level = level
        end_call(&call, i)
        return places[:n].copy()

    def reset(self):
        """Forget all losses."""
        cdef call_t call
        begin_call(&call, 0)
        self.handle.reset(self.handle.state)
        self.level = QUIET
        end_call(&call, -1)

    def state(self):
        """Return a copy of all the detector knows."""
        return {"memory": self.memory.copy(), "level": self.level}

    def restore(self, state):
        """Go on from what `state` returned."""
        self.keep(np.array(state["memory"], dtype=np.float64))
        self.level = state["level"]


cdef class PythonDetectorKernel(DetectorKernel):
    """The handle of a detector written in Python, with `update`, `reset` and perhaps `warning`."""

    cdef object detector

    def __init__(self, detector):
        self.detector = detector
        self.handle = detector_t(<void*> self, python_update, python_reset)

    cdef int call(self, double loss):
        try:
            if self.detector.update(loss):
                return ALARM
            return WARNING if getattr(self.detector, "warning", False) else QUIET
        except BaseException as error:
            record_failure(error)
            return QUIET

    cdef void start_afresh(self):
        try:
            self.detector.reset()
        except BaseException as error:
            record_failure(error)


cdef int python_update(void* state, double loss) noexcept nogil:
    with gil:
        return (<PythonDetectorKernel> state).call(loss)


cdef void python_reset(void* state) noexcept nogil:
    with gil:
        (<PythonDetectorKernel> state).start_afresh()
