"""Reads a torch model by running it once on a batch: which layers there are, in which order, and what lies between."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ._answer import LayerPrior
from .errors import UsageError

_activations = {"relu": "relu", "tanh": "tanh", "sigmoid": "sigmoid", "gelu": "gelu", "silu": "silu", "elu": "elu",
                "selu": "selu", "softplus": "softplus", "leaky_relu": "leaky_relu", "erf": "erf", "sin": "sin",
                "cos": "cos", "abs": "abs"}
_other_activations = {"mish", "hardswish", "hardtanh", "hardsigmoid", "relu6", "prelu", "rrelu", "celu", "logsigmoid",
                      "softsign", "hardshrink", "softshrink", "threshold", "glu", "clamp", "exp", "square", "pow"}
_norms = {"layer_norm": "LayerNorm", "batch_norm": "BatchNorm", "group_norm": "GroupNorm",
          "instance_norm": "InstanceNorm", "rms_norm": "RMSNorm", "local_response_norm": "LocalResponseNorm"}
_layout = {"flatten", "unflatten", "view", "reshape", "contiguous", "to", "float", "double", "type", "squeeze", "unsqueeze", "clone",
           "detach", "view_as", "ravel", "__get__", "cpu", "requires_grad_"}
_dropouts = {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"}
_at_the_end = {"softmax", "log_softmax", "sigmoid", "squeeze", "flatten", "view", "reshape"}  # behind the output layer
_convolutions = {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}


@dataclass
class Layer:
    """A layer with weights that the theory or the pilots can set."""

    name: str  # of the module in the model, such as "body.0"
    weight: torch.Tensor
    bias: torch.Tensor | None
    fan_in: int
    fan_out: int
    convolution: bool = False


@dataclass
class ModelReading:
    """What a model was found to be made of."""

    layers: list[Layer] = field(default_factory=list)  # in the order in which they run
    activation: str | None = None  # of all hidden layers; None: the theory has none
    obstacles: list[str] = field(default_factory=list)  # why the theory does not hold for it, each as a phrase
    notes: list[str] = field(default_factory=list)  # what was left alone or passed over
    outputs: int = 0

    @property
    def theory(self) -> bool:
        """Whether the model is a fully connected network as the theory has them."""
        return not self.obstacles

    @property
    def widths(self) -> list[int]:
        """Units of the hidden layers."""
        return [layer.fan_out for layer in self.layers[:-1]]

    @property
    def has_biases(self) -> bool:
        """Whether every layer has one."""
        return all(layer.bias is not None for layer in self.layers)


@dataclass
class _Step:
    kind: str
    name: str
    inputs: list[_Step]
    layer: Layer | None = None


class _Recorder(TorchFunctionMode):
    """Notes every call of torch while a model runs, and which result went where."""

    def __init__(self, model: torch.nn.Module):
        super().__init__()
        self.owners: dict[int, str] = {}
        for name, module in model.named_modules():
            for parameter in module.parameters(recurse=False):
                self.owners.setdefault(id(parameter), name)
        self.made: dict[int, _Step] = {}
        self.alive: list[Any] = []  # so that no identity is used twice
        self.layers: list[Layer] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", str(func))
        if isinstance(result, torch.Tensor) and name != "__get__":
            inputs = [self.made[id(a)] for a in (*args, *kwargs.values())
                      if isinstance(a, torch.Tensor) and id(a) in self.made]
            self.made[id(result)] = self._step(name.removesuffix("_"), args, kwargs, inputs)
            self.alive.append((args, kwargs, result))
        elif isinstance(result, (tuple, list)):
            inputs = [self.made[id(a)] for a in args if isinstance(a, torch.Tensor) and id(a) in self.made]
            for part in result:
                if isinstance(part, torch.Tensor):
                    self.made[id(part)] = _Step("other", name, inputs)
            self.alive.append((args, kwargs, result))
        return result

    def _step(self, name: str, args: Any, kwargs: dict[str, Any], inputs: list[_Step]) -> _Step:
        if name == "linear" or name in _convolutions:
            weight: Any = kwargs.get("weight", args[1] if len(args) > 1 else None)
            bias = kwargs.get("bias", args[2] if len(args) > 2 else None)
            if id(weight) in self.owners:
                convolution = name != "linear"
                fan_in = weight[0].numel()
                if "transpose" in name:
                    fan_in = weight.shape[0] * weight[0, 0].numel()
                layer = Layer(self.owners[id(weight)], weight, bias, fan_in, weight.shape[0], convolution)
                again = next((known for known in self.layers if known.weight is weight), None)
                if again is None:
                    self.layers.append(layer)
                return _Step("convolution" if convolution else "linear", name, inputs, again or layer)
            return _Step("other", name, inputs)
        if name in _activations or name in _other_activations:
            return _Step("activation", _activation_name(name, args, kwargs), inputs)
        if name in _norms:
            return _Step("norm", _norms[name], inputs)
        if name in _dropouts:
            return _Step("dropout", name, inputs)
        if name in _layout or name in _at_the_end:
            return _Step("layout" if name in _layout else "end", name, inputs)
        if name in ("add", "__add__", "__radd__", "__iadd__", "sub", "__sub__") and len(inputs) == 2:
            return _Step("sum", name, inputs)
        return _Step("other", name, inputs)


def _activation_name(name: str, args: Any, kwargs: dict[str, Any]) -> str:
    """The library's name, or "?…" for one that it does not have."""
    if name in _other_activations:
        return "?" + name

    def argument(place: int, key: str, usual: Any) -> Any:
        return kwargs.get(key, args[place] if len(args) > place else usual)

    if name == "leaky_relu":
        slope = float(argument(1, "negative_slope", 0.01))
        return f"leaky_relu:{slope:g}"
    if name == "elu" and float(argument(1, "alpha", 1.0)) != 1.0:
        return "?elu with alpha other than 1"
    if name == "softplus" and float(argument(1, "beta", 1.0)) != 1.0:
        return "?softplus with beta other than 1"
    return _activations[name]  # GELU's tanh form differs from it by less than 5e-4


