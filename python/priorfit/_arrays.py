"""Whatever holds numbers, as float64 arrays in C order: without a copy where it is one already."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import UsageError


def as_array(values: Any) -> np.ndarray:
    """A NumPy array of any type that shares memory with `values` where it can: NumPy, torch, JAX, lists.

    >>> import numpy as np
    >>> x = np.zeros((3, 2))
    >>> as_array(x) is x
    True
    """
    if isinstance(values, np.ndarray):
        return values
    if type(values).__module__.partition(".")[0] == "torch":  # its own conversion does not take part in gradients
        values = values.detach().cpu()
        return values.float().numpy() if str(values.dtype) == "torch.bfloat16" else values.numpy()
    return np.asarray(values)


def matrix(values: Any, name: str) -> np.ndarray:
    """rows × columns of float64; further dimensions are laid out one after another.

    >>> matrix([1, 2, 3], "y").shape
    (3, 1)
    """
    array = as_array(values)
    if array.ndim == 0:
        raise UsageError(f"{name} is a single number; give one row per sample")
    if len(array) == 0:
        raise UsageError(f"{name} has no rows")
    if array.dtype.kind not in "biuf" and array.dtype.kind != "O":
        raise UsageError(f"{name} holds {array.dtype}; it must hold numbers")
    if array.ndim != 2:
        array = array.reshape(len(array), -1)
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} holds something that is not a number: {error}") from None


def is_text(array: np.ndarray) -> bool:
    """Whether an array holds names."""
    return array.dtype.kind in "US" or (array.dtype.kind == "O" and any(isinstance(v, str) for v in array.flat))
