"""recommend(): the main job."""

from __future__ import annotations

import operator
from typing import Any, Mapping, Sequence

from . import _core
from ._answer import Answer
from ._data import Data, as_data
from ._progress import Progress, shown
from .errors import UsageError


def recommend(X: Any = "digits", y: Any = None, *, target: str | int | None = None, widths: Sequence[int] | None = None,
              depth: int | None = None, width: int | None = None, activation: str = "relu",
              current: str | Sequence[float] | None = None, loss: str | None = None, optimizer: str | None = None,
              learning_rate: float | None = None, weight_decay: float | None = None, batch: int | None = None,
              epochs: int | None = None, budget: float | None = None, pilots: int | None = None,
              criterion: str | None = None, framework: str | None = None, samples: int | str = "auto",
              random_state: int | None = None, threads: int = 0, progress: Progress = None,
              **options: Any) -> Answer:
    """Keep the initialisation of your network or change it, by how much, how surely: from your data.

    What is None is as on the command line without the flag of that name.

    Parameters
    ----------
    X, y, target
        The data; see :func:`priorfit.as_data`. Arrays, tensors, frames, files and names all do.
    widths : list of int, optional
        Units of every hidden layer, such as ``[256, 256]``. Or `depth` layers of `width` units (1 of 2000).
    activation : str
        ``"relu"``, ``"tanh"``, ``"gelu"``, ``"leaky_relu:0.2"`` and so on: :func:`priorfit.activations`.
    current : str or variances, optional
        What you would use otherwise: ``"pytorch"`` (the default), ``"keras"``, ``"he"``, ``"lecun"``, ``"glorot"``, or
        variances ``(2, 0)`` or, with the output layer's own, ``(2, 0, 0.01)``.
    loss, optimizer, learning_rate, weight_decay, batch, epochs
        How you will train: ``"cross-entropy"`` or ``"squared"``; ``"adam"``, ``"adamw"`` or ``"sgd"``; and so on, as in
        :func:`priorfit.train`.
    budget : float, optional
        Seconds for the short trainings that confirm the answer; 0 for theory alone.
    pilots : int, optional
        So many short trainings instead, whatever the time: the same answer every time.
    criterion : str, optional
        ``"auto"``: theory chooses, short trainings confirm. Or ``"evidence"``, the paper's, or ``"trained-risk"``.
    framework : str, optional
        Whose lines to paste are shown: ``"torch"``, ``"keras"``, ``"flax"`` or ``"none"``; by `current` unless given.
    samples : int or "auto"
        Rows to draw; 0 is all. "auto": all up to 2000, above that as many as it takes for the answer to settle.
    random_state : int, optional
        Seed of every draw, 1 unless given.
    threads : int
        0: as many as OpenMP gives (OMP_NUM_THREADS, threadpoolctl, torch.set_num_threads).
    progress
        True, False, or a function of (stage, fraction); by default a tqdm bar where somebody watches.
    **options
        Of training: ``label_smoothing``, ``momentum``, ``nesterov``, ``learning_rate_decay``, ``warmup_epochs``,
        ``validation_fraction``, ``patience``.
        Of the search by one criterion: ``per_layer``, ``untie_output`` (or ``family``), ``noise``, ``weight_bounds``,
        ``bias_bounds``, ``noise_bounds``, ``grid``, ``weight_variances``, ``bias_variances``, ``output_variances``,
        ``leave_one_out``, ``surface``, ``also``, ``time_limit``, ``rows_used_whole``.
        Of the prediction of training: ``risk_samples``, ``ridge``, ``risk_optimizer``, ``risk_steps``,
        ``risk_learning_rate``.
        Of reading: those of :func:`priorfit.as_data`. ``priorfit recommend --help`` explains each.

    Returns
    -------
    Answer

    >>> import numpy as np, priorfit
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 3))
    >>> answer = priorfit.recommend(X, np.sin(X[:, 0]), widths=[128, 128], activation="tanh", pilots=10)
    >>> answer.verdict.action in ("keep", "change"), len(answer.initialisation.layers)
    (True, 3)
    """
    options.update(current=current, loss=loss, optimizer=optimizer, learning_rate=learning_rate,
                   weight_decay=weight_decay, batch=batch, epochs=epochs, budget=budget, pilots=pilots,
                   criterion=criterion, framework=framework)
    known = set(_core.recommend_keywords())
    wanted = {name: value for name, value in options.items() if name in known}
    reading = {name: value for name, value in options.items() if name not in known}
    if isinstance(samples, str) and samples != "auto":
        raise UsageError(f"samples is '{samples}': give a number of rows, or 'auto'")
    drawn = None if isinstance(samples, str) else whole_number(samples, "samples")
    if not isinstance(activation, str):
        raise UsageError(f"activation is {activation!r}: give a name, one of activations()")
    threads = whole_number(threads, "threads")
    if drawn is not None:
        wanted.setdefault("rows_used_whole", 0)
    _check_names(reading, known)
    data: Data = as_data(X, y, target=target, samples=drawn or None, random_state=random_state, **reading)
    with shown(progress, "recommend") as show:
        return Answer(_core.recommend(data, hidden_widths(widths, depth, width), activation, wanted, threads, show))


def hidden_widths(widths: Sequence[int] | None, depth: int | None = None, width: int | None = None) -> list[int]:
    """Units of every hidden layer.

    >>> hidden_widths(None), hidden_widths(None, depth=2, width=64), hidden_widths((32, 16))
    ([2000], [64, 64], [32, 16])
    """
    if widths is None:
        return [2000 if width is None else whole_number(width, "width")] * (
            1 if depth is None else whole_number(depth, "depth"))
    if depth is not None or width is not None:
        raise UsageError("widths says all: leave out depth and width")
    if isinstance(widths, str) or not hasattr(widths, "__iter__"):
        raise UsageError(f"widths is {widths!r}: give a list, the units of every hidden layer, such as [256, 256]")
    return [whole_number(units, "a hidden width") for units in widths]


def whole_number(value: Any, name: str) -> int:
    """
    >>> whole_number(3, "depth")
    3
    """
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}: give a whole number") from None


def recommend_options() -> list[str]:
    """The names of all arguments of recommend() that shape the answer, beside the network and those of reading.

    >>> "budget" in recommend_options()
    True
    """
    return list(_core.recommend_keywords())


# What as_data() takes by other names.
_not_asked = {"source", "targets", "header", "samples", "seed"}


def check_options(options: Mapping[str, Any]) -> None:
    """Refuses a name that is no argument of recommend(), for those who use only some of them."""
    known = {*_core.recommend_keywords(), "samples", "threads"}
    _check_names({name: value for name, value in options.items() if name not in known}, known)


def _check_names(reading: Mapping[str, Any], known: set[str]) -> None:
    import difflib
    of_reading = set(_core.data_keywords()) - _not_asked
    for name in reading:
        if name not in of_reading:
            near = difflib.get_close_matches(name, [*known, *of_reading], 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise UsageError(f"recommend() has no argument '{name}'{hint}")
