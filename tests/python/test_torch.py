"""Torch models of every kind: what is drawn, what is left alone, and what is said about it."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import nn
from torch.nn import functional as F

import priorfit
import priorfit.torch
from priorfit.torch import read_model


def data(rows=60, features=4, seed=0):
    X = torch.randn(rows, features, generator=torch.Generator().manual_seed(seed))
    return X, torch.sin(X[:, 0])


class Functional(nn.Module):
    """Activations by function, layers declared in another order than they run."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(24, 2)
        self.second = nn.Linear(16, 24)
        self.first = nn.Linear(4, 16)

    def forward(self, x):
        x = torch.tanh(self.first(x))
        x = F.dropout(x, 0.1, self.training)
        return self.out(torch.tanh(self.second(x)))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = nn.Linear(4, 16), nn.Linear(16, 16), nn.Linear(16, 1)

    def forward(self, x):
        x = F.relu(self.first(x))
        return self.out(x + F.relu(self.second(x)))


def test_layers_count_in_the_order_in_which_they_run():
    reading = read_model(Functional(), data()[0][:8])
    assert [layer.name for layer in reading.layers] == ["first", "second", "out"]
    assert reading.theory and reading.activation == "tanh" and reading.widths == [16, 24]
    assert any("dropout" in note for note in reading.notes) or not Functional().training


def test_weights_are_drawn_in_place_with_the_recommended_variances():
    model = Functional()
    X, y = data()
    answer = priorfit.torch.init_(model, X, torch.stack([y, -y], 1), random_state=2, budget=0)
    pairs = answer.initialisation.pairs()
    network = answer.initialisation.draw(4, [16, 24], 2, seed=2)
    for layer, weights, bias in zip((model.first, model.second, model.out), network.parameters[::2], network.parameters[1::2]):
        assert np.array_equal(layer.weight.detach().numpy(), weights)
        assert np.array_equal(layer.bias.detach().numpy(), bias)
    wide = nn.Sequential(nn.Linear(500, 800), nn.Tanh(), nn.Linear(800, 900), nn.Tanh(), nn.Linear(900, 400))
    answer.init_(wide, generator=torch.Generator().manual_seed(1))
    for layer, (weight_variance, _) in zip(wide[::2], pairs):
        assert np.isclose(float(layer.weight.var()) * layer.in_features, weight_variance, rtol=0.02)


def test_generator_makes_it_reproducible():
    start = priorfit.Initialisation.tied(1.3, 0.2, layers=2)
    draws = []
    for seed in (5, 5, 6):
        model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
        priorfit.torch.draw_(model, start, generator=torch.Generator().manual_seed(seed))
        draws.append(model[0].weight.detach().clone())
    assert torch.equal(draws[0], draws[1]) and not torch.equal(draws[0], draws[2])


def test_uniform_starts():
    start = priorfit.Initialisation.named("pytorch", features=300, widths=[400], outputs=5)
    model = nn.Sequential(nn.Linear(300, 400), nn.ReLU(), nn.Linear(400, 5))
    priorfit.torch.draw_(model, start, generator=torch.Generator().manual_seed(0))
    assert float(model[0].weight.abs().max()) <= 1 / 300**0.5 + 1e-7
    assert np.isclose(float(model[0].weight.var()), 1 / (3 * 300), rtol=0.02)


@pytest.mark.parametrize("layers, activation", [
    ([nn.ReLU()], "relu"), ([nn.GELU()], "gelu"), ([nn.LeakyReLU(0.2)], "leaky_relu:0.2"), ([nn.SiLU()], "silu"),
    ([nn.ELU()], "elu"), ([nn.Sigmoid()], "sigmoid"), ([nn.Softplus()], "softplus"), ([nn.SELU()], "selu"),
    ([], "identity"), ([nn.Dropout(0.5), nn.Tanh(), nn.Flatten()], "tanh"), ([nn.ReLU(inplace=True)], "relu")])
def test_activations_by_module(layers, activation):
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 6), *layers, nn.Linear(6, 3), nn.LogSoftmax(dim=1))
    reading = read_model(model, torch.randn(5, 2, 2))
    assert reading.theory, reading.obstacles
    assert reading.activation == activation and reading.outputs == 3


