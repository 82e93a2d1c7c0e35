"""Sweeps: evidence and training over a grid of starts, cell by cell, on as many machines as joblib knows."""

from __future__ import annotations

import json
import math
import os
import time
import uuid
from collections import OrderedDict
from typing import Any, Mapping, Sequence

from . import _core
from ._answer import Record
from ._data import as_data
from ._networks import train
from ._numerics import Evidence
from ._progress import Progress, shown
from ._recommend import hidden_widths
from .errors import UsageError

__all__ = ["Experiment", "experiment", "read_experiment", "run_experiment"]

_paper_weights, _paper_biases = (0.4, 1.2, 2.0, 2.8, 3.6), (0.0, 1.0, 2.0)


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        import pandas as frames
    except ImportError:
        try:
            import polars as frames  # type: ignore[no-redef]
        except ImportError:
            raise UsageError("a frame takes pandas or polars: pip install pandas") from None
    return frames.DataFrame(rows)


class Experiment:
    """Finished cells: `cells` is a list of dictionaries, one per start, size and seed."""

    def __init__(self, cells: list[dict[str, Any]]):
        self.cells = cells

    def to_frame(self) -> Any:
        """A pandas frame (polars where there is no pandas)."""
        return _frame(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        sizes = sorted({cell["size"] for cell in self.cells})
        return f"<{len(self.cells)} cells at sizes {', '.join(map(str, sizes))}>"


def experiment(X: Any = "digits", y: Any = None, *, sizes: Sequence[int], target: str | int | None = None,
               weight_variances: Sequence[float] = _paper_weights, bias_variances: Sequence[float] = _paper_biases,
               seeds: int = 1, random_state: int = 1, widths: Sequence[int] | None = None, depth: int | None = None,
               width: int | None = None, activation: str = "relu", noise_variance: float = 1e-6,
               test_fraction: float = 0.2, n_jobs: int | None = None, threads: int = 1,
               reading: Mapping[str, Any] | None = None, **training: Any) -> Experiment:
    """The evidence of every pair of a grid and a network trained from each, for every size and seed.

    Each cell is one joblib task: inside ``joblib.parallel_config(backend="dask")`` they run on a Dask cluster, with
    ``"ray"`` on Ray; otherwise `n_jobs` processes share them. The numbers are those of ``priorfit experiment``, whatever
    runs them. `training` are the options of :func:`priorfit.train`, `threads` those of one cell.

    >>> result = experiment("digits", sizes=[100], weight_variances=[1, 2], bias_variances=[0], widths=[32], epochs=3)
    >>> len(result), sorted(result.cells[0])[:3]
    (2, ['bias_variance', 'log_marginal_likelihood', 'score'])
    """
    try:
        import joblib
    except ImportError:
        raise UsageError("experiment() spreads its cells by joblib: pip install joblib") from None
    for name, values in (("sizes", sizes), ("weight_variances", weight_variances), ("bias_variances", bias_variances)):
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise UsageError(f"{name} is {values!r}: give a list")
    shared = {"token": uuid.uuid4().hex, "X": X, "y": y, "target": target, "test_fraction": test_fraction, "random_state": random_state,
              "widths": hidden_widths(widths, depth, width), "activation": activation,  # type: ignore[arg-type]
              "noise_variance": noise_variance, "threads": threads, "reading": dict(reading or {}),
              "training": {"learning_rate": 1e-3, **training}}
    unknown = set(training) - set(_core.train_keywords())
    if unknown:
        raise UsageError(f"experiment() has no argument '{sorted(unknown)[0]}'")
    cells = [(size, (float(weight), float(bias)), random_state + seed)
             for size in sizes for weight in weight_variances for bias in bias_variances for seed in range(seeds)]
    done = joblib.Parallel(n_jobs=n_jobs)(joblib.delayed(run_cell)(shared, *cell) for cell in cells)
    return Experiment(list(done))


_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()  # of this process: prepared data and evidence engines


def _keep(key: tuple[Any, ...], make: Any) -> Any:
    if key not in _kept:
        _kept[key] = make()
        while len(_kept) > 4:
            _kept.popitem(last=False)
    _kept.move_to_end(key)
    return _kept[key]


def run_cell(shared: dict[str, Any], size: int, pair: tuple[float, float], seed: int) -> dict[str, Any]:
    """One cell, wherever it runs: the evidence of `pair` and a network trained from it."""
    began = time.perf_counter()
    key = (shared["token"], size)
    data = _keep(("data", *key), lambda: as_data(
        shared["X"], shared["y"], target=shared["target"], samples=size, random_state=shared["random_state"],
        test_fraction=shared["test_fraction"], **shared["reading"]))
    evidence = _keep(("evidence", *key), lambda: Evidence(
        data.inputs, data.targets, widths=shared["widths"], activation=shared["activation"],
        threads=shared["threads"]))
    judged = evidence(pair, shared["noise_variance"])
    trained = train(data, start=pair, widths=shared["widths"], activation=shared["activation"], random_state=seed,
                    threads=shared["threads"], progress=False, **shared["training"])
    test = trained.test
    score = test.accuracy if data.task == "classification" else test.rmse
    nats = judged.log_marginal_likelihood
    return {"size": size, "weight_variance": pair[0], "bias_variance": pair[1], "seed": seed,
            "score": score, "train_loss": trained.train.loss,
            "log_marginal_likelihood": nats if math.isfinite(nats) else None, "seconds": time.perf_counter() - began}


class StoredExperiment(Record):
    """What a folder of ``priorfit experiment`` holds, as its JSON; prints its table."""

    def __init__(self, texts: dict[str, str]):
        super().__init__(json.loads(texts["json"]))
        self._table = texts["table"]

    def to_frame(self) -> Any:
        """The rows: which rule chose what at each size, and how good it was."""
        return _frame(self._fields["rows"])

    def __repr__(self) -> str:
        return self._table.rstrip("\n")


def run_experiment(folder: str | os.PathLike[str], specification: str | None = None, *, preset: str | None = None,
                   also: Sequence[str] = (), threads: int = 0, progress: Progress = None) -> StoredExperiment:
    """Runs what a folder's database says is not done yet, as ``priorfit experiment --out`` does. Several processes may
    work on one folder; one that is cut off is continued by the same call. `specification` is TOML, as
    specification.toml of an earlier result; or name a `preset`."""
    if specification is not None and preset is None:
        text = specification
    elif preset is not None and specification is None:
        text = _core.experiment_preset(preset)
    else:
        raise UsageError("give a specification or a preset")
    with shown(progress, "experiment") as show:
        return StoredExperiment(_core.run_experiment(text, os.fspath(folder), list(also), threads, show))


def read_experiment(folder: str | os.PathLike[str]) -> StoredExperiment:
    """What is stored, without running anything."""
    return StoredExperiment(_core.read_experiment(os.fspath(folder)))
