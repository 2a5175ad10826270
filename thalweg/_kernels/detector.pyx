"""The handle of a detector, the loop over many losses, and the trampoline for detectors written in Python."""

import numpy as np


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
        self.level = self.handle.update(self.handle.state, loss)
        self.raise_error()
        return self.level

    def update_many(self, const double[::1] losses):
        """Take losses one after another; return the positions of those that led to an alarm."""
        cdef Py_ssize_t i, n = 0
        cdef int level = self.level
        places = np.empty(len(losses), dtype=np.intp)
        cdef Py_ssize_t[::1] found = places
        cdef detector_t* h = &self.handle
        with nogil:
            for i in range(losses.shape[0]):
                level = h.update(h.state, losses[i])
                if level == ALARM:
                    found[n] = i
                    n += 1
        self.level = level
        self.raise_error()
        return places[:n].copy()

    def reset(self):
        """Forget all losses."""
        self.handle.reset(self.handle.state)
        self.level = QUIET

    def state(self):
        """Return a copy of all the detector knows."""
        return {"memory": self.memory.copy(), "level": self.level}

    def restore(self, state):
        """Go on from what `state` returned."""
        self.keep(np.array(state["memory"], dtype=np.float64))
        self.level = state["level"]

    def raise_error(self):
        """Raise what a detector written in Python raised during the loop, which itself cannot."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error


cdef class PythonDetectorKernel(DetectorKernel):
    """The handle of a detector written in Python, with `update`, `reset` and perhaps `warning`."""

    cdef object detector

    def __init__(self, detector):
        self.detector = detector
        self.handle = detector_t(<void*> self, python_update, python_reset)

    cdef int call(self, double loss):
        if self.error is not None:
            return QUIET
        try:
            if self.detector.update(loss):
                return ALARM
            return WARNING if getattr(self.detector, "warning", False) else QUIET
        except Exception as error:
            self.error = error
            return QUIET

    cdef void start_afresh(self):
        try:
            self.detector.reset()
        except Exception as error:
            self.error = error


cdef int python_update(void* state, double loss) noexcept nogil:
    with gil:
        return (<PythonDetectorKernel> state).call(loss)


cdef void python_reset(void* state) noexcept nogil:
    with gil:
        (<PythonDetectorKernel> state).start_afresh()
