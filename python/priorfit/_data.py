"""From what users have to what the library reads: arrays, frames, files, names."""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np

from . import _core
from ._arrays import as_array, is_text, matrix
from ._core import Data
from .errors import UsageError

__all__ = ["Data", "as_data"]


def as_data(X: Any = "digits", y: Any = None, *, target: str | int | None = None, samples: int | None = None,
            random_state: int | None = None, **options: Any) -> Data:
    """Reads, draws and preprocesses rows, exactly as the command line does.

    Parameters
    ----------
    X : array, frame, path or name
        Inputs, one row per sample: NumPy arrays, torch and JAX tensors; a pandas or polars frame or anything with the
        Arrow interface; the path of a file that ``priorfit recommend`` reads; or ``"digits"``, ``"mnist"`` and so on.
    y : array, optional
        Targets: numbers, class labels or names.
    target : str, optional
        The column of a frame or table that holds the targets (default: the last).
    samples : int, optional
        Rows to draw without replacement; all of them unless given.
    random_state : int, optional
        Seed of every draw, 1 unless given.
    **options
        ``task``, ``preprocess``, ``test_fraction``; for tables ``ignore``, ``only``, ``categorical``, ``numeric``,
        ``missing``; each as the flag of the same name.

    >>> as_data("digits", samples=100)
    <digits: 100 of 1797 rows, 64 features, classification, 10 outputs>
    >>> import numpy as np
    >>> as_data(np.eye(4), [0.5, 0.1, 0.2, 0.3]).targets.shape
    (4, 1)
    """
    if isinstance(X, Data):
        if y is not None or target is not None or options:
            raise UsageError("the data are prepared already: y, target and options of reading mean nothing now")
        return X if samples is None else _core.draw_rows(X, samples, seed_of(random_state))
    options = {**options, "samples": samples or 0, "seed": seed_of(random_state)}
    if isinstance(X, (str, os.PathLike)):
        if y is not None:
            options["targets"] = os.fspath(y)
        return _core.data_from_source({**options, "source": os.fspath(X), "target": target})
    if is_frame(X):
        return _from_frame(X, y, target, options)
    if target is not None:
        raise UsageError("target names a column of a frame or table; with an array give the targets as y")
    if X is None:
        raise UsageError("X is None: give the inputs, one row per sample")
    if y is None:
        raise UsageError("y is missing: give the targets of X")
    return _from_arrays(X, y, options)


def seed_of(random_state: Any) -> int:
    """scikit-learn's ``random_state`` as a seed: a number, a generator, or None for 1.

    >>> seed_of(None), seed_of(7)
    (1, 7)
    """
    if random_state is None:
        return 1
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    try:
        seed = operator.index(random_state)
    except TypeError:
        seed = -1
    if not 0 <= seed < 2**64:
        raise UsageError(f"random_state is {random_state!r}: give a whole number of at least 0, or a generator of NumPy's")
    return seed


def is_frame(X: Any) -> bool:
    """Whether X has named columns."""
    return (hasattr(type(X), "columns") and hasattr(type(X), "dtypes")) or hasattr(X, "__arrow_c_stream__") \
        or (hasattr(X, "__arrow_c_array__") and not hasattr(X, "__array__"))


def _from_arrays(X: Any, y: Any, options: dict[str, Any]) -> Data:
    inputs, targets = as_array(X), as_array(y)
    names: list[str] = []
    numbers = np.empty((0, 1))
    if is_text(targets):
        names = [str(value) for value in targets.ravel()]
    else:
        numbers = matrix(targets, "y")
    return _core.data_from_arrays(matrix(inputs, "X"), numbers, names, bool(inputs.dtype == np.uint8),
                                  inputs.ndim > 2, targets.dtype.kind in "biu", "X", "y", options)


def _from_frame(frame: Any, y: Any, target: str | int | None, options: dict[str, Any]) -> Data:
    frame = _known_frame(frame)
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"the frame has two columns '{twice}'; columns are found by name")
    if y is not None:
        if target is not None:
            raise UsageError("the targets are given twice, as y and as target")
        target = str(getattr(y, "name", None) or "y")
        if target in names:
            raise UsageError(f"the frame has a column '{target}' already: rename y, or give target='{target}'")
        frame = _with_column(frame, target, y)
        names.append(target)
    categorical = [*(options.get("categorical") or []), *_categories(frame)]
    options = {**options, "source": "frame", "target": target, "header": True, "separator": ",", "decimal": ".",
               "categorical": [name for name in categorical if name != target]}
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    return _core.data_from_table((header + "\n" + _rows_as_text(frame)).encode(), options)


def _known_frame(frame: Any) -> Any:
    """A pandas or polars frame of it; others hand over their columns by the Arrow interface."""
    if type(frame).__module__.partition(".")[0] in ("pandas", "polars"):
        return frame.collect() if type(frame).__name__ == "LazyFrame" else frame
    try:
        import polars
    except ImportError:
        try:
            import pyarrow
        except ImportError:
            raise UsageError(f"reading a {type(frame).__name__} by the Arrow interface takes polars or pyarrow: "
                             "pip install polars") from None
        return pyarrow.table(frame).to_pandas()
    return polars.DataFrame(frame)


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.partition(".")[0] == "pandas"


def _with_column(frame: Any, name: str, values: Any) -> Any:
    values = as_array(values)
    if len(values) != len(frame):
        raise UsageError(f"y has {len(values)} rows but X has {len(frame)}")
    if _is_pandas(frame):
        return frame.assign(**{name: values})
    import polars
    return frame.with_columns(polars.Series(name, values))


def _categories(frame: Any) -> list[str]:
    """Columns that are categories by type, whatever their levels look like."""
    if _is_pandas(frame):
        return [str(name) for name, kind in frame.dtypes.items() if str(kind) == "category"]
    return [name for name, kind in frame.schema.items() if str(kind).startswith(("Categorical", "Enum"))]


def _rows_as_text(frame: Any) -> str:
    """Numbers with every digit they have, missing values empty, dates as year-month-day."""
    if _is_pandas(frame):
        return frame.to_csv(index=False, header=False)
    return frame.write_csv(include_header=False, datetime_format="%Y-%m-%d %H:%M:%S")
