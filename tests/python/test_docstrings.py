"""The examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import priorfit

faces = {"torch": "torch", "_torch_model": "torch", "_torch_pilots": "torch", "keras": "keras", "flax": "flax",
         "sklearn": "sklearn", "_experiment": "joblib"}
modules = [m.name for m in pkgutil.iter_modules(priorfit.__path__) if m.name != "_core"]


@pytest.mark.parametrize("name", modules)
def test_examples_of(name):
    if name in faces:
        pytest.importorskip(faces[name])
    module = importlib.import_module(f"priorfit.{name}")
    assert module.__doc__, f"{name} has no docstring"
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("name", sorted(priorfit.__all__))
def test_help_of(name):
    assert getattr(priorfit, name).__doc__, f"help(priorfit.{name}) would be empty"
