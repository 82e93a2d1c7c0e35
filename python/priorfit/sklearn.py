"""Estimators for scikit-learn: Gaussian processes of wide networks, and networks that start where it is recommended.

    from priorfit.sklearn import NNGPRegressor, PriorfitMLPClassifier
    model = make_pipeline(StandardScaler(), NNGPRegressor(depth=2)).fit(X, y)
    mean, deviation = model.predict(X_new, return_std=True)
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._answer import Answer, Initialisation
from ._data import as_data
from ._numerics import Evidence
from ._recommend import hidden_widths, recommend

try:
    from sklearn.utils.validation import validate_data as _validate
except ImportError:  # before 1.6

    def _validate(estimator: Any, *arguments: Any, **options: Any) -> Any:
        return estimator._validate_data(*arguments, **options)


__all__ = ["NNGPClassifier", "NNGPRegressor", "PriorfitMLPClassifier", "PriorfitMLPRegressor"]


class _SeveralOutputs:
    """Tells scikit-learn, before 1.6 and since, that y may have several columns."""

    def _more_tags(self) -> dict[str, Any]:
        return {"multioutput": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.multi_output = True
        return tags


def _inputs(estimator: Any, X: Any) -> np.ndarray:
    check_is_fitted(estimator)
    return np.ascontiguousarray(_validate(estimator, X, dtype=np.float64, reset=False))


def _classes(estimator: Any, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and labels 0, 1, … in the order of classes_, which is set."""
    X, y = _validate(estimator, X, y, dtype=np.float64)
    check_classification_targets(y)
    encoder = LabelEncoder().fit(y)
    estimator.classes_ = encoder.classes_
    if len(encoder.classes_) < 2:
        raise ValueError(f"y holds 1 class only, {encoder.classes_[0]!r}; a classifier needs two")
    return X, encoder.transform(y)


