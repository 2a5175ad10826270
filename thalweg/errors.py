"""The errors thalweg raises on purpose, in one tree."""


class ThalwegError(Exception):
    """Base of all errors of this library."""


class ParameterError(ThalwegError, ValueError, TypeError):
    """A parameter of a learner or detector has a value it cannot have."""


class StateError(ThalwegError, ValueError):
    """A saved state does not fit the learner or detector, or is damaged."""


class WaitingError(ThalwegError, ValueError):
    """A row does not wait for its label, waits already, or there is no place for it."""
