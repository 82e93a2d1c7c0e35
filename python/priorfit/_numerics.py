"""The lower level: kernels, evidence, predictions of training, phases."""

from __future__ import annotations

import json
from typing import Any, Sequence

import numpy as np

from . import _core
from ._answer import Initialisation, Record
from ._arrays import as_array, matrix
from ._data import as_data
from ._recommend import hidden_widths
from ._targets import are_classes
from .errors import UsageError

__all__ = ["Evidence", "activations", "covariance", "critical_weight_variance", "phase", "signal", "tangent_kernel",
           "trained_risk"]

Start = Any  # Initialisation, (weight variance, bias variance), or one such pair per layer


def _pairs(start: Start) -> list[tuple[float, float]]:
    """
    >>> _pairs((2.0, 0.0)), _pairs([(2.0, 0.0), (1.0, 0.1)])
    ([(2.0, 0.0)], [(2.0, 0.0), (1.0, 0.1)])
    """
    if isinstance(start, Initialisation):
        return start.pairs()
    if hasattr(start, "initialisation"):
        return start.initialisation.pairs()
    try:
        pair = tuple(start)
        if len(pair) == 2 and all(np.isscalar(value) for value in pair):
            return [(float(pair[0]), float(pair[1]))]
        return [(float(weight), float(bias)) for weight, bias in pair]
    except (TypeError, ValueError):
        raise UsageError(f"start is {start!r}: give (weight variance, bias variance), one such pair per layer, or an "
                         "Initialisation, such as Initialisation.named('he', …)") from None


def activations() -> list[str]:
    """The activations that are known by name.

    >>> "gelu" in activations()
    True
    """
    return _core.activations()


def covariance(X: Any, start: Start = (2.0, 0.0), other: Any = None, *, widths: Sequence[int] | None = None,
               depth: int | None = None, activation: str = "relu", threads: int = 0) -> np.ndarray:
    """The covariance of an infinitely wide random network's outputs (its NNGP kernel), between the rows of X, or
    between those of X and those of `other`.

    `start` is an :class:`Initialisation`, one pair (σ_w², σ_b²), or a pair per layer; with `other`, one pair. A float64
    array in C order is read in place.

    >>> import numpy as np
    >>> covariance(np.eye(2), (2.0, 0.0)).round(6).tolist()
    [[1.0, 0.31831], [0.31831, 1.0]]
    >>> covariance(np.eye(2), (2.0, 0.0), np.ones((1, 2))).shape
    (2, 1)
    """
    network = hidden_widths(widths, depth, None)
    pairs = _pairs(start)
    rows = matrix(X, "X")
    if other is None:
        return _core.covariance(rows, network, activation, pairs, threads)
    if len(set(pairs)) != 1:
        raise UsageError("start has different layers; between two sets of rows give one pair")
    return _core.cross_covariance(rows, matrix(other, "other"), network, activation, pairs[0], threads)


def tangent_kernel(X: Any, start: Start = (2.0, 0.0), *, widths: Sequence[int] | None = None, depth: int | None = None,
                   width: int | None = None, activation: str = "relu", threads: int = 0) -> np.ndarray:
    """The neural tangent kernel of one output in the standard parameterisation, for layers as wide as `widths` says.

    >>> import numpy as np
    >>> tangent_kernel(np.eye(2), (2.0, 0.0), widths=[10]).diagonal().tolist()
    [8.0, 8.0]
    """
    return _core.tangent_kernel(matrix(X, "X"), hidden_widths(widths, depth, width), activation, _pairs(start), threads)


def _targets(y: Any) -> tuple[np.ndarray, bool]:
    """Targets as rows × outputs, and whether they are classes: integers and names are encoded as 1 − 1/C and −1/C."""
    values = as_array(y)
    if are_classes(values):
        classes, labels = np.unique(values, return_inverse=True)
        return np.eye(len(classes))[labels] - 1.0 / len(classes), True
    return matrix(values, "y"), False


