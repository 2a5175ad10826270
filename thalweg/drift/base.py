"""The contract of a detector: `update` and `reset` to write, everything else derived from them."""

import copy
import sys

import numpy as np
from sklearn.base import BaseEstimator

from thalweg._kernels.detector import PythonDetectorKernel
from thalweg.drift import registry

FORMAT = 1


class Detector(BaseEstimator):
    """Watches a loss, bigger is worse, and says when its mean has risen for good.

    A detector writes `update` and `reset`, and `warning` if its method warns before it is sure. Memory is
    bounded. An improvement is no alarm: a detector may take notice of it, but does not report it.
    """

    lowest, highest = -sys.float_info.max, sys.float_info.max
    """The range of losses the method is made for; others are refused."""

    def update(self, loss):
        """Take one loss; return True if this is an alarm."""
        raise NotImplementedError

    def reset(self):
        """Forget all losses."""
        raise NotImplementedError

    @property
    def warning(self):
        """Whether the last loss led to a warning; always False where the method has none."""
        return False

    def update_many(self, losses):
        """Take losses one after another; return the positions of the alarms among them."""
        losses = self._checked(losses)
        return np.array([i for i, loss in enumerate(losses.tolist()) if self.update(loss)], dtype=np.intp)

    def state(self):
        """Return all there is to this detector as a dict of arrays, numbers and strings."""
        return {
            "format": FORMAT,
            "detector": registry.name_of(self),
            "parameters": self.get_params(deep=False),
            "memory": self._state(),
        }

    def restore(self, state):
        """Become the detector whose `state()` this is; return self."""
        if state.get("format") != FORMAT:
            raise ValueError(f"{self._who}: cannot read a state of format {state.get('format')!r}")
        if state["detector"] != registry.name_of(self):
            raise ValueError(f"{self._who}: this is the state of {state['detector']}")
        vars(self).update(copy.deepcopy(state["parameters"]))
        self._restore(state["memory"])
        return self

    def copy(self):
        """Return a detector that knows all this one knows and shares nothing with it."""
        return copy.deepcopy(self)

    def _state(self):
        parameters = self.get_params(deep=False)
        return {name: copy.deepcopy(value) for name, value in vars(self).items() if name not in parameters}

    def _restore(self, memory):
        vars(self).update(copy.deepcopy(memory))

    def _handle(self):
        """Return the kernel through which compiled code calls this detector; here a trampoline."""
        return PythonDetectorKernel(self)

    def _checked(self, losses):
        try:
            losses = np.ascontiguousarray(losses, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self._who}: losses must be numbers: {error}") from None
        if losses.ndim != 1:
            raise ValueError(f"{self._who}: expected losses in one dimension, got shape {losses.shape}")
        good = (losses >= self.lowest) & (losses <= self.highest)
        if not good.all():
            place = int(np.argmin(good))
            self._refuse(losses[place], f" at position {place}")
        return losses

    def _refuse(self, loss, where=""):
        kind = "a finite number" if self.highest > 1 else f"between {self.lowest} and {self.highest}"
        raise ValueError(f"{self._who}: a loss must be {kind}, got {loss}{where}")

    @property
    def _who(self):
        return type(self).__name__

    def __getstate__(self):
        return self.state()

    def __setstate__(self, state):
        self.restore(state)


class NativeDetector(Detector):
    """A detector whose whole state is in a kernel (`thalweg._kernels.detector.DetectorKernel`).

    It writes one method, `_make_kernel`. The kernel is made when it is first needed, so that parameters may
    be set until then.
    """

    def _make_kernel(self):
        """Return a fresh kernel for the parameters, having checked them."""
        raise NotImplementedError

    def update(self, loss):
        """Take one loss; return True if this is an alarm."""
        try:
            loss = float(loss)
        except (TypeError, ValueError):
            raise TypeError(f"{self._who}: a loss must be a number, got {loss!r}") from None
        if not self.lowest <= loss <= self.highest:
            self._refuse(loss)
        return self._handle().update(loss) == 2

    def update_many(self, losses):
        """Take losses one after another; return the positions of the alarms among them."""
        return self._handle().update_many(self._checked(losses))

    def reset(self):
        """Forget all losses."""
        self._handle().reset()

    @property
    def warning(self):
        """Whether the last loss led to a warning; always False where the method has none."""
        return self._handle().level == 1

    def set_params(self, **parameters):
        """Set parameters and start afresh with them."""
        vars(self).pop("_kernel", None)
        return super().set_params(**parameters)

    def _state(self):
        return self._handle().state()

    def _restore(self, memory):
        self._kernel = self._make_kernel()
        self._kernel.restore(memory)

    def _handle(self):
        try:
            return self._kernel
        except AttributeError:
            self._kernel = self._make_kernel()
            return self._kernel
