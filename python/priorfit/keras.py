"""Initialises Keras 3 models from data, whatever their backend.

    answer = priorfit.recommend(X, y, widths=[256, 256])
    first, second, output = priorfit.keras.initializers(answer)
    keras.layers.Dense(256, activation="relu", **first)

    priorfit.keras.init_(model, X, y)                  # or for a model that is there: reads it, recommends, sets its weights
"""

from __future__ import annotations

import math
from typing import Any

import keras

from . import _core
from ._answer import Answer, Initialisation, LayerPrior
from ._data import is_frame, seed_of
from ._recommend import recommend
from ._targets import check_targets
from .errors import UsageError

__all__ = ["draw_", "init_", "initializers"]

_same_names = {"relu", "tanh", "sigmoid", "gelu", "silu", "elu", "selu", "softplus"}
_passed_over = ("Dropout", "AlphaDropout", "GaussianNoise", "GaussianDropout", "Flatten", "Reshape", "InputLayer")


def initializers(start: Initialisation | Answer, *, seed: int | None = None) -> list[dict[str, Any]]:
    """``kernel_initializer`` and ``bias_initializer`` for each Dense layer in turn, to be passed to it.

    >>> from priorfit import Initialisation
    >>> sorted(initializers(Initialisation.tied(2.0, 0.1, layers=2))[0])
    ['bias_initializer', 'kernel_initializer']
    """
    start = start.initialisation if isinstance(start, Answer) else start
    return [_initializers_of(prior, start.distribution, None if seed is None else seed + 2 * place)
            for place, prior in enumerate(start.layers)]


def _initializers_of(prior: LayerPrior, distribution: str, seed: int | None) -> dict[str, Any]:
    kind = "uniform" if distribution == "uniform" else "untruncated_normal"
    kernel = keras.initializers.VarianceScaling(prior.weight_variance, "fan_in", kind, seed=seed)
    deviation = math.sqrt(prior.bias_variance)
    bias: Any = keras.initializers.Zeros()
    if deviation > 0 and distribution == "uniform":
        limit = math.sqrt(3.0) * deviation
        bias = keras.initializers.RandomUniform(-limit, limit, seed=None if seed is None else seed + 1)
    elif deviation > 0:
        bias = keras.initializers.RandomNormal(0.0, deviation, seed=None if seed is None else seed + 1)
    return {"kernel_initializer": kernel, "bias_initializer": bias}


def init_(model: Any, X: Any, y: Any, *, random_state: int | None = None, **options: Any) -> Answer:
    """Reads a built model of Dense layers, recommends, sets its weights and returns the answer. What it is compared with
    is Keras's default unless `current` says otherwise; `options` are those of :func:`priorfit.recommend`.

    Dropout, Flatten and Reshape are passed over. A model that is no chain of Dense layers with one kind of activation,
    Sequential or of the functional API, is refused, and stays as it is.

    >>> import numpy as np
    >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(16, "tanh"), keras.layers.Dense(1)])
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> answer = init_(model, X, np.sin(X[:, 0]), pilots=10)
    >>> answer.network.widths, answer.network.activation
    ([16], 'tanh')
    """
    dense, activation, notes = _read(model)
    _check_fit(dense, X, y)
    if not all(layer.use_bias for layer in dense):
        options.setdefault("bias_bounds", (0.0, 1e-9))
    options.setdefault("current", "keras")
    answer = recommend(X, y, widths=[layer.units for layer in dense[:-1]], activation=activation,
                       random_state=random_state, **options)
    answer.notes.extend(notes)
    if answer.data.features != dense[0].kernel.shape[0]:
        raise UsageError(f"X has {answer.data.features} features, layer {dense[0].name} takes {dense[0].kernel.shape[0]}")
    draw_(model, answer, random_state=random_state)
    return answer