@pytest.mark.parametrize("model, words", [
    (nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 1)), "LayerNorm"),
    (nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1)), "BatchNorm"),
    (Residual(), "residual"),
    (nn.Sequential(nn.Unflatten(1, (1, 2, 2)), nn.Conv2d(1, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(3, 1)), "convolutions"),
    (nn.Sequential(nn.Linear(4, 8), nn.Hardtanh(), nn.Linear(8, 1)), "hardtanh"),
    (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)), "differ"),
    (nn.Linear(4, 1), "no hidden layer"),
])
def test_what_the_theory_does_not_cover_is_left_alone_and_said(model, words):
    X, y = data()
    before = [p.clone() for p in model.parameters()]
    training = model.training
    answer = priorfit.torch.init_(model, X, y, pilots=0)
    assert words in " ".join(answer.notes) and answer.verdict.action == "keep" and answer.initialisation is None
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters())) and model.training == training


def test_pilots_of_the_model_itself_decide():
    """Weights five times too large in the last layer train worse; pilots notice which usual start is better."""
    X = torch.randn(300, 4, generator=torch.Generator().manual_seed(0))
    y = (X[:, 0] * X[:, 1] > 0).long()
    model = nn.Sequential(nn.Linear(4, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 2))
    state = torch.random.get_rng_state()
    answer = priorfit.torch.init_(model, X, y, pilots=18, random_state=1)
    assert torch.equal(state, torch.random.get_rng_state())
    assert 9 <= answer.verdict.pilots <= 18 and answer.verdict.action in ("keep", "change")
    assert answer.verdict.text.startswith(("Keep", "Change"))
    assert len(answer.candidates) == 6 and any("LayerNorm" in note for note in answer.notes)
    again = nn.Sequential(nn.Linear(4, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 2))
    same = priorfit.torch.init_(again, X, y, pilots=18, random_state=1)
    assert same.verdict == answer.verdict and torch.equal(again[0].weight, model[0].weight)


def test_pilots_find_a_start_that_is_clearly_better(monkeypatch):
    from priorfit import _torch_pilots
    found = _torch_pilots.starts_for

    def with_a_bad_default(layers):
        starts = found(layers)
        bad = priorfit.Initialisation(tuple(priorfit.LayerPrior(1e-8, 0.0) for _ in layers))
        return {**starts, "PyTorch's default": bad}

    monkeypatch.setattr(_torch_pilots, "starts_for", with_a_bad_default)
    X = torch.randn(300, 4, generator=torch.Generator().manual_seed(0))
    model = Residual()
    answer = priorfit.torch.init_(model, X, X[:, 0], pilots=20)
    assert answer.verdict.action == "change" and answer.verdict.gain > 0
    assert "Change it" in repr(answer)


def test_pilots_train_as_the_caller_will(monkeypatch):
    from priorfit import _torch_pilots
    seen = []
    found = _torch_pilots._pilot
    monkeypatch.setattr(_torch_pilots, "_pilot", lambda m, s, task, training, seed: seen.append(training) or
                        found(m, s, task, training, seed))
    X = torch.randn(100, 4, generator=torch.Generator().manual_seed(0))
    y = (X[:, 0] > 0).long()
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2))
    answer = priorfit.torch.init_(model, X, y, optimizer="sgd", learning_rate=0.1, momentum=0.9, batch=16, epochs=2,
                                  loss="squared", pilots=10, criterion="evidence")
    training = seen[0]
    assert (training.optimizer, training.learning_rate, training.momentum, training.batch, training.epochs) == \
        ("sgd", 0.1, 0.9, 16, 2)
    assert any("criterion: not used" in note for note in answer.notes) and len(seen) <= 10
    again = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2))
    before = again[0].weight.clone()
    answer.init_(again, example=X[:4])
    assert not torch.equal(before, again[0].weight)


def test_pilots_keep_to_their_budget():
    X = torch.randn(4000, 30, generator=torch.Generator().manual_seed(0))
    model = nn.Sequential(nn.Linear(30, 512), nn.LayerNorm(512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(),
                          nn.Linear(512, 1))
    import time
    began = time.monotonic()
    answer = priorfit.torch.init_(model, X, X[:, 0], budget=1, batch=8, epochs=10)  # 8000 steps of every pilot
    assert answer.verdict.pilots >= 16 and time.monotonic() - began < 30


@pytest.mark.parametrize("options, words", [({"loss": "hinge"}, "loss 'hinge'"), ({"pilots": 3}, "at least 10"),
                                            ({"optimizer": "lion"}, "optimizer 'lion'"),
                                            ({"loss": "cross-entropy"}, "classes"),
                                            ({"pilotz": 10}, "did you mean 'pilots'"),
                                            ({"generator": 3}, "torch.Generator")])
def test_mistakes_in_options_of_pilots_are_named(options, words):
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 1))
    with pytest.raises(priorfit.UsageError, match=words):
        priorfit.torch.init_(model, *data(), **options)


