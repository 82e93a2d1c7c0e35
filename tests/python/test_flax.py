"""Flax, linen and nnx, run for real."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("flax")

from flax import linen, nnx

import priorfit
import priorfit.flax

start = priorfit.Initialisation((priorfit.LayerPrior(1.7, 0.3), priorfit.LayerPrior(0.2, 0.0)))


def test_initializers_draw_the_variances():
    first, output = priorfit.flax.initializers(start)
    model = linen.Sequential([linen.Dense(2000, **first), linen.relu, linen.Dense(300, **output)])
    params = model.init(jax.random.PRNGKey(1), np.zeros((1, 400)))["params"]
    kernel, bias = np.asarray(params["layers_0"]["kernel"]), np.asarray(params["layers_0"]["bias"])
    last = params["layers_2"]
    assert np.isclose(kernel.var() * 400, 1.7, rtol=0.02) and np.isclose(bias.var(), 0.3, rtol=0.1)
    assert np.isclose(np.asarray(last["kernel"]).var() * 2000, 0.2, rtol=0.02) and not np.asarray(last["bias"]).any()


def test_uniform_initializers():
    uniform = priorfit.Initialisation((priorfit.LayerPrior(1.0, 0.3),) * 2, "uniform")
    params = linen.Dense(2000, **priorfit.flax.initializers(uniform)[0]).init(jax.random.PRNGKey(1), np.zeros((1, 400)))
    kernel, bias = np.asarray(params["params"]["kernel"]), np.asarray(params["params"]["bias"])
    assert np.isclose(kernel.var() * 400, 1.0, rtol=0.02) and np.abs(kernel).max() <= (3 / 400) ** 0.5 + 1e-6
    assert np.isclose(bias.var(), 0.3, rtol=0.1)


class Mlp(linen.Module):
    @linen.compact
    def __call__(self, x):
        for _ in range(11):
            x = linen.relu(linen.Dense(8)(x))
        return linen.Dense(2)(x)


def test_parameters_are_drawn_in_the_order_of_the_layers():
    model = Mlp()
    variables = model.init(jax.random.PRNGKey(0), np.zeros((1, 5)))
    wanted = priorfit.Initialisation.tied(1.5, 0.1, layers=12)
    drawn = priorfit.flax.draw(variables, wanted, random_state=9)
    network = wanted.draw(5, [8] * 11, 2, seed=9)
    for place in range(12):
        assert np.array_equal(np.asarray(drawn["params"][f"Dense_{place}"]["kernel"]), network.parameters[2 * place].T)
    inputs = np.random.default_rng(0).normal(size=(4, 5))
    assert np.allclose(model.apply(drawn, inputs), network(inputs), atol=1e-4)


class Small(nnx.Module):
    def __init__(self, rngs):
        self.output = nnx.Linear(16, 3, rngs=rngs)
        self.hidden = nnx.Linear(4, 16, rngs=rngs)

    def __call__(self, x):
        return self.output(nnx.relu(self.hidden(x)))


def test_nnx_models_are_set_in_place():
    model = Small(nnx.Rngs(0))
    priorfit.flax.draw_(model, start, random_state=2)
    network = start.draw(4, [16], 3, seed=2)
    inputs = np.random.default_rng(0).normal(size=(6, 4))
    assert np.allclose(model(inputs), network(inputs), atol=1e-4)
    answer = priorfit.recommend(inputs, inputs[:, :3], widths=[16], budget=0)
    answer.init_(model, random_state=2)
    assert np.allclose(model(inputs), answer.initialisation.draw(4, [16], 3, seed=2)(inputs), atol=1e-4)


class Backwards(linen.Module):
    """Its output layer is made first, and so has the number 0."""

    @linen.compact
    def __call__(self, x):
        output, hidden = linen.Dense(3), linen.Dense(16)
        return output(linen.relu(hidden(x)))


def test_layers_that_are_numbered_otherwise():
    model = Backwards()
    variables = model.init(jax.random.PRNGKey(0), np.zeros((1, 4)))
    assert variables["params"]["Dense_0"]["kernel"].shape == (16, 3)
    drawn = priorfit.flax.draw(variables, start, random_state=2)
    inputs = np.random.default_rng(0).normal(size=(6, 4))
    assert np.allclose(model.apply(drawn, inputs), start.draw(4, [16], 3, seed=2)(inputs), atol=1e-4)
    with pytest.raises(priorfit.UsageError, match="priorfit.flax.draw"):
        priorfit.recommend(inputs, inputs[:, :3], widths=[16], budget=0).init_(model)


def test_pasted_lines_run():
    scope = {"nn": linen, "features": 2000}
    exec(priorfit.Initialisation.tied(1.7, 0.3, layers=2).lines("flax"), scope)
    layer = linen.Dense(2000, kernel_init=scope["kernels"][0], bias_init=scope["biases"][0])
    params = layer.init(jax.random.PRNGKey(1), np.zeros((1, 400)))["params"]
    assert np.isclose(np.asarray(params["kernel"]).var() * 400, 1.7, rtol=0.02)
    assert np.isclose(np.asarray(params["bias"]).var(), 0.3, rtol=0.1)


def test_mistakes_are_named():
    with pytest.raises(priorfit.UsageError, match="12 dense layers"):
        priorfit.flax.draw(Mlp().init(jax.random.PRNGKey(0), np.zeros((1, 5))), start)