def read_model(model: torch.nn.Module, batch: torch.Tensor) -> ModelReading:
    """Runs `model` on `batch` as in evaluation, without gradients, and says what it saw."""
    recorder = _Recorder(model)
    start = _Step("input", "input", [])
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            try:
                model(batch)  # lazy layers become real
                recorder = _Recorder(model)
                recorder.made[id(batch)] = start
                with recorder:
                    output = model(batch)
            except (RuntimeError, TypeError, ValueError) as error:
                raise UsageError(f"the model does not run on a batch of shape {tuple(batch.shape)}: {error}") from error
    finally:
        for module, training in modes:
            module.training = training
    output = first_output(output)
    if not isinstance(output, torch.Tensor):
        raise UsageError(f"the model gives a {type(output).__name__}: wrap it so that it gives the tensor that is trained")
    if id(output) not in recorder.made:
        raise UsageError("the model's output is no tensor that its layers made")
    reading = _understand(model, recorder, recorder.made[id(output)], start)
    reading.outputs = output.numel() // len(batch)
    return reading


def first_output(output: Any) -> Any:
    """Of a model that gives several tensors, the one that counts."""
    return output[0] if isinstance(output, (tuple, list)) else output


def _understand(model: torch.nn.Module, recorder: _Recorder, last: _Step, start: _Step) -> ModelReading:
    reading = ModelReading(layers=recorder.layers)
    _note_modules(model, reading)
    if not reading.layers:
        raise UsageError("the model ran no Linear or convolutional layer whose weights could be drawn")
    _follow(reading, last, start)
    return reading


def _object(reading: ModelReading, phrase: str) -> None:
    if phrase not in reading.obstacles:
        reading.obstacles.append(phrase)


def _follow(reading: ModelReading, step: _Step, start: _Step) -> None:
    """Back from the output to the input: linear, activation, linear … or what stands in the way."""
    chain: list[Layer] = []
    kinds: set[str] = set()
    between: str | None = None  # the activation since the last linear layer that was passed
    while step is not start:
        if step.kind == "linear":
            assert step.layer is not None
            if step.layer in chain:
                _object(reading, f"layer {step.layer.name} is used more than once")
                return
            if chain and between is None:
                kinds.add("identity")
            chain.append(step.layer)
            between = None
        elif step.kind == "activation":
            if not chain:
                reading.notes.append(f"{step.name.lstrip('?')} behind the output layer: passed over")
            elif step.name.startswith("?"):
                _object(reading, f"the theory has no {step.name[1:]}")
            elif between is not None:
                _object(reading, f"{step.name} is followed by {between} without a layer between")
            else:
                kinds.add(step.name)
            between = step.name
        elif step.kind == "norm":
            _object(reading, f"{step.name} undoes the scale that the weights before it give")
        elif step.kind == "sum":
            _object(reading, "it adds branches (residual)")
        elif step.kind == "dropout":
            note = "dropout is passed over: the answer is for the network without it"
            if note not in reading.notes:
                reading.notes.append(note)
        elif step.kind == "convolution":
            _object(reading, "it has convolutions")
            return
        elif step.kind == "other":
            _object(reading, f"{step.name} is not part of a fully connected network")
        elif step.kind == "end" and chain:
            _object(reading, f"{step.name} lies between its layers")
        if not step.inputs:
            _object(reading, f"{step.name} does not come from the input")
            return
        step = step.inputs[0]
    if between is not None and chain:
        _object(reading, f"{between} comes before the first layer")
    if len(kinds) > 1:
        _object(reading, f"its activations differ ({', '.join(sorted(kinds))})")
    chain.reverse()
    if [layer.name for layer in chain] != [layer.name for layer in reading.layers] and reading.theory:
        _object(reading, "layers lie beside the path from input to output")
    elif len(chain) == 1:
        _object(reading, "it has no hidden layer")
    reading.activation = next(iter(kinds)) if len(kinds) == 1 else None


def _note_modules(model: torch.nn.Module, reading: ModelReading) -> None:
    """Modules with parameters that are not among the layers stay as they are."""
    drawn = {layer.name for layer in reading.layers}
    for name, module in model.named_modules():
        if name in drawn or not any(True for _ in module.parameters(recurse=False)):
            continue
        reading.notes.append(f"{name or 'the model itself'} ({type(module).__name__}): left alone")


def draw_layer(layer: Layer, prior: LayerPrior, distribution: str, generator: torch.Generator) -> None:
    """Weights of variance weight_variance / fan_in, biases of variance bias_variance."""
    for values, deviation in ((layer.weight, math.sqrt(prior.weight_variance / layer.fan_in)),
                              (layer.bias, math.sqrt(prior.bias_variance))):
        if values is None:
            continue
        if deviation == 0.0:
            values.zero_()
        elif distribution == "uniform":
            values.uniform_(-math.sqrt(3.0) * deviation, math.sqrt(3.0) * deviation, generator=generator)
        else:
            values.normal_(0.0, deviation, generator=generator)