def test_layers_without_bias():
    """No start with biases is recommended; the one in use may have them in name."""
    model = nn.Sequential(nn.Linear(4, 32, bias=False), nn.ReLU(), nn.Linear(32, 1, bias=False))
    X, y = data()
    answer = priorfit.torch.init_(model, X, y, current="he", pilots=12)
    assert all(layer.bias_variance < 1e-6 for layer in answer.initialisation.layers)
    assert all(layer.bias_variance < 1e-6 for start in answer.candidates for layer in start.layers)
    assert any("without a bias" in note for note in answer.notes)


def test_lazy_layers():
    model = nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(1))
    X, y = data()
    answer = priorfit.torch.init_(model, X, y, budget=0)
    assert model[0].weight.shape == (8, 4) and len(answer.initialisation) == 2


def test_state_dict_has_the_keys_of_the_model():
    model = Functional()
    before = model.first.weight.clone()
    state = priorfit.torch.state_dict(model, priorfit.Initialisation.tied(2.0, layers=3), example=data()[0][:4])
    assert sorted(state) == sorted(model.state_dict()) and torch.equal(before, model.first.weight)
    model.load_state_dict(state)


class Named(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return {"logits": self.model(x)}


def test_mistakes_are_named():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    with pytest.raises(priorfit.UsageError, match="3"):
        priorfit.torch.draw_(model, priorfit.Initialisation.tied(2.0, layers=3))
    with pytest.raises(priorfit.UsageError, match="give a torch.nn.Module"):
        priorfit.torch.init_(3, *data())
    with pytest.raises(priorfit.UsageError, match="no rows"):
        priorfit.torch.init_(model, torch.zeros(0, 4), torch.zeros(0))
    with pytest.raises(priorfit.UsageError, match="gives a dict"):
        priorfit.torch.init_(Named(model), *data())
    with pytest.raises(priorfit.UsageError, match="does not run"):
        priorfit.torch.init_(model, torch.randn(20, 7), torch.randn(20))


def test_pasted_lines_run():
    model = nn.Sequential(nn.Linear(400, 2000), nn.ReLU(), nn.Linear(2000, 300))
    X = torch.zeros(2, 400)
    exec(priorfit.Initialisation.tied(1.7, 0.3, layers=2).lines("torch"), {"torch": torch, "model": model, "inputs": X})
    assert np.isclose(float(model[0].weight.var()) * 400, 1.7, rtol=0.02)
    assert np.isclose(float(model[2].weight.var()) * 2000, 1.7, rtol=0.02)


def test_the_example_of_the_readme_runs():
    X, y = data(rows=80)
    X, y = X.numpy(), (y.numpy() > 0).astype(int)
    answer = priorfit.recommend(X, y, widths=[256, 256], activation="relu", loss="cross-entropy", budget=2)
    assert answer.verdict.action in ("keep", "change") and answer.verdict.metric == "accuracy"
    assert answer.verdict.gain is None or isinstance(answer.verdict.gain, float)
    assert len(answer.initialisation.layers) == 3
    model = nn.Sequential(nn.Linear(4, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
    before = model[0].weight.clone()
    answer.init_(model)
    drawn = model[0].weight.clone()
    assert not torch.equal(before, drawn)
    mine = priorfit.torch.init_(model, X, y, budget=2)
    assert mine.verdict.action in ("keep", "change") and mine.network.widths == [256, 256]
    assert repr(answer).splitlines()[0].startswith("X: 80 rows") and "<iframe" in answer._repr_html_()


def test_the_recommended_start_trains():
    answer_data = priorfit.as_data("digits", samples=400)
    X, y = torch.as_tensor(answer_data.inputs.copy()).float(), torch.as_tensor(answer_data.labels.copy()).long()
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    priorfit.torch.init_(model, X, y.numpy(), criterion="trained-risk")
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(150):
        optimizer.zero_grad()
        F.cross_entropy(model(X), y).backward()
        optimizer.step()
    assert float((model(X).argmax(1) == y).float().mean()) > 0.9


def small_convolution():
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 4, 2))


def pictures(rows=60):
    X = torch.randn(rows, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    return X, (X[:, 0, 0, 0] > 0).long()


def test_an_answer_of_pilots_draws_further_models_without_an_example():
    X, y = pictures()
    answer = priorfit.torch.init_(small_convolution(), X, y, pilots=10, epochs=1)
    again = small_convolution()
    before = again[0].weight.clone()
    assert answer.init_(again) is again and not torch.equal(before, again[0].weight)
    assert answer.to_dict()["verdict"]["pilots"] == answer.verdict.pilots
    words = repr(answer)
    assert words.startswith(answer.verdict.text) and "note: the theory does not apply" in words
    assert f"LeCun                   {100 * answer.candidates[2].pilot:.1f} %" in words
    with pytest.raises(priorfit.UsageError, match="example="):
        priorfit.torch.draw_(small_convolution(), answer.initialisation)


def test_progress_of_pilots_is_told_and_may_stop_them():
    X, y = pictures()
    told = []
    priorfit.torch.init_(small_convolution(), X, y, pilots=10, epochs=1, progress=lambda *news: told.append(news))
    fractions = [fraction for _, fraction in told]
    assert len(told) >= 8 and fractions == sorted(fractions) and 0 < fractions[0] and fractions[-1] <= 1
    assert "He" in " ".join(stage for stage, _ in told)

    def stop(stage, fraction):
        raise KeyboardInterrupt

    model = small_convolution()
    before = model[0].weight.clone()
    with pytest.raises(KeyboardInterrupt):
        priorfit.torch.init_(model, X, y, pilots=10, epochs=1, progress=stop)
    assert torch.equal(before, model[0].weight)


class TwoOutputs(nn.Module):
    """Gives its features beside its answer, and looks up what it reads."""

    def __init__(self):
        super().__init__()
        self.table, self.hidden, self.out = nn.Embedding(7, 3), nn.Linear(6, 8), nn.Linear(8, 1)

    def forward(self, x):
        features = torch.relu(self.hidden(self.table(x).flatten(1)))
        return self.out(features).squeeze(1), features


def test_embeddings_are_left_alone_and_further_outputs_passed_over():
    X = torch.randint(0, 7, (50, 2), generator=torch.Generator().manual_seed(0))
    model = TwoOutputs()
    before = model.table.weight.clone()
    answer = priorfit.torch.init_(model, X, (X[:, 0] > 3).long(), pilots=10, epochs=1)
    assert torch.equal(before, model.table.weight) and answer.verdict.metric == "accuracy"
    assert "table (Embedding): left alone" in answer.notes
    assert len(answer.initialisation) == 2


def test_frames_and_models_in_double_precision():
    pandas = pytest.importorskip("pandas")
    X, y = data()
    frame = pandas.DataFrame(X.numpy().astype(np.float64), columns=list("abcd"))
    models = [nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 1)).double() for _ in range(2)]
    priorfit.torch.init_(models[0], frame, pandas.Series(y.numpy()), pilots=10, epochs=1)
    priorfit.torch.init_(models[1], X.double(), y, pilots=10, epochs=1)
    assert models[0][0].weight.dtype == torch.float64 and torch.equal(models[0][0].weight, models[1][0].weight)
    priorfit.torch.init_(models[0], frame, (y > 0).numpy(), pilots=10, epochs=1)  # two classes, one logit
    with pytest.raises(priorfit.UsageError, match="as_data"):
        priorfit.torch.init_(models[0], frame.assign(a="x"), y)


@pytest.mark.parametrize("outputs, y, words", [
    (1, torch.zeros(59), "y has 59 rows but X has 60"), (3, torch.arange(60.0), "3 outputs, y 1 columns"),
    (2, torch.arange(60) % 3, "2 outputs, y 3 classes")])
@pytest.mark.parametrize("between", [nn.LayerNorm(8), nn.Identity()])
def test_targets_that_do_not_fit_are_named(outputs, y, words, between):
    model = nn.Sequential(nn.Linear(4, 8), between, nn.ReLU(), nn.Linear(8, outputs))
    with pytest.raises(priorfit.UsageError, match=words):
        priorfit.torch.init_(model, data()[0], y)
