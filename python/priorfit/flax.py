"""Initialises Flax models from data: linen's Dense and nnx's Linear.

    answer = priorfit.recommend(X, y, widths=[256])
    first, output = priorfit.flax.initializers(answer)
    nn.Dense(256, **first)

    params = priorfit.flax.draw(params, answer)        # or for parameters that are there: the same tree, drawn anew
"""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np

from . import _core
from ._answer import Answer, Initialisation
from ._data import seed_of
from .errors import UsageError

__all__ = ["draw", "draw_", "initializers"]


def initializers(start: Initialisation | Answer) -> list[dict[str, Any]]:
    """``kernel_init`` and ``bias_init`` for each Dense (or nnx.Linear) layer in turn, to be passed to it.

    >>> from priorfit import Initialisation
    >>> sorted(initializers(Initialisation.tied(2.0, 0.1, layers=2))[0])
    ['bias_init', 'kernel_init']
    """
    start = start.initialisation if isinstance(start, Answer) else start
    uniform = start.distribution == "uniform"
    found = []
    for prior in start.layers:
        kernel = jax.nn.initializers.variance_scaling(prior.weight_variance, "fan_in",
                                                      "uniform" if uniform else "normal")
        deviation = math.sqrt(prior.bias_variance)
        bias: Any = jax.nn.initializers.zeros
        if deviation > 0:
            bias = _uniform(deviation) if uniform else jax.nn.initializers.normal(deviation)
        found.append({"kernel_init": kernel, "bias_init": bias})
    return found


def _uniform(deviation: float) -> Any:
    limit = math.sqrt(3.0) * deviation

    def draw_bias(key: Any, shape: Any, dtype: Any = jnp.float32, **_: Any) -> Any:
        return jax.random.uniform(key, shape, dtype, -limit, limit)

    return draw_bias


def draw(params: Mapping[str, Any], start: Initialisation | Answer, *, random_state: int | None = None) -> Any:
    """The parameters of a linen model with its Dense layers drawn anew, in the order of their numbers (Dense_0, Dense_1,
    …) or names, or where that does not fit in the one order in which their shapes do. Others stay as they are. The numbers are those that
    ``priorfit init --layout keras`` draws from the same seed.

    >>> from priorfit import Initialisation
    >>> params = {"Dense_0": {"kernel": jnp.zeros((3, 8)), "bias": jnp.ones(8)}, "Dense_1": {"kernel": jnp.zeros((8, 1))}}
    >>> drawn = draw({"params": params}, Initialisation.tied(2.0, layers=2))["params"]
    >>> drawn["Dense_0"]["kernel"].shape, bool((drawn["Dense_0"]["bias"] == 0).all()), list(drawn["Dense_1"])
    ((3, 8), True, ['kernel'])
    """
    start = start.initialisation if isinstance(start, Answer) else start
    dense = _in_order(sorted(_dense(params), key=lambda found: [_natural(key) for key in found[0]]), lambda d: d[1].shape)
    drawn = _drawn([(kernel, bias) for _, kernel, bias in dense], start, seed_of(random_state),
                   ["/".join(path) for path, _, _ in dense])
    new = {path: values for (path, _, _), values in zip(dense, drawn)}
    return _replaced(params, (), new)


def draw_(model: Any, start: Initialisation | Answer, *, random_state: int | None = None) -> Any:
    """Sets the weights of an nnx model's Linear layers in place, in the order in which they stand in it."""
    from flax import nnx
    start = start.initialisation if isinstance(start, Answer) else start
    linear = [module for _, module in nnx.iter_modules(model) if isinstance(module, nnx.Linear)]
    linear = _in_order(linear, lambda layer: layer.kernel.shape)
    pairs = [(m.kernel[...], None if m.bias is None else m.bias[...]) for m in linear]
    drawn = _drawn(pairs, start, seed_of(random_state), [f"Linear {tuple(k.shape)}" for k, _ in pairs])
    for module, values in zip(linear, drawn):
        module.kernel[...] = values["kernel"]
        if module.bias is not None:
            module.bias[...] = values["bias"]
    return model


def _in_order(layers: list[Any], shape: Callable[[Any], tuple[int, ...]]) -> list[Any]:
    """As they are if each takes what the one before gives; else so that it does, where there is exactly one such order."""
    shapes = [shape(layer) for layer in layers]
    if all(before[1] == after[0] for before, after in zip(shapes, shapes[1:])):
        return layers
    orders = [[place] for place in range(len(layers))]
    for _ in layers[1:]:
        orders = [[*order, place] for order in orders for place in range(len(layers))
                  if place not in order and shapes[order[-1]][1] == shapes[place][0]][:1000]
    return [layers[place] for place in orders[0]] if len(orders) == 1 else layers


def _natural(text: str) -> list[Any]:
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.split(r"(\d+)", text) if part]


def _dense(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any, Any]]:
    kernel = tree.get("kernel")
    if kernel is not None and getattr(kernel, "ndim", 0) == 2:
        return [(path, kernel, tree.get("bias"))]
    return [found for name, branch in tree.items() if isinstance(branch, Mapping)
            for found in _dense(branch, (*path, str(name)))]


def _replaced(tree: Any, path: tuple[str, ...], new: dict[tuple[str, ...], dict[str, Any]]) -> Any:
    if path in new:
        return {**tree, **{name: value for name, value in new[path].items() if name in tree}}
    return {name: _replaced(branch, (*path, str(name)), new) if isinstance(branch, Mapping) else branch
            for name, branch in tree.items()}


def _drawn(pairs: list[tuple[Any, Any]], start: Initialisation, seed: int, names: list[str]) -> list[dict[str, Any]]:
    if len(pairs) != len(start.layers):
        raise UsageError(f"the model has {len(pairs)} dense layers ({', '.join(names)}), "
                         f"the initialisation {len(start.layers)}")
    shapes = [tuple(kernel.shape) for kernel, _ in pairs]
    if any(before[1] != after[0] for before, after in zip(shapes, shapes[1:])):
        raise UsageError("the dense layers do not follow one another; pass initializers() to each of them")
    network = _core.Network.draw([shape[1] for shape in shapes[:-1]], "relu", shapes[0][0], shapes[-1][1],
                                 start.pairs(), start.distribution, seed)
    return [{"kernel": jnp.asarray(np.ascontiguousarray(weights.T), dtype=kernel.dtype),
             "bias": jnp.asarray(bias, dtype=kernel.dtype)}
            for (kernel, _), weights, bias in zip(pairs, network.parameters[::2], network.parameters[1::2])]
