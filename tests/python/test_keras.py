"""Keras 3 on JAX, run for real."""

import numpy as np
import pytest

pytest.importorskip("jax")
keras = pytest.importorskip("keras")

import priorfit
import priorfit.keras

start = priorfit.Initialisation((priorfit.LayerPrior(1.7, 0.3), priorfit.LayerPrior(0.2, 0.0)))


def test_initializers_draw_the_variances():
    first, output = priorfit.keras.initializers(start, seed=1)
    model = keras.Sequential([keras.Input((400,)), keras.layers.Dense(2000, "relu", **first), keras.layers.Dense(300, **output)])
    kernel, bias, last, last_bias = map(np.asarray, model.get_weights())
    assert np.isclose(kernel.var() * 400, 1.7, rtol=0.02) and np.isclose(bias.var(), 0.3, rtol=0.1)
    assert np.isclose(last.var() * 2000, 0.2, rtol=0.02) and not last_bias.any()
    assert np.abs(kernel).max() > 3 * kernel.std()  # a normal distribution, not one that is cut off


def test_uniform_initializers():
    uniform = priorfit.Initialisation((priorfit.LayerPrior(1.0, 0.3),) * 2, "uniform")
    first = priorfit.keras.initializers(uniform, seed=1)[0]
    model = keras.Sequential([keras.Input((400,)), keras.layers.Dense(2000, **first)])
    kernel, bias = map(np.asarray, model.get_weights())
    assert np.isclose(kernel.var() * 400, 1.0, rtol=0.02) and np.abs(kernel).max() <= (3 / 400) ** 0.5 + 1e-6
    assert np.isclose(bias.var(), 0.3, rtol=0.1)


def test_a_model_is_read_set_and_trained():
    data = priorfit.as_data("digits", samples=300)
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(64, "tanh"), keras.layers.Dropout(0.1),
                              keras.layers.Dense(32), keras.layers.Activation("tanh"),
                              keras.layers.Dense(10, "softmax")])
    answer = priorfit.keras.init_(model, data.inputs, np.asarray(data.labels), random_state=4, pilots=12)
    assert answer.verdict.current == "Keras's default"
    assert answer.network.widths == [64, 32] and answer.network.activation == "tanh" and any("Dropout" in n for n in answer.notes)
    network = answer.initialisation.draw(64, [64, 32], 10, seed=4)
    dense = [layer for layer in model.layers if isinstance(layer, keras.layers.Dense)]
    for layer, weights, bias in zip(dense, network.parameters[::2], network.parameters[1::2]):
        assert np.array_equal(np.asarray(layer.kernel), weights.T) and np.array_equal(np.asarray(layer.bias), bias)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(data.inputs, np.asarray(data.labels), epochs=8, verbose=0)
    assert history.history["loss"][-1] < history.history["loss"][0]


def test_pasted_lines_run():
    model = keras.Sequential([keras.Input((400,)), keras.layers.Dense(2000, "relu"), keras.layers.Dense(300)])
    exec(priorfit.Initialisation.tied(1.7, 0.3, layers=2).lines("keras"), {"keras": keras, "model": model})
    kernel, bias, last, _ = map(np.asarray, model.get_weights())
    assert np.isclose(kernel.var() * 400, 1.7, rtol=0.02) and np.isclose(bias.var(), 0.3, rtol=0.1)
    assert np.isclose(last.var() * 2000, 1.7, rtol=0.02)


@pytest.mark.parametrize("layers, words", [
    ([keras.layers.Dense(8, "relu"), keras.layers.BatchNormalization(), keras.layers.Dense(1)], "BatchNormalization"),
    ([keras.layers.Dense(8, "relu"), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)], "differ"),
    ([keras.layers.Dense(8, "mish"), keras.layers.Dense(1)], "mish"),
    ([keras.layers.Dense(1)], "no hidden"),
])
def test_what_the_theory_does_not_cover_is_refused(layers, words):
    model = keras.Sequential([keras.Input((4,)), *layers])
    before = [np.array(w) for w in model.get_weights()]
    with pytest.raises(priorfit.UsageError, match=words):
        priorfit.keras.init_(model, np.eye(4), np.arange(4.0))
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))


def functional(residual):
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(8, "relu")(inputs)
    other = keras.layers.Dense(8, "relu")(hidden)
    return keras.Model(inputs, keras.layers.Dense(2)(hidden + other if residual else other))


class Subclass(keras.Model):
    def __init__(self):
        super().__init__()
        self.last, self.first = keras.layers.Dense(2), keras.layers.Dense(8, "relu")

    def call(self, inputs):
        return self.last(self.first(inputs))


def test_models_of_the_functional_api():
    X = np.random.default_rng(0).normal(size=(40, 4))
    answer = priorfit.keras.init_(functional(False), X, (X[:, 0] > 0).astype(int), budget=0)
    assert answer.network.widths == [8, 8]
    with pytest.raises(priorfit.UsageError, match="joins branches"):
        priorfit.keras.init_(functional(True), X, X[:, :2], budget=0)
    model = Subclass()
    model(X)
    with pytest.raises(priorfit.UsageError, match="order"):
        priorfit.keras.init_(model, X, X[:, :2], budget=0)


@pytest.mark.parametrize("X, y, words", [
    (np.eye(5)[:4, :3], np.arange(4), "X has 3 features, layer .* takes 4"), (np.eye(4), np.arange(4), "2 outputs, y 4 classes"),
    (np.eye(4), np.arange(3.0), "y has 3 rows but X has 4"), (np.eye(4), np.arange(4.0), "2 outputs, y 1 columns")])
def test_data_that_do_not_fit_are_named(X, y, words):
    with pytest.raises(priorfit.UsageError, match=words):
        priorfit.keras.init_(functional(False), X, y)