class Evidence:
    """The marginal likelihood of targets under the random network's prior, at any number of priors.

    Holds what does not depend on the prior; X and y are read in place where they are float64 in C order. y are numbers,
    or integers or names of classes.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(30, 4))
    >>> evidence = Evidence(X, X[:, 0] ** 2)
    >>> here = evidence((2.0, 0.1), 1e-2)
    >>> step = evidence((2.0 + 1e-6, 0.1), 1e-2)
    >>> slope = evidence.gradient((2.0, 0.1), 1e-2).by_weight_variance
    >>> bool(abs((step.log_marginal_likelihood - here.log_marginal_likelihood) / 1e-6 - slope) < 1e-4 * abs(slope))
    True
    """

    def __init__(self, X: Any, y: Any, *, widths: Sequence[int] | None = None, depth: int | None = None,
                 activation: str = "relu", threads: int = 0):
        self._engine = _core.EvidenceEngine(matrix(X, "X"), _targets(y)[0], hidden_widths(widths, depth, None),
                                            activation, threads)

    def __call__(self, start: Start, noise_variance: float = 1e-6, *, leave_one_out: bool = False) -> Record:
        """``log_marginal_likelihood`` in nats, ``per_value``, ``status``, ``jitter``, ``leave_one_out``."""
        return Record(self._engine.evaluate(_pairs(start), noise_variance, leave_one_out))

    def gradient(self, start: Start, noise_variance: float = 1e-6) -> Record:
        """The same with exact derivatives: ``by_weight_variance``, ``by_bias_variance``, ``by_noise_variance`` of all
        layers moved together, and ``by_layer``."""
        return Record(self._engine.gradient(_pairs(start), noise_variance))


def trained_risk(X: Any, y: Any, start: Start = (2.0, 0.0), *, widths: Sequence[int] | None = None,
                 depth: int | None = None, width: int | None = None, activation: str = "relu", optimizer: str = "adam",
                 ridge: float = 1e-3, steps: float | None = None, learning_rate: float | None = None,
                 threads: int = 0) -> Record:
    """What a network trained from `start` will do, without training it: ``error``, its ``standard_error``,
    ``data_error``, ``initialisation_error``, and ``accuracy`` of classes.

    >>> data = as_data("digits", samples=200)
    >>> risk = trained_risk(data.inputs, data.labels, (1.0, 0.0), widths=[512])
    >>> bool(0.5 < risk.accuracy < 1.0)
    True
    """
    targets, classification = _targets(y)
    if steps is not None and optimizer == "adam":
        optimizer = "gradient-descent"
    return Record(_core.trained_risk(matrix(X, "X"), targets, classification, hidden_widths(widths, depth, width),
                                     activation, _pairs(start), optimizer, ridge, steps, learning_rate, threads))


def signal(activation: str, weight_variance: float, bias_variance: float = 0.0) -> Record:
    """How a signal travels through many layers: ``phase``, ``fixed_point``, ``chi``, ``depth_scale``.

    >>> signal("relu", 2.0).phase
    'critical'
    """
    return Record(_core.signal(activation, weight_variance, bias_variance))


def critical_weight_variance(activation: str, bias_variance: float = 0.0) -> float | None:
    """The σ_w² at which signals and gradients keep their size over many layers; None where there is none.

    >>> round(critical_weight_variance("tanh", 0.05), 5)
    1.76095
    """
    return _core.critical_weight_variance(activation, bias_variance)


class PhaseMap(Record):
    """The phases over a grid, as ``priorfit phase`` prints them."""

    def __init__(self, texts: dict[str, str]):
        super().__init__(json.loads(texts["json"]))
        self._table = texts["table"]

    def __repr__(self) -> str:
        return self._table.rstrip("\n")


def phase(activation: str = "relu", *, depth: int = 20, weight_variances: Sequence[float] = (),
          bias_variances: Sequence[float] = ()) -> PhaseMap:
    """The mean-field phase map of an activation.

    >>> phase("tanh", weight_variances=[1, 2], bias_variances=[0, 0.1]).network.activation
    'tanh'
    """
    return PhaseMap(_core.phase(activation, depth, list(weight_variances), list(bias_variances)))
