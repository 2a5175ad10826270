"""The contract of a detector: a subclass writes `update` and `reset`, the base class does the rest."""

import copy
import functools
import sys
from collections.abc import Callable
from typing import Any, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from thalweg._sklearn import BaseEstimator
from thalweg._stateful import Stateful, check_alike
from thalweg._types import Floats, Ints, State
from thalweg.drift._native.base import LARGEST_LOSS, WARNING, DetectorKernel, PythonDetectorKernel

F = TypeVar("F", bound=Callable[..., Any])


class Detector(Stateful, BaseEstimator):
    """Watches a loss, where bigger is worse, and reports when its mean has risen.

    A subclass writes `update` and `reset`, and `warning` if its method warns before an alarm. The loss passed
    to `update` has been checked: it is a float within the range of the method, and no other thread uses the
    detector until `update` returns. Memory is bounded. A falling mean is not an alarm.

    Losses beyond ±1e100 are clipped to ±1e100, so that their squares can be summed. Threads may share a
    detector; their calls run one after another. A call that raises, also by Ctrl-C, leaves a detector that
    works; if compiled code has processed part of the losses, the exception's `rows_learned` is their number.
    """

    lowest: float = -sys.float_info.max
    """The smallest loss allowed."""

    highest: float = sys.float_info.max
    """The largest loss allowed."""

    can_be_saved: bool = True
    """Whether `thalweg.save` can write a learner with this detector."""

    _kind = "detector"

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "update" in vars(cls) and not hasattr(cls.update, "is_safe"):
            cls.update = _checking_update(cls.update)  # type: ignore[assignment, method-assign]
        if "reset" in vars(cls) and not hasattr(cls.reset, "is_safe"):
            cls.reset = _locking_reset(cls.reset)  # type: ignore[assignment, method-assign]

    def update(self, loss: float) -> bool:
        """Process one loss; return whether it gives an alarm."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget all losses."""
        raise NotImplementedError

    @property
    def warning(self) -> bool:
        """Whether the last loss gave a warning; always False if the method has none."""
        return False

    def update_many(self, losses: ArrayLike) -> Ints:
        """Process losses in order; return the positions of the alarms."""
        losses = self._checked(losses)
        with self._own_lock().write:
            return np.array([i for i, loss in enumerate(losses.tolist()) if self.update(loss)], dtype=np.intp)

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; if one of them is unknown, set none. Return self."""
        with self._own_lock().write:
            return self._all_or_nothing(super().set_params, **parameters)

    def _content(self) -> State:
        return {"parameters": copy.deepcopy(self.get_params(deep=False)), "memory": self._state()}

    def _set_content(self, state: State) -> None:
        parameters = copy.deepcopy(state["parameters"])
        check_alike(dict.fromkeys(parameters), dict.fromkeys(self.get_params(deep=False)), "parameters")
        vars(self).update(parameters)
        self._restore(state["memory"])

    def _state(self) -> State:
        others = {*self.get_params(deep=False), "_lock"}
        return {name: copy.deepcopy(value) for name, value in vars(self).items() if name not in others}

    def _restore(self, memory: dict[str, Any]) -> None:
        """Restore what `_state` returned; a subclass may check it first."""
        check_alike(memory, self._state(), "memory")
        vars(self).update(copy.deepcopy(memory))

    def _handle(self) -> DetectorKernel:
        """Return the kernel through which compiled code calls this detector."""
        return PythonDetectorKernel(self)

    def _checked(self, losses: ArrayLike) -> Floats:
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

    def _checked_one(self, loss: Any) -> float:
        try:
            loss = float(loss)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"{self._who}: a loss must be a number, got {loss!r}") from None
        if not self.lowest <= loss <= self.highest:
            self._refuse(loss)
        return loss

    def _refuse(self, loss: float, where: str = "") -> NoReturn:
        kind = "a finite number" if self.highest > 1 else f"between {self.lowest} and {self.highest}"
        raise ValueError(f"{self._who}: a loss must be {kind}, got {loss}{where}")


def _checking_update(update: Callable[[Any, float], bool]) -> Callable[[Any, float], bool]:
    # Wraps the `update` of a detector written in Python: check the loss, hold the lock.
    @functools.wraps(update)
    def checking(self: Any, loss: float) -> bool:
        loss = self._checked_one(loss)
        with self._own_lock().write:
            return update(self, min(max(loss, -LARGEST_LOSS), LARGEST_LOSS))

    checking.is_safe = True  # type: ignore[attr-defined]
    return checking


def _locking_reset(reset: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(reset)
    def locking(self: Any) -> None:
        self._own_lock().renew()
        with self._own_lock().write:
            return reset(self)

    locking.is_safe = True  # type: ignore[attr-defined]
    return locking


def _safe(method: F) -> F:
    # Marks a method that checks and locks by itself.
    method.is_safe = True  # type: ignore[attr-defined]
    return method


class NativeDetector(Detector):
    """A detector whose state is in a kernel (`thalweg.drift._native.base.DetectorKernel`).

    A subclass writes `_make_kernel`. The kernel is made when it is first needed, so that parameters may be
    set until then.
    """

    _kernel: DetectorKernel

    def _make_kernel(self) -> DetectorKernel:
        """Check the parameters and return a new kernel for them."""
        raise NotImplementedError

    @_safe
    def update(self, loss: float) -> bool:
        """Process one loss; return whether it gives an alarm."""
        return self._handle().update(self._checked_one(loss)) == 2

    def update_many(self, losses: ArrayLike) -> Ints:
        """Process losses in order; return the positions of the alarms."""
        return self._handle().update_many(self._checked(losses))

    @_safe
    def reset(self) -> None:
        """Forget all losses."""
        self._own_lock().renew()
        self._handle().reset()

    @property
    def warning(self) -> bool:
        """Whether the last loss gave a warning; always False if the method has none."""
        return self._handle().level == WARNING

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters and reset the detector; if one of them is unknown, do nothing. Return self."""
        with self._own_lock().write:
            super().set_params(**parameters)
            vars(self).pop("_kernel", None)
        return self

    def _state(self) -> State:
        kernel = vars(self).get("_kernel") or self._new_kernel()  # the caller may not write
        return kernel.state()

    def _restore(self, memory: dict[str, Any]) -> None:
        kernel = self._new_kernel()
        kernel.restore(memory)
        self._kernel = kernel

    def _new_kernel(self) -> DetectorKernel:
        kernel = self._make_kernel()
        kernel.lock, kernel.who = self._own_lock(), self._who
        return kernel

    def _handle(self) -> DetectorKernel:
        try:
            return self._kernel
        except AttributeError:
            with self._own_lock().write:
                if "_kernel" not in vars(self):
                    self._kernel = self._new_kernel()
                return self._kernel
