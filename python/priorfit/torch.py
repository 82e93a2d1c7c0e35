"""Initialises torch models from data.

    answer = priorfit.torch.init_(model, X, y)     # reads the model, recommends, draws the weights in place
    priorfit.torch.draw_(model, answer.initialisation, generator=g)      # or with an answer that is there

A model of Linear layers and one kind of activation, with Dropout and Flatten wherever they are, is a network as the theory
has them. With LayerNorm or BatchNorm, residual sums or convolutions it is not: then short trainings of the model itself
decide between the usual starts, or with ``pilots=0`` it is left alone; either way the answer says so.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import torch

from . import _core
from ._answer import Answer, Initialisation
from ._arrays import as_array
from ._data import seed_of
from ._progress import Progress
from ._recommend import recommend
from ._targets import check_targets
from ._torch_model import Layer, ModelReading, draw_layer, read_model
from ._torch_pilots import PilotAnswer, decide
from .errors import UsageError

__all__ = ["ModelReading", "draw_", "init_", "read_model", "state_dict"]

_batch_rows = 8  # that a model is run on to read it


def init_(model: torch.nn.Module, X: Any, y: Any, *, generator: torch.Generator | None = None,
          random_state: int | None = None, pilots: int | None = None, budget: float | None = None,
          progress: Progress = None, **options: Any) -> Answer | PilotAnswer:
    """Reads the model, recommends a start for it from the data, draws its weights in place and returns the answer.

    Parameters
    ----------
    model : torch.nn.Module
        Run once on a few rows of X, in evaluation mode.
    X, y : tensors, arrays or frames of numbers
        What the model is trained on, as it sees it. A frame with categories or dates: give ``as_data(frame, target=…)``'s
        ``inputs`` and ``targets``.
    generator : torch.Generator, optional
        Draws the weights. Without one they are the numbers that ``priorfit init`` draws from `random_state`.
    random_state : int, optional
        Seed, 1 unless given.
    pilots, budget
        Of :func:`priorfit.recommend`: so many short trainings, or as many as so many seconds allow. Where the theory
        does not apply they are trainings of the model itself; with none, it is left alone.
    progress
        True, False, or a function of (stage, fraction); by default a tqdm bar where somebody watches.
    **options
        Further ones of :func:`priorfit.recommend`: ``loss``, ``optimizer``, ``learning_rate`` and so on.

    Returns
    -------
    Answer
        With ``notes``: what was left alone or passed over. Where pilots decided, a :class:`PilotAnswer`.

    >>> import torch, priorfit.torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
    >>> X = torch.randn(60, 4, generator=torch.Generator().manual_seed(0))
    >>> answer = priorfit.torch.init_(model, X, X[:, 0].sin(), random_state=3, pilots=10)
    >>> answer.network.widths, answer.network.activation, answer.notes
    ([32], 'relu', [])
    """
    if generator is not None and not isinstance(generator, torch.Generator):
        raise UsageError(f"generator is {generator!r}: give a torch.Generator, or random_state={generator!r}")
    inputs = _inputs_for(model, X)
    reading = read_model(model, inputs[:_batch_rows])
    check_targets(y, len(inputs), reading.outputs)
    if not reading.theory:
        return decide(model, reading, inputs, y, pilots=pilots, budget=budget, random_state=seed_of(random_state),
                      generator=generator, progress=progress, options=options)
    if not reading.has_biases:
        options.setdefault("bias_bounds", (0.0, 1e-9))  # as good as none
    answer = recommend(inputs.reshape(len(inputs), -1).cpu(), y, widths=reading.widths,
                       activation=reading.activation or "relu", random_state=random_state, pilots=pilots,
                       budget=budget, progress=progress, **options)
    answer.notes.extend(reading.notes)
    if not reading.has_biases:
        answer.notes.append("layers without a bias: only their weights are drawn")
    _draw(reading.layers, answer.initialisation, generator, seed_of(random_state), reading.activation or "relu")
    return answer


def _inputs_for(model: torch.nn.Module, X: Any) -> torch.Tensor:
    """Rows on the model's device and of its type; whole numbers stay so where the model looks them up (Embedding)."""
    if not isinstance(model, torch.nn.Module):
        raise UsageError(f"the model is {model!r}: give a torch.nn.Module")
    parameter = next((p for p in model.parameters() if p.is_floating_point()), None)
    if parameter is None:
        raise UsageError("the model has no parameters to draw")
    if isinstance(X, torch.Tensor):
        inputs = X.detach()
    else:
        values = as_array(X)
        if values.dtype.kind not in "biuf":
            raise UsageError(f"X holds {values.dtype}: a model takes numbers; priorfit.as_data(X, …).inputs are such")
        inputs = torch.from_numpy(np.array(values, copy=not values.flags.writeable))
    if inputs.ndim == 0 or len(inputs) == 0:
        raise UsageError("X has no rows; give one row per sample")
    looks_up = any(isinstance(module, (torch.nn.Embedding, torch.nn.EmbeddingBag)) for module in model.modules())
    if looks_up and not inputs.is_floating_point():
        return inputs.to(parameter.device)
    return inputs.to(parameter.device, parameter.dtype)


