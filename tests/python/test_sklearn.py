"""The estimators keep scikit-learn's contract and do what they say."""

import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import priorfit
from priorfit.sklearn import NNGPClassifier, NNGPRegressor, PriorfitMLPClassifier, PriorfitMLPRegressor

quick = {"hidden_layer_sizes": (16,), "epochs": 100, "batch": 16, "learning_rate": 0.01}


@parametrize_with_checks([NNGPRegressor(), NNGPClassifier(), PriorfitMLPRegressor(**quick), PriorfitMLPClassifier(**quick)])
def test_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X[:160]), y[:160]


class Fixed(Kernel):
    """The covariance of our network as scikit-learn has kernels, with nothing to fit."""

    def __init__(self):
        pass

    def __call__(self, X, Y=None, eval_gradient=False):
        K = priorfit.covariance(X, (1.5, 0.2), np.asarray(X if Y is None else Y), depth=2)
        return (K, np.empty((*K.shape, 0))) if eval_gradient else K

    def diag(self, X):
        return np.diag(self(X))

    def is_stationary(self):
        return False


def test_predictions_and_evidence_are_those_of_scikit_learn_with_our_kernel(diabetes):
    X, y = diabetes
    ours = NNGPRegressor(2, weight_variance=1.5, bias_variance=0.2, noise_variance=0.3, optimizer=None).fit(X[:120], y[:120])
    theirs = GaussianProcessRegressor(Fixed(), alpha=0.3, optimizer=None, normalize_y=True).fit(X[:120], y[:120])
    mean, deviation = ours.predict(X[120:], return_std=True)
    wanted, spread = theirs.predict(X[120:], return_std=True)
    assert np.allclose(mean, wanted, rtol=1e-8)
    assert np.allclose(np.sqrt(deviation**2 - 0.3 * ours._scale[0] ** 2), spread, rtol=1e-6)
    assert np.allclose(ours.predict(X[120:125], return_cov=True)[1], theirs.predict(X[120:125], return_cov=True)[1], rtol=1e-6)
    assert np.isclose(ours.log_marginal_likelihood(), theirs.log_marginal_likelihood_value_, rtol=1e-9)


def test_gradient_of_the_evidence(diabetes):
    X, y = diabetes
    model = NNGPRegressor(depth=2, optimizer=None).fit(X, y)
    _, slopes = model.log_marginal_likelihood(1.2, 0.3, 0.5, eval_gradient=True)
    for place, step in enumerate(np.eye(3) * 1e-5):
        ends = [model.log_marginal_likelihood(*(np.array([1.2, 0.3, 0.5]) + sign * step)) for sign in (1, -1)]
        assert np.isclose((ends[0] - ends[1]) / 2e-5, slopes[place], rtol=1e-5)


def test_fitting_raises_the_evidence(diabetes):
    X, y = diabetes
    fixed, fitted = NNGPRegressor(optimizer=None).fit(X, y), NNGPRegressor().fit(X, y)
    assert fitted.log_marginal_likelihood() > fixed.log_marginal_likelihood() + 1
    assert fitted.noise_variance_ != fitted.noise_variance


def test_probabilities_are_honest_in_a_simple_case():
    from priorfit.sklearn import _largest_probabilities
    from scipy.stats import norm
    p = _largest_probabilities(np.array([[0.3, -0.1]]), np.array([0.5]))
    assert np.isclose(p[0, 0], norm.cdf(0.4 / (0.5 * np.sqrt(2))), atol=1e-6)


def test_search_pipeline_clone_and_pickle():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), NNGPClassifier(optimizer=None, noise_variance=0.1))
    search = GridSearchCV(pipeline, {"nngpclassifier__weight_variance": [0.5, 2.0], "nngpclassifier__depth": [1, 2]}, cv=3)
    search.fit(X, y)
    assert search.best_score_ > 0.93
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict_proba(X), search.best_estimator_.predict_proba(X))
    clone(again).fit(X, y)


def test_networks_start_where_it_is_recommended():
    X, y = load_iris(return_X_y=True)
    model = PriorfitMLPClassifier((32,), epochs=40, random_state=3).fit(X, y)
    assert model.initialisation_ == model.answer_.initialisation
    assert np.array_equal(PriorfitMLPClassifier(32, epochs=40, random_state=3).fit(X, y).coefs_[0], model.coefs_[0])
    same = PriorfitMLPClassifier((32,), start=model.answer_, epochs=40, random_state=3).fit(X, y)
    assert np.array_equal(same.coefs_[0], model.coefs_[0])
    other = PriorfitMLPClassifier((32,), start="he", epochs=40, random_state=3).fit(X, y)
    assert not np.array_equal(other.coefs_[0], model.coefs_[0])