def draw_(model: Any, start: Initialisation | Answer, *, random_state: int | None = None) -> Any:
    """Sets the weights of the model's Dense layers in their order, to the numbers that ``priorfit init --layout keras``
    draws from the same seed. Returns the model."""
    start = start.initialisation if isinstance(start, Answer) else start
    dense = [layer for layer in _layers(model) if isinstance(layer, keras.layers.Dense)]
    if len(dense) != len(start.layers):
        raise UsageError(f"the model has {len(dense)} Dense layers ({', '.join(layer.name for layer in dense)}), "
                         f"the initialisation {len(start.layers)}")
    for layer in dense:
        if not layer.built:
            raise UsageError(f"layer {layer.name} has no weights yet: build the model, or give it an Input")
    shapes = [tuple(layer.kernel.shape) for layer in dense]
    if any(before[1] != after[0] for before, after in zip(shapes, shapes[1:])):
        raise UsageError("the model's Dense layers do not follow one another; pass initializers() to each of them")
    network = _core.Network.draw([shape[1] for shape in shapes[:-1]], "relu", shapes[0][0], shapes[-1][1],
                                 start.pairs(), start.distribution, seed_of(random_state))
    for layer, weights, bias in zip(dense, network.parameters[::2], network.parameters[1::2]):
        layer.kernel.assign(weights.T)
        if layer.use_bias:
            layer.bias.assign(bias)
    return model


def _layers(model: Any) -> list[Any]:
    """All layers, those of models inside it in their place."""
    found = []
    for layer in model.layers:
        found.extend(_layers(layer) if hasattr(layer, "layers") else [layer])
    return found


def _check_fit(dense: list[Any], X: Any, y: Any) -> None:
    """Before anything is computed, whether rows and targets are such as the model takes and gives."""
    for layer in dense:
        if not layer.built:
            raise UsageError(f"layer {layer.name} has no weights yet: build the model, or give it an Input")
    if is_frame(X) or not hasattr(X, "shape") or len(X.shape) < 2:
        return  # how many features they become shows when they are read
    features = math.prod(X.shape[1:])
    if features != dense[0].kernel.shape[0]:
        raise UsageError(f"X has {features} features, layer {dense[0].name} takes {dense[0].kernel.shape[0]}")
    check_targets(y, X.shape[0], dense[-1].units)


def _check_chain(model: Any) -> None:
    """Refuses what has branches, or hides its way from input to output."""
    if isinstance(model, keras.Sequential):
        parts = model.layers
    elif isinstance(model, keras.Model) and hasattr(model, "operations"):
        parts = model.operations
        for operation in parts:
            nodes = [node for node in operation._inbound_nodes if not node.is_input]
            if len(nodes) > 1 or any(len(node.parent_nodes) > 1 for node in nodes):
                raise UsageError(f"{operation.name} ({type(operation).__name__}) joins branches or is used twice: the "
                                 "theory has chains of Dense layers; pass initializers() to the layers that it holds for")
    else:
        raise UsageError(f"{type(model).__name__} is neither Sequential nor of the functional API, and does not show in "
                         "which order its layers run; draw_ takes them in the order of model.layers")
    for part in parts:
        if isinstance(part, keras.Model):
            _check_chain(part)


def _activation_of(function: Any, layer: Any = None) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    name = {"ReLU": "relu", "ELU": "elu", "Softmax": "softmax"}.get(name, name)
    if name in ("softmax", "log_softmax"):
        return name  # fit for the output layer only
    if name == "linear":
        return "identity"
    if name in ("leaky_relu", "LeakyReLU"):
        return f"leaky_relu:{float(getattr(layer, 'negative_slope', 0.2)):g}"
    if name in _same_names:
        return name
    raise UsageError(f"the theory has no activation {name}")


def _read(model: Any) -> tuple[list[Any], str, list[str]]:
    _check_chain(model)
    dense: list[Any] = []
    between: list[str] = []  # after each Dense layer
    notes: list[str] = []
    for layer in _layers(model):
        kind = type(layer).__name__
        if isinstance(layer, keras.layers.Dense):
            dense.append(layer)
            between.append(_activation_of(layer.activation) if layer.activation else "identity")
        elif kind in ("Activation", "ReLU", "LeakyReLU", "ELU", "Softmax") and dense:
            between[-1] = _activation_of(layer.activation if kind == "Activation" else layer, layer)
        elif kind in _passed_over:
            if "Dropout" in kind or "Noise" in kind:
                notes.append(f"{layer.name} ({kind}) is passed over: the answer is for the network without it")
        else:
            raise UsageError(f"layer {layer.name} ({kind}) is not part of a fully connected network: the theory does not "
                             "apply; pass initializers() to the layers that it holds for")
    if len(dense) < 2:
        raise UsageError("the model has no hidden Dense layer")
    hidden = set(between[:-1])
    if len(hidden) > 1:
        raise UsageError(f"the hidden layers' activations differ ({', '.join(sorted(hidden))}); the theory has one")
    return dense, hidden.pop(), notes
