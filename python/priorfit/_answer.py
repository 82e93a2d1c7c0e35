"""What recommend() answers: the library's JSON with attributes, and its words."""

from __future__ import annotations

import html
import json
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

from . import _core
from .errors import InputOutputError, UsageError

__all__ = ["Answer", "Initialisation", "LayerPrior", "Record"]


class Record:
    """A JSON object whose fields are attributes too.

    >>> record = Record({"action": "keep", "network": {"widths": [256, 256]}})
    >>> record.action, record.network.widths, record["action"], "gain" in record
    ('keep', [256, 256], 'keep', False)
    """

    def __init__(self, fields: dict[str, Any]):
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._fields:
            raise AttributeError(f"there is no '{name}'; there are: {', '.join(self.__dict__.get('_fields', {}))}")
        return _wrapped(self._fields[name])

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._fields[name])

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._fields == other._fields

    def __repr__(self) -> str:
        return json.dumps(self._fields, indent=2, ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain dictionaries and lists."""
        return self._fields


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrapped(entry) for entry in value]
    return value


@dataclass(frozen=True)
class LayerPrior:
    """What one layer is drawn from: weights of variance weight_variance / fan_in, biases of variance bias_variance."""

    weight_variance: float
    bias_variance: float


@dataclass(frozen=True)
class Initialisation:
    """One prior per layer, the first hidden layer's first and the output layer's last, and a distribution.

    >>> he = Initialisation.tied(2.0, 0.0, layers=2)
    >>> he.layers[0].weight_variance, he.distribution, len(he)
    (2.0, 'normal', 2)
    """

    layers: tuple[LayerPrior, ...]
    distribution: str = "normal"

    @staticmethod
    def tied(weight_variance: float, bias_variance: float = 0.0, *, layers: int) -> Initialisation:
        """The same pair in every one of so many layers, the output layer counted."""
        return Initialisation((LayerPrior(weight_variance, bias_variance),) * layers)

    @staticmethod
    def named(scheme: str, *, features: int, widths: list[int], outputs: int) -> Initialisation:
        """What frameworks do by default: ``he``, ``lecun``, ``glorot``, ``keras`` or ``pytorch``.

        >>> Initialisation.named("pytorch", features=4, widths=[16], outputs=2).distribution
        'uniform'
        """
        pairs, distribution = _core.named_start(scheme, widths, features, outputs)
        return Initialisation(tuple(LayerPrior(*pair) for pair in pairs), distribution)

    def pairs(self) -> list[tuple[float, float]]:
        """(σ_w², σ_b²) of every layer."""
        return [(layer.weight_variance, layer.bias_variance) for layer in self.layers]

    def lines(self, framework: str = "torch") -> str:
        """Lines to paste that draw it, for ``torch``, ``keras`` or ``flax``.

        >>> print("normal_" in Initialisation.tied(2.0, layers=3).lines("torch"))
        True
        """
        lines = _core.paste_lines(self.pairs(), self.distribution)
        if framework not in lines:
            raise UsageError(f"framework '{framework}' is unknown ({', '.join(lines)})")
        return lines[framework]

    def draw(self, features: int, widths: list[int], outputs: int, *, activation: str = "relu",
             seed: int = 1) -> _core.Network:
        """A network drawn from it; ``priorfit init`` draws the same numbers from the same seed."""
        return _core.Network.draw(widths, activation, features, outputs, self.pairs(), self.distribution, seed)

    def __len__(self) -> int:
        return len(self.layers)


class Answer:
    """What to draw your network from, and why.

    Prints the words of ``priorfit recommend``; every field of its JSON is an attribute: ``answer.verdict.action``,
    ``answer.recommended``, ``answer.data``, ``answer.network``. It can be pickled.

    >>> import priorfit
    >>> answer = priorfit.recommend("digits", samples=60, widths=[64], budget=0)
    >>> answer.verdict.action in ("keep", "change"), answer.verdict.metric
    (True, 'accuracy')
    >>> answer.data.rows, answer.network.widths, len(answer.initialisation.layers)
    (1797, [64], 2)
    >>> answer.to_dict()["schema"]
    'priorfit.recommendation/1'
    """

    def __init__(self, texts: dict[str, str], notes: Sequence[str] = ()):
        self._texts = dict(texts)
        self._fields: dict[str, Any] = json.loads(texts["json"])
        self.notes = list(notes)  # what a model that was read left open: layers left alone, and the like

    @property
    def initialisation(self) -> Initialisation:
        """What is recommended to draw from."""
        best = self._fields["recommended"]
        layers = tuple(LayerPrior(layer["weight_variance"], layer["bias_variance"]) for layer in best["layers"])
        return Initialisation(layers, best["distribution"])

    @property
    def verdict(self) -> Record:
        """Keep or change: ``action``, ``gain`` (more accuracy, or less error, than the current start; None: it was not
        measured), ``gain_standard_error``, ``current``, ``metric``, ``flat``. Only ``criterion="auto"`` gives one."""
        usual = dict.fromkeys(("gain", "gain_standard_error", "current_value", "recommended_value"))
        return Record({**usual, **self._field("verdict").to_dict()})

    def init_(self, model: Any, **options: Any) -> Any:
        """Draws the parameters of a torch, Keras or nnx model in place; see draw_ of priorfit.torch, .keras, .flax."""
        frameworks = {base.__module__.partition(".")[0] for base in type(model).__mro__}
        if "torch" in frameworks:
            from . import torch as face
        elif "keras" in frameworks:
            from . import keras as face  # type: ignore[no-redef]
        elif "flax" in frameworks and any(".nnx" in base.__module__ for base in type(model).__mro__):
            from . import flax as face  # type: ignore[no-redef]
        elif "flax" in frameworks:
            raise UsageError("a linen module has no parameters of its own: priorfit.flax.draw(params, answer)")
        else:
            raise UsageError(f"{type(model).__name__} is no torch module, no Keras model and no nnx module; "
                             "answer.initialisation.lines(framework) has lines to paste")
        return face.draw_(model, self.initialisation, **options)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as the JSON has it."""
        return self._fields

    def to_json(self) -> str:
        """The bytes that ``priorfit recommend --format json`` prints."""
        return self._texts["json"]

    def to_markdown(self) -> str:
        """The answer as Markdown."""
        return self._texts["markdown"]

    def details(self) -> str:
        """Everything that is known, as ``priorfit recommend --details`` prints it after the answer."""
        return self._texts["details"]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes recommendation.json: a file that ``priorfit init --from`` reads, or into an existing folder."""
        path = os.fspath(path)
        if os.path.isdir(path):
            path = os.path.join(path, "recommendation.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._texts["json"])

    def page(self) -> str:
        """One self-contained HTML page with the charts."""
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder)
            return _core.report_page(folder)

    def _field(self, name: str) -> Any:
        fields = self.__dict__.get("_fields", {})
        if name not in fields:
            why = ": only criterion='auto' compares with the start in use" if name == "verdict" else ""
            raise AttributeError(f"the answer has no '{name}'{why}; it has: {', '.join(fields)}")
        return _wrapped(fields[name])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._field(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        return "\n".join([self._texts["table"].rstrip("\n"), *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        words = f"<pre>{html.escape(repr(self))}</pre>"
        try:
            page = self.page()
        except InputOutputError:  # built without the page
            return words
        return (f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:48em;border:0" '
                f'sandbox="allow-scripts"></iframe><details><summary>as text</summary>{words}</details>')

    def __getstate__(self) -> tuple[dict[str, str], list[str]]:
        return self._texts, self.notes

    def __setstate__(self, state: tuple[dict[str, str], list[str]]) -> None:
        Answer.__init__(self, *state)
