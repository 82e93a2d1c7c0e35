"""One core, three faces: C++, command line and Python give the same numbers."""

import json
import subprocess

import numpy as np
import pytest

import priorfit
from priorfit import _core

# What tells of the run, not of the data; sentences name arguments as each face calls them.
about_the_run = {"command", "timing", "memory", "sentences", "seconds", "version"}


def figures(value):
    if isinstance(value, dict):
        return {name: figures(field) for name, field in value.items() if name not in about_the_run}
    if isinstance(value, list):
        return [figures(entry) for entry in value]
    return value


cases = {
    "evidence": ({"criterion": "evidence"}, ["--criterion", "evidence"]),
    "pilots": ({"pilots": 14, "loss": "squared", "optimizer": "sgd", "learning_rate": 0.02, "weight_decay": 1e-4,
                "batch": 32, "epochs": 5, "current": (2, 0, 0.1)},
               ["--pilots", 14, "--loss", "squared", "--optimizer", "sgd", "--learning-rate", 0.02, "--weight-decay",
                1e-4, "--batch", 32, "--epochs", 5, "--current", "2,0,0.1"]),
}


@pytest.mark.parametrize("case", cases)
def test_recommend_gives_the_same_figures_in_all_three(build, command, case):
    options, flags = cases[case]
    python = priorfit.recommend("digits", samples=200, random_state=3, depth=2, width=64, activation="tanh", threads=1,
                                **options)
    line = command("recommend", "digits", "--samples", 200, "--seed", 3, "--depth", 2, "--width", 64, "--activation",
                   "tanh", "--threads", 1, "--format", "json", *flags)
    library = subprocess.run([str(build / "python_faces"), case], capture_output=True, text=True, timeout=120,
                             check=True)
    assert figures(python.to_dict()) == figures(json.loads(line))
    assert figures(python.to_dict()) == figures(json.loads(library.stdout))
    if case == "pilots":
        assert python.pilots.count == 14 and python.loss == "squared" and python.optimizer == "sgd"


def test_every_flag_of_the_command_is_an_argument(command):
    """What is about files, the terminal and its formats has other names in Python."""
    import inspect
    import re
    flags = set(re.findall(r"^ +(?:-\w,)?--([\w-]+)", command("recommend", "--help"), re.M))
    elsewhere = {"help", "format", "out", "force", "quiet", "report", "details", "targets", "seed", "version",
                 "grid-shape"}  # of files, of printing, of mpirun
    known = {*inspect.signature(priorfit.recommend).parameters, *priorfit.recommend_options(), *_core.data_keywords()}
    assert len(flags) > 40
    assert sorted(flag for flag in flags - elsewhere if flag.replace("-", "_") not in known) == []


def test_every_option_is_in_the_help():
    words = priorfit.recommend.__doc__
    assert [name for name in priorfit.recommend_options() if name not in words] == []


@pytest.mark.parametrize("options, words", [
    ({"current": "kaimingg"}, "kaimingg"), ({"current": (1.0,)}, "variances"), ({"budget": -1}, "budget"),
    ({"loss": "hinge"}, "hinge"), ({"framework": "caffe"}, "caffe"), ({"risk_steps": 5}, "learning.rate"),
    ({"per_layer": True, "untie_output": True}, "per_layer"), ({"criterion": "best"}, "best")])
def test_mistakes_in_options_are_named(options, words):
    with pytest.raises(priorfit.UsageError, match=words):
        priorfit.recommend("digits", samples=30, **options)


def test_a_value_of_a_wrong_type_is_a_type_error():
    with pytest.raises(TypeError, match="epochs is 'many'"):
        priorfit.recommend("digits", samples=30, epochs="many")


