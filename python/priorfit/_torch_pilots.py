"""Where the theory does not apply: short trainings of the user's own model decide between the usual starts."""

from __future__ import annotations

import copy
import itertools
import math
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

import numpy as np
import torch

from ._answer import Initialisation, LayerPrior, Record
from ._arrays import as_array
from ._progress import Progress, shown
from ._recommend import check_options
from ._targets import are_classes
from ._torch_model import Layer, ModelReading, draw_layer, first_output, read_model
from .errors import UsageError

__all__ = ["PilotAnswer", "decide"]

_most_epochs = 10  # of a pilot; fewer where the caller trains for fewer, or the budget is short
_test_share = 0.2
_usual_pilots, _fewest_pilots = 20, 10
_usual_budget = 20.0  # seconds, as for recommend()
_fewest_steps = 20
_current = "PyTorch's default"

# Two-sided 95 % points of Student's distribution for 1, 2, … degrees of freedom; 1.96 beyond.
_student = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)


@dataclass
class PilotAnswer:
    """What short trainings of the model itself say. `initialisation` is what was drawn; None: the model is as it was."""

    verdict: Record
    candidates: list[Record]
    initialisation: Initialisation | None
    notes: list[str] = field(default_factory=list)
    example: torch.Tensor | None = field(default=None, repr=False)  # rows that such a model runs on

    def init_(self, model: torch.nn.Module, **options: Any) -> torch.nn.Module:
        """Draws the weights of a model like the one that was judged; one that was left alone stays as it is."""
        from .torch import draw_
        if self.initialisation is None:
            return model
        return draw_(model, self.initialisation, **{"example": self.example, **options})

    def to_dict(self) -> dict[str, Any]:
        """Verdict, candidates and notes as plain dictionaries and lists."""
        return {"verdict": self.verdict.to_dict(), "candidates": [start.to_dict() for start in self.candidates],
                "notes": self.notes}

    def __repr__(self) -> str:
        lines = [self.verdict.text]
        if self.candidates:
            lines += ["", f"  {'start':<24}{self.verdict.metric} of the pilots that chose"]
            lines += [f"  {start.name:<24}{_measured(start.pilot, self.verdict.metric)}" for start in self.candidates]
            lines += [""]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


@dataclass
class _Task:
    inputs: torch.Tensor
    targets: torch.Tensor
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    metric: str  # "accuracy" or "error", of which more or less is better
    score: Callable[[torch.Tensor, torch.Tensor], float]  # larger is better


def starts_for(layers: list[Layer]) -> dict[str, Initialisation]:
    """The usual starts, for layers with any fans; each also with small output weights."""

    def of(prior: Callable[[Layer], LayerPrior], distribution: str = "normal", output: float | None = None,
           ) -> Initialisation:
        priors = [prior(layer) for layer in layers]
        if output is not None:
            priors[-1] = LayerPrior(output, 0.0)
        return Initialisation(tuple(priors), distribution)

    def usual(layer: Layer) -> LayerPrior:
        return LayerPrior(1.0 / 3.0, 1.0 / (3.0 * layer.fan_in))

    def he(layer: Layer) -> LayerPrior:
        return LayerPrior(2.0, 0.0)

    def lecun(layer: Layer) -> LayerPrior:
        return LayerPrior(1.0, 0.0)

    def glorot(layer: Layer) -> LayerPrior:
        return LayerPrior(2.0 * layer.fan_in / (layer.fan_in + layer.fan_out), 0.0)

    return {_current: of(usual, "uniform"), "He": of(he), "LeCun": of(lecun), "Glorot": of(glorot),
            "He, output 0.01": of(he, output=0.01), "LeCun, output 0.01": of(lecun, output=0.01)}


@dataclass
class _Training:
    """How pilots are trained: as the caller will, but shorter."""

    epochs: int = _most_epochs
    batch: int = 128
    optimizer: str = "adam"
    learning_rate: float | None = None
    weight_decay: float = 0.0
    momentum: float = 0.0
    nesterov: bool = False
    most_steps: int | None = None  # None: all of the epochs

    @staticmethod
    def of(options: Mapping[str, Any]) -> _Training:
        given = {name: value for name, value in options.items() if value is not None and name in _training_names}
        training = _Training(**given)
        training.epochs = min(training.epochs, _most_epochs)
        if training.optimizer not in ("adam", "adamw", "sgd"):
            raise UsageError(f"optimizer '{training.optimizer}' is unknown (known: adam, adamw, sgd)")
        return training

    def stepper(self, model: torch.nn.Module) -> torch.optim.Optimizer:
        if self.optimizer == "sgd":
            return torch.optim.SGD(model.parameters(), self.learning_rate or 0.01, momentum=self.momentum,
                                   weight_decay=self.weight_decay, nesterov=self.nesterov)
        kind = torch.optim.AdamW if self.optimizer == "adamw" else torch.optim.Adam
        return kind(model.parameters(), lr=self.learning_rate or 1e-3, weight_decay=self.weight_decay)


