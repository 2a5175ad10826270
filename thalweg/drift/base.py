"""The contract of a detector: `update` and `reset` to write, everything else derived from them."""

import copy
import functools
import sys

import numpy as np
from sklearn.base import BaseEstimator

from thalweg._kernels.detector import LARGEST_LOSS, WARNING, PythonDetectorKernel
from thalweg._kernels.lock import Lock
from thalweg._saved import check_alike, naming
from thalweg.drift import registry
from thalweg.errors import StateError

FORMAT = 1


class Detector(BaseEstimator):
    """Watches a loss, bigger is worse, and says when its mean has risen for good.

    A detector writes `update` and `reset`, and `warning` if its method warns before it is sure. What `update`
    is given has been checked: it is a float within the range of the method, and no other thread uses the
    detector until it returns. Memory is bounded. An improvement is no alarm: a detector may react to it, but
    does not report it.

    Losses beyond ±1e100 are taken as ±1e100, so that their squares can be summed. Any thread may call a
    detector; one call is done after the other. A call that fails, by Ctrl-C too, leaves a detector that
    works; where compiled code processed part of the losses, the exception's `rows_learned` says how many.
    """

    lowest, highest = -sys.float_info.max, sys.float_info.max
    """The range of losses the method is made for; others are refused."""

    def __init_subclass__(cls, **keywords):
        super().__init_subclass__(**keywords)
        if "update" in vars(cls) and not hasattr(cls.update, "is_safe"):
            cls.update = _checking_update(cls.update)
        if "reset" in vars(cls) and not hasattr(cls.reset, "is_safe"):
            cls.reset = _locking_reset(cls.reset)

    def update(self, loss):
        """Process one loss; return True if this is an alarm."""
        raise NotImplementedError

    def reset(self):
        """Forget all losses."""
        raise NotImplementedError

    @property
    def warning(self):
        """Whether the last loss led to a warning; always False where the method has none."""
        return False

    def update_many(self, losses):
        """Process losses one after another; return the positions of the alarms among them."""
        losses = self._checked(losses)
        with self._own_lock().write:
            return np.array([i for i, loss in enumerate(losses.tolist()) if self.update(loss)], dtype=np.intp)

    def set_params(self, **parameters):
        """Set parameters; all of them or, if one is unknown, none."""
        with self._own_lock().write:
            return self._all_or_nothing(super().set_params, **parameters)

    def state(self):
        """Return all there is to this detector as a dict of arrays, numbers and strings."""
        with self._own_lock().write:  # it may have to make its kernel
            return {
                "format": FORMAT,
                "detector": registry.name_of(self),
                "parameters": copy.deepcopy(self.get_params(deep=False)),
                "memory": self._state(),
            }

    def restore(self, state):
        """Become the detector whose `state()` this is; return self.

        Raises StateError if the state is damaged or another detector's; this one is then as it was.
        """
        self._own_lock().renew()
        with self._lock.write:
            return self._all_or_nothing(self._become, state)

    def _become(self, state):
        self._check_header(state)
        with naming(self._who):
            parameters = copy.deepcopy(state["parameters"])
            check_alike(dict.fromkeys(parameters), dict.fromkeys(self.get_params(deep=False)), "parameters")
            vars(self).update(parameters)
            self._restore(state["memory"])
        return self

    def _check_header(self, state):
        if not isinstance(state, dict):
            raise StateError(f"{self._who}: a state is a dict, got {type(state).__name__}")
        if state.get("format") != FORMAT:
            raise StateError(f"{self._who}: cannot read a state of format {state.get('format')!r}")
        if state.get("detector") != registry.name_of(self):
            raise StateError(f"{self._who}: this is the state of {state.get('detector')}")

    def copy(self):
        """Return a detector that knows all this one knows and shares nothing with it."""
        return copy.deepcopy(self)

    def _state(self):
        others = {*self.get_params(deep=False), "_lock"}
        return {name: copy.deepcopy(value) for name, value in vars(self).items() if name not in others}

    def _restore(self, memory):
        """Replace what was learned by what `_state` returned; a detector may first check it."""
        check_alike(memory, self._state(), "memory")
        vars(self).update(copy.deepcopy(memory))

    def _own_lock(self):
        # An attribute that neither parameters nor states know; the first of two threads makes it.
        return vars(self).get("_lock") or vars(self).setdefault("_lock", Lock())

    def _all_or_nothing(self, change, *arguments, **keywords):
        """Call `change`, which replaces attributes; if it fails, put back those of before."""
        before = vars(self).copy()
        try:
            return change(*arguments, **keywords)
        except BaseException:
            self.__dict__ = before
            raise

    def _handle(self):
        """Return the kernel through which compiled code calls this detector; here a trampoline."""
        return PythonDetectorKernel(self)

    def _checked(self, losses):
        try:
            losses = np.asarray(losses, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self._who}: losses must be numbers: {error}") from None
        if losses.ndim != 1:
            raise ValueError(f"{self._who}: expected losses in one dimension, got shape {losses.shape}")
        good = (losses >= self.lowest) & (losses <= self.highest)
        if not good.all():
            place = int(np.argmin(good))
            self._refuse(losses[place], f" at position {place}")
        return losses

    def _checked_one(self, loss):
        try:
            loss = float(loss)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"{self._who}: a loss must be a number, got {loss!r}") from None
        if not self.lowest <= loss <= self.highest:
            self._refuse(loss)
        return loss

    def _refuse(self, loss, where=""):
        kind = "a finite number" if self.highest > 1 else f"between {self.lowest} and {self.highest}"
        raise ValueError(f"{self._who}: a loss must be {kind}, got {loss}{where}")

    @property
    def _who(self):
        return type(self).__name__

    def __getstate__(self):
        return self.state()

    def __setstate__(self, state):
        vars(self).update(vars(type(self)()))
        self.restore(state)


