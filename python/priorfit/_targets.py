"""What y holds, and whether it fits a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import as_array, is_text
from .errors import UsageError


def are_classes(values: np.ndarray) -> bool:
    """Whether they are labels: one whole number or name per row.

    >>> are_classes(np.array([1, 2])), are_classes(np.array(["a", "b"])), are_classes(np.array([0.5, 1.0]))
    (True, True, False)
    """
    return values.ndim == 1 and (is_text(values) or values.dtype.kind in "biu")


def check_targets(y: Any, rows: int, outputs: int) -> None:
    """Whether y fits a model with so many outputs. Classes may be fewer: some rows are not all rows."""
    values = as_array(y)
    if values.ndim == 0 or len(values) != rows:
        raise UsageError(f"y has {values.size if values.ndim == 0 else len(values)} rows but X has {rows}")
    if are_classes(values):
        classes = len(np.unique(values))
        if outputs < classes and not (outputs == 1 and classes == 2):
            raise UsageError(f"the model has {outputs} outputs, y {classes} classes")
    elif values.size != rows * outputs:
        raise UsageError(f"the model has {outputs} outputs, y {values.size // rows} columns")