_training_names = {"epochs", "batch", "optimizer", "learning_rate", "weight_decay", "momentum", "nesterov"}


def _squared(out: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Of classes: against 1 for the right one and 0 for others."""
    return torch.nn.functional.mse_loss(out, torch.nn.functional.one_hot(targets, out.shape[1]).to(out.dtype))


def _of_one_logit(out: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.binary_cross_entropy_with_logits(out.reshape(-1), targets.to(out.dtype))


def _task_of(inputs: torch.Tensor, y: Any, outputs: int, loss: str | None) -> _Task:
    values = as_array(y)
    device = inputs.device
    if loss not in (None, "squared", "cross-entropy"):
        raise UsageError(f"loss '{loss}' is unknown (known: squared, cross-entropy)")
    if are_classes(values):
        classes, labels = np.unique(values, return_inverse=True)
        targets = torch.as_tensor(labels, device=device)
        if outputs == 1 and len(classes) == 2:
            return _Task(inputs, targets, _of_one_logit, "accuracy",
                         lambda out, t: float(((out.reshape(-1) > 0) == (t > 0)).float().mean()))
        return _Task(inputs, targets, _squared if loss == "squared" else torch.nn.functional.cross_entropy, "accuracy",
                     lambda out, t: float((out.argmax(1) == t).float().mean()))
    if loss == "cross-entropy":
        raise UsageError("loss is cross-entropy: y must hold classes, as whole numbers or names")
    targets = torch.as_tensor(np.ascontiguousarray(values), device=device).reshape(len(inputs), -1)

    def squared_error(out: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.mse_loss(out.reshape(t.shape), t.to(out.dtype))

    return _Task(inputs, targets, squared_error, "error", lambda out, t: -math.sqrt(float(squared_error(out, t))))


def _pilot(model: torch.nn.Module, start: Initialisation, task: _Task, training: _Training, seed: int) -> float:
    """The score of a copy trained from `start`, on rows that it did not see. The same seed: the same rows, batches."""
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(task.inputs), generator=generator)
    held = order[: max(1, round(_test_share * len(order)))]
    used = order[len(held):]
    twin = copy.deepcopy(model)
    layers = read_model(twin, task.inputs[:8]).layers
    drawing = torch.Generator(device=task.inputs.device).manual_seed(seed)
    with torch.no_grad():
        for layer, prior in zip(layers, start.layers):
            draw_layer(layer, prior, start.distribution, drawing)
    stepper = training.stepper(twin)
    twin.train()
    steps = 0
    with torch.random.fork_rng(devices=[]):  # dropout's own draws; the caller's stay as they are
        torch.manual_seed(seed)
        for _ in range(training.epochs):
            rows = used[torch.randperm(len(used), generator=generator)]
            for batch in rows.split(training.batch):
                if len(batch) < 2 or steps == training.most_steps:
                    continue  # BatchNorm cannot train on one row
                stepper.zero_grad()
                task.loss(first_output(twin(task.inputs[batch])), task.targets[batch]).backward()
                stepper.step()
                steps += 1
    twin.eval()
    with torch.no_grad():
        return task.score(first_output(twin(task.inputs[held])), task.targets[held])


def _steps_within(budget: float, model: torch.nn.Module, start: Initialisation, task: _Task,
                  training: _Training) -> int:
    """How many steps each pilot may take, by the time that a few take."""
    few = copy.copy(training)
    few.most_steps = 3
    _pilot(model, start, task, few, 0)  # what is done once, such as choosing an algorithm
    began = time.perf_counter()
    _pilot(model, start, task, few, 0)
    step = (time.perf_counter() - began) / few.most_steps
    return max(_fewest_steps, int(budget / (_usual_pilots * step)))


def decide(model: torch.nn.Module, reading: ModelReading, inputs: torch.Tensor, y: Any, *, pilots: int | None,
           budget: float | None, random_state: int, generator: torch.Generator | None, progress: Progress,
           options: Mapping[str, Any]) -> PilotAnswer:
    """Some pilots of every start choose one; as many fresh ones compare it with PyTorch's default."""
    check_options(options)
    why = "the theory does not apply: " + "; ".join(reading.obstacles)
    notes = [why, *reading.notes]
    unused = sorted(name for name in options if name not in _training_names and name != "loss")
    if unused:
        notes.append(f"{', '.join(unused)}: not used, because pilots of the model itself decide")
    if pilots == 0 or (pilots is None and budget == 0):
        verdict = Record({"action": "keep", "gain": None,
                          "text": "Left alone: " + why + ", and no pilots were asked for."})
        return PilotAnswer(verdict, [], None, notes)
    if pilots is not None and pilots < _fewest_pilots:
        raise UsageError(f"pilots is {pilots}: comparing six starts takes at least {_fewest_pilots}; 0 for none")
    task = _task_of(inputs, y, reading.outputs, options.get("loss"))
    training = _Training.of(options)
    if pilots is None:
        usual_start = starts_for(reading.layers)[_current]
        training.most_steps = _steps_within(_usual_budget if budget is None else budget, model, usual_start, task,
                                            training)
        pilots = _usual_pilots
    starts = starts_for(reading.layers)
    rounds = max(1, int(0.6 * pilots) // len(starts))
    choosing = range(random_state, random_state + rounds)
    pairs = max(2, (pilots - rounds * len(starts)) // 2)
    with shown(progress, "pilots") as show:
        done, most = itertools.count(1), rounds * len(starts) + 2 * pairs

        def scores(name: str, seeds: range) -> np.ndarray:
            found = []
            for seed in seeds:
                found.append(_pilot(model, starts[name], task, training, seed))
                if show is not None:
                    show(f"from {name}", next(done) / most)
            return np.array(found)

        means = {name: float(scores(name, choosing).mean()) for name in starts}
        best = max(means, key=lambda name: (means[name], name == _current))
        fresh = range(random_state + 1000, random_state + 1000 + pairs)
        usual = scores(_current, fresh)
        other = usual if best == _current else scores(best, fresh)
    gain, error = float((other - usual).mean()), float((other - usual).std(ddof=1) / math.sqrt(pairs))
    reach = error * (_student[pairs - 2] if pairs - 2 < len(_student) else 1.96)
    change = best != _current and gain - reach > 0
    chosen = best if change else _current
    sign = 1.0 if task.metric == "accuracy" else -1.0
    verdict = Record({
        "action": "change" if change else "keep", "current": _current, "recommended": chosen, "metric": task.metric,
        "current_value": sign * float(usual.mean()), "recommended_value": sign * float(other.mean()) if change
        else sign * float(usual.mean()), "gain": gain if change else 0.0, "gain_standard_error": error,
        "pilots": len(starts) * rounds + pairs * (1 if best == _current else 2),
        "text": _verdict_text(change, best, task.metric, gain, reach, float(usual.mean()), float(other.mean()))})
    if generator is None:
        generator = torch.Generator(device=inputs.device).manual_seed(random_state)
    with torch.no_grad():
        for layer, prior in zip(reading.layers, starts[chosen].layers):
            draw_layer(layer, prior, starts[chosen].distribution, generator)
    candidates = [Record({"name": name, "pilot": sign * mean}) for name, mean in means.items()]
    return PilotAnswer(verdict, candidates, starts[chosen], notes, inputs[:8].clone())


def _measured(value: float, metric: str) -> str:
    return f"{100 * value:.1f} %" if metric == "accuracy" else f"{value:.4g}"


def _verdict_text(change: bool, best: str, metric: str, gain: float, reach: float, usual: float, other: float) -> str:
    if metric == "accuracy":
        size = f"{100 * gain:+.1f} ± {100 * reach:.1f} points of accuracy ({100 * usual:.1f} → {100 * other:.1f} %)"
    else:
        size = f"{gain:.3g} ± {reach:.2g} less error ({-usual:.3g} → {-other:.3g})"
    if change:
        return f"Change it: {best} gives {size} over {_current}, measured by short trainings of this model."
    if best == _current:
        return f"Keep {_current}: no start that was tried is better, measured by short trainings of this model."
    chance = "which could be chance" if gain > 0 else "which is no gain"
    return f"Keep {_current}: {best} gives {size}, {chance}."