def _largest_probabilities(mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """P(output c is the largest) for independent outputs N(mean, deviation²): rows × classes."""
    from scipy.special import log_ndtr
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    spread = np.maximum(deviation, 1e-12)[:, None, None]
    gaps = (mean[:, :, None] - mean[:, None, :]) / spread  # of class c over class k
    probabilities = np.zeros_like(mean)
    for node, weight in zip(nodes, weights):
        terms = log_ndtr(gaps + node)
        terms[:, np.arange(mean.shape[1]), np.arange(mean.shape[1])] = 0.0
        probabilities += weight * np.exp(terms.sum(axis=2))
    return probabilities / probabilities.sum(axis=1, keepdims=True)


class _NNGP(BaseEstimator):
    """What the two Gaussian processes share."""

    def __init__(self, depth: int = 1, activation: str = "relu", weight_variance: float = 2.0,
                 bias_variance: float = 0.1, noise_variance: float = 1e-2, optimizer: str | None = "evidence",
                 threads: int = 0):
        self.depth = depth
        self.activation = activation
        self.weight_variance = weight_variance
        self.bias_variance = bias_variance
        self.noise_variance = noise_variance
        self.optimizer = optimizer
        self.threads = threads

    def _fit(self, X: np.ndarray, targets: np.ndarray) -> None:
        if self.optimizer not in ("evidence", None):
            raise ValueError(f"optimizer is {self.optimizer!r}: give 'evidence', or None to keep the variances")
        self.X_train_ = np.ascontiguousarray(X)
        self._targets = np.ascontiguousarray(targets)
        self.weight_variance_ = self.weight_variance
        self.bias_variance_ = self.bias_variance
        self.noise_variance_ = self.noise_variance
        varied = len(X) > 2 and np.ptp(targets, axis=0).min() > 0 and np.ptp(X) > 0
        if self.optimizer == "evidence" and varied:
            best = recommend(self.X_train_, self._targets.astype(np.float64), depth=self.depth, task="regression",
                             preprocess="none", raw_targets=True, activation=self.activation, criterion="evidence",
                             noise="fit", risk_samples=0, also=[], threads=self.threads, progress=False).recommended
            self.weight_variance_ = best.weight_variance
            self.bias_variance_ = best.bias_variance
            self.noise_variance_ = best.noise_variance
        self._make()

    def _make(self) -> None:
        self._posterior = _core.Posterior(self.X_train_, self._targets, [1] * self.depth, self.activation,
                                          [(self.weight_variance_, self.bias_variance_)], self.noise_variance_,
                                          self.threads)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__() if hasattr(super(), "__getstate__") else dict(self.__dict__)
        return {name: value for name, value in state.items() if name != "_posterior"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "X_train_" in state:
            self._make()

    def log_marginal_likelihood(self, weight_variance: float | None = None, bias_variance: float | None = None,
                                noise_variance: float | None = None, *, eval_gradient: bool = False) -> Any:
        """The evidence of the training targets (as they were scaled), at the fitted variances unless others are given;
        with `eval_gradient` also its derivatives in the three variances."""
        check_is_fitted(self)
        pair = (self.weight_variance_ if weight_variance is None else weight_variance,
                self.bias_variance_ if bias_variance is None else bias_variance)
        noise = self.noise_variance_ if noise_variance is None else noise_variance
        engine = Evidence(self.X_train_, self._targets, depth=self.depth, activation=self.activation,
                          threads=self.threads)
        if not eval_gradient:
            return engine(pair, noise).log_marginal_likelihood
        slopes = engine.gradient(pair, noise)
        return slopes.log_marginal_likelihood, np.array(
            [slopes.by_weight_variance, slopes.by_bias_variance, slopes.by_noise_variance])


class NNGPRegressor(_SeveralOutputs, RegressorMixin, _NNGP):
    """Gaussian-process regression with the covariance of an infinitely wide random network.

    Parameters
    ----------
    depth : int
        Hidden layers.
    activation : str
        Of the network; :func:`priorfit.activations` lists them.
    weight_variance, bias_variance, noise_variance : float
        Of the prior and of the observations; where the search begins or, with ``optimizer=None``, what is used.
    optimizer : "evidence" or None
        Whether the variances are fitted by the marginal likelihood.
    normalize_y : bool
        Whether targets are brought to mean 0 and variance 1 first.
    threads : int
        0: as many as OpenMP gives.

    >>> from sklearn.datasets import make_regression
    >>> X, y = make_regression(80, 3, noise=1.0, random_state=0)
    >>> model = NNGPRegressor().fit(X[:60], y[:60])
    >>> mean, deviation = model.predict(X[60:], return_std=True)
    >>> model.score(X[60:], y[60:]) > 0.95, deviation.shape
    (True, (20,))
    """

    def __init__(self, depth: int = 1, activation: str = "relu", weight_variance: float = 2.0,
                 bias_variance: float = 0.1, noise_variance: float = 1e-2, optimizer: str | None = "evidence",
                 normalize_y: bool = True, threads: int = 0):
        super().__init__(depth, activation, weight_variance, bias_variance, noise_variance, optimizer, threads)
        self.normalize_y = normalize_y

    def fit(self, X: Any, y: Any) -> NNGPRegressor:
        """Learns the samples."""
        X, y = _validate(self, X, y, dtype=np.float64, y_numeric=True, multi_output=True)
        y = y.astype(np.float64)
        self._one_column = y.ndim == 1
        y = y.reshape(len(y), -1)
        self._shift = y.mean(axis=0) if self.normalize_y else np.zeros(y.shape[1])
        scale = y.std(axis=0) if self.normalize_y else np.ones(y.shape[1])
        self._scale = np.where(scale > 0, scale, 1.0)
        self._fit(X, (y - self._shift) / self._scale)
        return self

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Mean, and the standard deviation of an observation (noise included) or the covariance of the function."""
        if return_std and return_cov:
            raise ValueError("return_std and return_cov are both asked for: choose one")
        X = _inputs(self, X)
        mean, variance = self._posterior.predict(X)
        mean = self._shift + self._scale * mean
        if self._one_column:
            mean = mean[:, 0]
        if return_std:
            deviation = np.sqrt(np.maximum(variance, 0.0) + self.noise_variance_)
            return mean, deviation * self._scale[0] if self._one_column else deviation[:, None] * self._scale
        if return_cov:
            covariance = self._posterior.covariance(X)
            return mean, covariance * self._scale[0] ** 2 if self._one_column else \
                covariance[:, :, None] * self._scale**2
        return mean


class NNGPClassifier(ClassifierMixin, _NNGP):
    """Classification by Gaussian-process regression on classes encoded as 1 − 1/C and −1/C.

    Parameters are those of :class:`NNGPRegressor`. Probabilities are those of each class's output being the largest.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NNGPClassifier(weight_variance=1.5).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.93
    True
    """

    def fit(self, X: Any, y: Any) -> NNGPClassifier:
        """Learns the samples."""
        X, labels = _classes(self, X, y)
        self._fit(X, np.eye(len(self.classes_))[labels] - 1.0 / len(self.classes_))
        return self

    def _outputs(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        return self._posterior.predict(_inputs(self, X))

    def decision_function(self, X: Any) -> np.ndarray:
        """The mean of each class's output; of two classes their difference."""
        check_is_fitted(self)
        mean = self._outputs(X)[0]
        return mean[:, 1] - mean[:, 0] if len(self.classes_) == 2 else mean

    def predict(self, X: Any) -> np.ndarray:
        """The class whose output is largest."""
        check_is_fitted(self)
        return self.classes_[self._outputs(X)[0].argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """rows × classes."""
        check_is_fitted(self)
        mean, variance = self._outputs(X)
        return _largest_probabilities(mean, np.sqrt(np.maximum(variance, 0.0) + self.noise_variance_))


class _PriorfitMLP(BaseEstimator):
    """What the two networks share."""

    def __init__(self, hidden_layer_sizes: int | tuple[int, ...] = (100,), activation: str = "relu",
                 start: Any = "recommended", criterion: str = "trained-risk", epochs: int = 200, batch: int = 32,
                 loss: str | None = None, optimizer: str = "adam", learning_rate: float | None = None,
                 weight_decay: float = 0.0, validation_fraction: float = 0.0, patience: int = 10,
                 standardize: bool = True, random_state: Any = None, threads: int = 0):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.start = start
        self.criterion = criterion
        self.epochs = epochs
        self.batch = batch
        self.loss = loss
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.standardize = standardize
        self.random_state = random_state
        self.threads = threads

    def _widths(self) -> list[int]:
        """A single number is one hidden layer, as for scikit-learn's own networks."""
        sizes = self.hidden_layer_sizes
        return hidden_widths([sizes] if isinstance(sizes, numbers.Integral) else sizes)  # type: ignore[arg-type]

    def _start_for(self, data: _core.Data) -> Initialisation:
        widths = self._widths()
        if isinstance(self.start, Answer):
            return self.start.initialisation
        if isinstance(self.start, Initialisation):
            return self.start
        if self.start != "recommended":
            return Initialisation.named(self.start, features=data.features, widths=widths, outputs=data.outputs)
        self.answer_ = recommend(data, widths=widths, activation=self.activation, criterion=self.criterion,
                                 threads=self.threads, progress=False)
        return self.answer_.initialisation

    def _fit(self, X: np.ndarray, y: np.ndarray, task: str) -> None:
        seed = int(check_random_state(self.random_state).randint(1, 2**31 - 1))
        self._shift = X.mean(axis=0) if self.standardize else np.zeros(X.shape[1])
        scale = X.std(axis=0) if self.standardize else np.ones(X.shape[1])
        self._scale = np.where(scale > 0, scale, 1.0)
        data = as_data(self._scaled(X), y, task=task, preprocess="none", random_state=seed)
        self.initialisation_ = self._start_for(data)
        network = self.initialisation_.draw(X.shape[1], self._widths(), data.outputs,
                                            activation=self.activation, seed=seed)
        options = {"epochs": self.epochs, "batch": self.batch, "loss": self.loss, "optimizer": self.optimizer,
                   "learning_rate": self.learning_rate, "weight_decay": self.weight_decay,
                   "validation_fraction": self.validation_fraction, "patience": self.patience, "seed": seed}
        network = network.train(data, options, self.threads)[0]
        self.coefs_ = [np.array(weights) for weights in network.parameters[::2]]
        self.intercepts_ = [np.array(bias) for bias in network.parameters[1::2]]
        self.n_iter_ = self.epochs

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        return (X - self._shift) / self._scale

    def _outputs(self, X: Any) -> np.ndarray:
        X = _inputs(self, X)
        parameters = [array for pair in zip(self.coefs_, self.intercepts_) for array in pair]
        return _core.Network.from_parameters(parameters, self.activation)(self._scaled(X), self.threads)


class PriorfitMLPRegressor(_SeveralOutputs, RegressorMixin, _PriorfitMLP):
    """A network that starts where priorfit recommends and is trained by its engine.

    Parameters
    ----------
    hidden_layer_sizes, activation
        The network.
    start : str, Initialisation or Answer
        ``"recommended"`` for the training data; ``"he"``, ``"lecun"``, ``"glorot"``, ``"keras"``, ``"pytorch"``; or one
        that is there.
    criterion : str
        What is recommended by.
    epochs, batch, loss, optimizer, learning_rate, weight_decay, validation_fraction, patience
        As ``priorfit train`` has them.
    standardize : bool
        Whether inputs are brought to mean 0 and variance 1 first. Targets always are.
    random_state, threads
        Seed of every draw; threads, 0 for all.

    >>> from sklearn.datasets import make_regression
    >>> X, y = make_regression(100, 4, random_state=0)
    >>> model = PriorfitMLPRegressor((32,), random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9, len(model.initialisation_.layers)
    (True, 2)
    """

    def fit(self, X: Any, y: Any) -> PriorfitMLPRegressor:
        """Recommends, draws, trains."""
        X, y = _validate(self, X, y, dtype=np.float64, y_numeric=True, multi_output=True)
        y = y.astype(np.float64)
        self._one_column = y.ndim == 1
        y = y.reshape(len(y), -1)
        self._target_shift = y.mean(axis=0)
        scale = y.std(axis=0)
        if len(y) < 2 or scale.max() == 0:
            raise ValueError(f"y has {len(y)} sample(s) and does not vary: there is nothing to learn")
        self._target_scale = np.where(scale > 0, scale, 1.0)
        self._fit(X, (y - self._target_shift) / self._target_scale, "regression")
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The network's answer in the units of y."""
        check_is_fitted(self)
        values = self._target_shift + self._target_scale * self._outputs(X)
        return values[:, 0] if self._one_column else values


class PriorfitMLPClassifier(ClassifierMixin, _PriorfitMLP):
    """A network that starts where priorfit recommends and is trained by its engine.

    Parameters are those of :class:`PriorfitMLPRegressor`; the loss is cross-entropy unless ``"squared"`` is asked for.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PriorfitMLPClassifier((32,), epochs=60, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def fit(self, X: Any, y: Any) -> PriorfitMLPClassifier:
        """Recommends, draws, trains."""
        X, labels = _classes(self, X, y)
        self._fit(X, labels, "classification")
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The network's outputs; of two classes their difference."""
        check_is_fitted(self)
        outputs = self._outputs(X)
        return outputs[:, 1] - outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> np.ndarray:
        """The class whose output is largest."""
        check_is_fitted(self)
        return self.classes_[self._outputs(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """rows × classes: the softmax of the outputs."""
        check_is_fitted(self)
        outputs = self._outputs(X)
        powers = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)
