"""Finite networks: train them, keep them."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Sequence

import numpy as np

from . import _core
from ._answer import Initialisation, Record
from ._core import Network
from ._data import as_data, seed_of
from ._numerics import _pairs
from ._progress import Progress, shown
from ._recommend import hidden_widths

__all__ = ["Training", "load_weights", "save_weights", "train"]


class Training(Record):
    """How a training went, as ``priorfit train`` says it; `network` holds the trained weights."""

    def __init__(self, network: Network, text: str, table: str):
        super().__init__(json.loads(text))
        self.network = network
        self._table = table

    def __repr__(self) -> str:
        return self._table.rstrip("\n")


def train(X: Any, y: Any = None, start: Any = (2.0, 0.0), *, target: str | int | None = None,
          widths: Sequence[int] | None = None, depth: int | None = None, width: int | None = None,
          activation: str = "relu", distribution: str = "normal", random_state: int | None = None,
          test_fraction: float = 0.2, samples: int | None = None, reading: Mapping[str, Any] | None = None,
          threads: int = 0, progress: Progress = None, **options: Any) -> Training:
    """Trains one network from `start`, by the engine and with the defaults of ``priorfit train``.

    `options` are its flags: ``epochs``, ``batch``, ``loss``, ``optimizer``, ``learning_rate``, ``weight_decay`` and so on;
    `reading` those of :func:`priorfit.as_data`.

    >>> import priorfit
    >>> result = priorfit.train("digits", samples=300, start=(2.0, 0.0), widths=[64], epochs=20)
    >>> result.train.accuracy > 0.7, len(result.history)
    (True, 20)
    """
    data = X if isinstance(X, _core.Data) else as_data(
        X, y, target=target, samples=samples, random_state=random_state, test_fraction=test_fraction,
        **(reading or {}))
    seed = seed_of(random_state)
    if isinstance(start, Initialisation):
        distribution = start.distribution
    network = Network.draw(hidden_widths(widths, depth, width), activation, data.features, data.outputs, _pairs(start),
                           distribution, seed)
    with shown(progress, "train") as show:
        return Training(*network.train(data, {"seed": seed, **options}, threads, show))


def save_weights(path: str | os.PathLike[str], network: Network, *, layout: str = "torch",
                 metadata: Mapping[str, str] | None = None) -> None:
    """Writes a network as .safetensors or .npz, in the layout of torch or of Keras and Flax.

    >>> import os, tempfile, priorfit
    >>> network = priorfit.Initialisation.tied(2.0, layers=2).draw(3, [4], 2, seed=7)
    >>> path = os.path.join(tempfile.mkdtemp(), "init.safetensors")
    >>> save_weights(path, network, metadata={"seed": "7"})
    >>> again = load_weights(path)
    >>> bool((again.parameters[0] == network.parameters[0]).all())
    True
    """
    network.save(os.fspath(path), layout, dict(metadata or {}))


def load_weights(path: str | os.PathLike[str], *, activation: str | None = None) -> Network:
    """Reads such a file back; `activation` for an .npz, which does not name its own."""
    return Network.load(os.fspath(path), activation)[0]


def named_parameters(network: Network, keys: Sequence[str]) -> dict[str, np.ndarray]:
    """The parameters under the names of your own model: weights and bias of every layer in turn.

    >>> import priorfit
    >>> network = priorfit.Initialisation.tied(2.0, layers=1 + 1).draw(3, [4], 2)
    >>> list(named_parameters(network, ["fc.weight", "fc.bias", "out.weight", "out.bias"]))
    ['fc.weight', 'fc.bias', 'out.weight', 'out.bias']
    """
    return dict(zip(keys, network.parameters))
