"""What priorfit raises. Each is also an exception that Python users already catch."""

__all__ = ["PriorfitError", "UsageError", "DataError", "NumericalError", "InputOutputError", "ResourceError",
           "Interrupted", "InternalError"]


class PriorfitError(Exception):
    """Every error of priorfit.

    >>> import priorfit
    >>> try:
    ...     priorfit.recommend([[1.0], [2.0]], [1.0, 2.0], activation="rellu")
    ... except ValueError as error:
    ...     print(isinstance(error, priorfit.PriorfitError), "relu" in str(error))
    True True
    """


class UsageError(PriorfitError, ValueError):
    """An argument breaks a documented rule; the message names the argument."""


class DataError(PriorfitError, ValueError):
    """A file or array does not hold what it should; the message names the place in it."""


class NumericalError(PriorfitError, ValueError):
    """The computation has no finite answer."""


class InputOutputError(PriorfitError, OSError):
    """Reading or writing failed for a reason outside the data."""


class ResourceError(PriorfitError, MemoryError):
    """There is not enough memory for the request."""


class Interrupted(PriorfitError, RuntimeError):
    """The work was told to stop."""


class InternalError(PriorfitError, RuntimeError):
    """A bug in priorfit."""