def _checking_update(update):
    # The `update` of a detector written in Python: the loss is checked and nobody else uses the detector.
    @functools.wraps(update)
    def checking(self, loss):
        loss = self._checked_one(loss)
        with self._own_lock().write:
            return update(self, min(max(loss, -LARGEST_LOSS), LARGEST_LOSS))

    checking.is_safe = True
    return checking


def _locking_reset(reset):
    @functools.wraps(reset)
    def locking(self):
        self._own_lock().renew()
        with self._own_lock().write:
            return reset(self)

    locking.is_safe = True
    return locking


def _safe(method):
    # A method that checks and locks by itself.
    method.is_safe = True
    return method


class NativeDetector(Detector):
    """A detector whose whole state is in a kernel (`thalweg._kernels.detector.DetectorKernel`).

    It writes one method, `_make_kernel`. The kernel is made when it is first needed, so that parameters may
    be set until then.
    """

    def _make_kernel(self):
        """Return a fresh kernel for the parameters, having checked them."""
        raise NotImplementedError

    @_safe
    def update(self, loss):
        """Process one loss; return True if this is an alarm."""
        return self._handle().update(self._checked_one(loss)) == 2

    def update_many(self, losses):
        """Process losses one after another; return the positions of the alarms among them."""
        return self._handle().update_many(self._checked(losses))

    @_safe
    def reset(self):
        """Forget all losses."""
        self._own_lock().renew()
        self._handle().reset()

    @property
    def warning(self):
        """Whether the last loss led to a warning; always False where the method has none."""
        return self._handle().level == WARNING

    def set_params(self, **parameters):
        """Set parameters and reset the detector; all of them or, if one is unknown, none."""
        with self._own_lock().write:
            super().set_params(**parameters)
            vars(self).pop("_kernel", None)
        return self

    def _state(self):
        return self._handle().state()

    def _restore(self, memory):
        kernel = self._new_kernel()
        kernel.restore(memory)
        self._kernel = kernel

    def _new_kernel(self):
        kernel = self._make_kernel()
        kernel.lock, kernel.who = self._own_lock(), self._who
        return kernel

    def _handle(self):
        try:
            return self._kernel
        except AttributeError:
            with self._own_lock().write:
                if "_kernel" not in vars(self):
                    self._kernel = self._new_kernel()
                return self._kernel