def test_options_reach_the_library():
    small = {"samples": 40, "width": 64, "budget": 0}
    keras = priorfit.recommend("digits", current="keras", **small)
    assert keras.verdict.current == "Keras's default" and isinstance(keras.verdict.gain, float)
    change = {"current": (1e-4, 0.0), "samples": 300, "width": 128, "pilots": 30, "epochs": 20}
    assert "keras.initializers" in repr(priorfit.recommend("digits", framework="keras", **change))
    assert "keras.initializers" not in repr(priorfit.recommend("digits", framework="none", **change))
    assert len(keras.details()) > len(repr(keras))
    with pytest.raises(AttributeError, match="criterion='auto'"):
        priorfit.recommend("digits", samples=40, criterion="evidence", risk_samples=0).verdict
    per_layer = priorfit.recommend("digits", samples=40, depth=2, per_layer=True, risk_samples=0)
    assert per_layer.recommended.family == "per-layer"
    grid = priorfit.recommend("digits", samples=40, weight_variances=[0.5, 1.5], grid="paper", risk_samples=0)
    assert sorted({cell.weight_variance for cell in grid.grid}) == [0.5, 1.5]
    stopped = priorfit.recommend("digits", samples=40, criterion="trained-risk", risk_steps=50, risk_learning_rate=0.1)
    assert stopped.to_dict() != priorfit.recommend("digits", samples=40, criterion="trained-risk").to_dict()


def test_words_are_those_of_the_command(command):
    python = repr(priorfit.recommend("digits", samples=100, width=64, pilots=10, threads=1))
    line = command("recommend", "digits", "--samples", 100, "--width", 64, "--pilots", 10, "--threads", 1)
    assert python == line.rstrip("\n")


def test_arrays_are_read_as_npy_files_are(command, tmp_path):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 5)), rng.normal(size=80)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    line = json.loads(command("recommend", tmp_path / "X.npy", "--targets", tmp_path / "y.npy", "--threads", 1,
                              "--pilots", 10, "--format", "json"))
    python = priorfit.recommend(X, y, threads=1, pilots=10).to_dict()
    line["paste"] = {name: text.replace("X.npy", "X") for name, text in line["paste"].items()}
    for part in (line, python):
        for name in ("name", "preparation", "notes"):
            part["data"].pop(name, None)
    assert figures(python) == figures(line)


def test_initial_weights_are_those_of_the_command(command, tmp_path):
    command("init", "--layers", "6,16,3", "--weight-variance", 1.7, "--bias-variance", 0.2, "--seed", 5, "--out",
            tmp_path / "w.safetensors")
    there = priorfit.load_weights(tmp_path / "w.safetensors")
    here = priorfit.Initialisation.tied(1.7, 0.2, layers=2).draw(6, [16], 3, seed=5)
    for ours, theirs in zip(here.parameters, there.parameters):
        assert np.array_equal(ours, theirs)


def test_training_is_that_of_the_command(command, tmp_path):
    line = json.loads(command("train", "digits", "--samples", 150, "--weight-variance", 2, "--bias-variance", 0,
                              "--width", 32, "--epochs", 4, "--seed", 2, "--format", "json"))
    python = priorfit.train("digits", samples=150, start=(2.0, 0.0), widths=[32], epochs=4, random_state=2)
    assert python.test.accuracy == line["test"]["accuracy"]
    assert python.train.loss == line["train"]["loss"]


def test_kernel_is_that_of_the_command(command, tmp_path):
    command("kernel", "digits", "--samples", 40, "--weight-variance", 1.5, "--bias-variance", 0.1, "--tangent", "--width",
            64, "--out", tmp_path / "theta.npy")
    data = priorfit.as_data("digits", samples=40)
    assert np.array_equal(priorfit.tangent_kernel(data.inputs, (1.5, 0.1), widths=[64]), np.load(tmp_path / "theta.npy"))


def test_phase_is_that_of_the_command(command):
    line = json.loads(command("phase", "--activation", "tanh", "--depth", 7, "--format", "json"))
    python = priorfit.phase("tanh", depth=7).to_dict()
    assert figures(python) == figures(line)


@pytest.mark.parametrize("preset", ["paper-curves", "paper-table"])
def test_presets_are_there(preset):
    from priorfit import _core
    assert "[grid]" in _core.experiment_preset(preset)