def draw_(model: torch.nn.Module, start: Initialisation | Answer, *, example: torch.Tensor | None = None,
          generator: torch.Generator | None = None, random_state: int | None = None) -> torch.nn.Module:
    """Draws the weights of every Linear layer in place, in the order in which they run on `example`.

    Without an example the model is run on zeros as wide as its first layer; where that fails, layers count in the order
    in which they were declared. Returns the model.

    >>> import torch, priorfit
    >>> model = torch.nn.Sequential(torch.nn.Linear(300, 400), torch.nn.Tanh(), torch.nn.Linear(400, 2))
    >>> _ = draw_(model, priorfit.Initialisation.tied(2.0, 0.0, layers=2), random_state=1)
    >>> bool(abs(model[0].weight.var() * 300 - 2.0) < 0.05), bool((model[0].bias == 0).all())
    (True, True)
    """
    start = getattr(start, "initialisation", start)
    layers, activation = _layers_of(model, example)
    if len(layers) != len(start.layers):
        seen = "" if example is not None else "; example=X[:8] lets the model run and show all of them"
        raise UsageError(f"the model has {len(layers)} layers to draw ({', '.join(l.name for l in layers)}), "
                         f"the initialisation {len(start.layers)}{seen}")
    _draw(layers, start, generator, seed_of(random_state), activation)
    return model


def state_dict(model: torch.nn.Module, start: Initialisation | Answer, *, example: torch.Tensor | None = None,
               random_state: int | None = None) -> dict[str, torch.Tensor]:
    """Initial parameters under the keys of your own model, which stays as it is: what to load with
    ``model.load_state_dict(…, strict=False)``.

    >>> import torch, priorfit
    >>> model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    >>> list(state_dict(model, priorfit.Initialisation.tied(2.0, layers=2)))
    ['0.weight', '0.bias', '2.weight', '2.bias']
    """
    import copy
    twin = copy.deepcopy(model)
    draw_(twin, start, example=example, random_state=random_state)
    drawn = {id(p) for layer in _layers_of(twin, example)[0] for p in (layer.weight, layer.bias) if p is not None}
    return {name: p.detach() for name, p in twin.named_parameters() if id(p) in drawn}


def _layers_of(model: torch.nn.Module, example: torch.Tensor | None) -> tuple[list[Layer], str]:
    declared = [Layer(name, module.weight, module.bias, module.in_features, module.out_features)
                for name, module in model.named_modules()
                if isinstance(module, torch.nn.Linear) and not isinstance(module, torch.nn.LazyLinear)]
    if example is None and declared:
        weight = declared[0].weight
        example = torch.zeros(2, declared[0].fan_in, device=weight.device, dtype=weight.dtype)
        try:
            reading = read_model(model, example)
        except UsageError:
            return declared, "relu"
    elif example is None:
        raise UsageError("the model has no Linear layer; lazy ones become real with example=X[:8]")
    else:
        reading = read_model(model, example)
    return reading.layers, reading.activation or "relu"


@torch.no_grad()
def _draw(layers: Sequence[Layer], start: Initialisation, generator: torch.Generator | None, seed: int,
          activation: str) -> None:
    if generator is None and _is_chain(layers):
        network = _core.Network.draw([layer.fan_out for layer in layers[:-1]], "relu", layers[0].fan_in,
                                     layers[-1].fan_out, start.pairs(), start.distribution, seed)
        for layer, weights, bias in zip(layers, network.parameters[::2], network.parameters[1::2]):
            layer.weight.copy_(torch.from_numpy(weights.copy()))
            if layer.bias is not None:
                layer.bias.copy_(torch.from_numpy(bias.copy()))
        return
    if generator is None:
        generator = torch.Generator(device=layers[0].weight.device).manual_seed(seed)
    for layer, prior in zip(layers, start.layers):
        draw_layer(layer, prior, start.distribution, generator)


def _is_chain(layers: Sequence[Layer]) -> bool:
    return not any(layer.convolution for layer in layers) and all(
        before.fan_out == after.fan_in for before, after in zip(layers, layers[1:]))
