"""What the Python package costs and gains, in one run, interleaved: python bench/python.py [section …]
Of every side the fastest round counts.

overhead          a call on digits beside the same work in C++ (its own stopwatch)
gaussian-process  evidence with gradient at N = 2000 beside scikit-learn's GaussianProcessRegressor
neural-tangents   kernel and tangent kernel of 2000 rows of MNIST at depth 3, where neural-tangents can be imported
"""

import sys
import time
import unittest.mock

import numpy as np

import priorfit


def seconds(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def overhead():
    data = priorfit.as_data("digits")
    X, y = data.inputs.copy(), np.asarray(data.labels).copy()
    rounds = []
    for _ in range(15):
        began = time.perf_counter()
        answer = priorfit.recommend(X, y, budget=0, risk_samples=100, width=64, progress=False)
        rounds.append(time.perf_counter() - began - answer.timing.seconds)
    small = min(seconds(lambda: priorfit.covariance(X[:2])) for _ in range(50))
    print(f"recommend(X, y) on digits: {1000 * min(rounds):.2f} ms beyond the library's own stopwatch "
          f"(reading, drawing, JSON and text included); the smallest call {1000 * small:.3f} ms")


def gaussian_process():
    from scipy.linalg import lapack
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import Hyperparameter, Kernel, WhiteKernel, _approx_fprime

    class ArcCosine(Kernel):
        """Order 1, written as its users would: weight and bias variance of all layers, with the gradient in both."""

        def __init__(self, weight=1.0, bias=0.1, depth=1, limits=(1e-3, 1e3)):
            self.weight, self.bias, self.depth, self.limits = weight, bias, depth, limits

        @property
        def hyperparameter_weight(self):
            return Hyperparameter("weight", "numeric", self.limits)

        @property
        def hyperparameter_bias(self):
            return Hyperparameter("bias", "numeric", self.limits)

        def __call__(self, X, Y=None, eval_gradient=False):
            Y = X if Y is None else Y
            w, bias = self.weight, self.bias
            base, left, right = X @ Y.T / X.shape[1], np.mean(X * X, 1), np.mean(Y * Y, 1)
            c, a, b = bias + w * base, bias + w * left, bias + w * right  # covariances, and variances of either side
            by_w, by_w_a, by_w_b = base, left, right  # their slopes in w, and in the bias variance
            by_bias, by_bias_a, by_bias_b = np.ones_like(c), np.ones_like(a), np.ones_like(b)
            for _ in range(self.depth):
                root = np.sqrt(np.outer(a, b))
                phi = np.arccos(np.clip(c / root, -1, 1))
                sine, rest = np.sin(phi), np.pi - phi
                E = root * (sine + rest * np.cos(phi)) / (2 * np.pi)
                if eval_gradient:
                    by_c, both = rest / (2 * np.pi), root * sine / (4 * np.pi)
                    by_w = E + w * (by_c * by_w + both * ((by_w_a / a)[:, None] + (by_w_b / b)[None]))
                    by_bias = 1 + w * (by_c * by_bias + both * ((by_bias_a / a)[:, None] + (by_bias_b / b)[None]))
                    by_w_a, by_w_b = a / 2 + w * by_w_a / 2, b / 2 + w * by_w_b / 2
                    by_bias_a, by_bias_b = 1 + w * by_bias_a / 2, 1 + w * by_bias_b / 2
                c, a, b = bias + w * E, bias + w * a / 2, bias + w * b / 2
            if not eval_gradient:
                return c
            return c, np.dstack([bias * by_bias, w * by_w])  # of the logarithms, in the order of the names

        def diag(self, X):
            a = self.bias + self.weight * np.mean(X * X, 1)
            for _ in range(self.depth):
                a = self.bias + self.weight * a / 2
            return a

        def is_stationary(self):
            return False

    class ByDifferences(ArcCosine):
        """Its formula alone, with the gradient by scikit-learn's own differences."""

        def __call__(self, X, Y=None, eval_gradient=False):
            if not eval_gradient:
                return super().__call__(X, Y)
            return super().__call__(X), _approx_fprime(
                self.theta, lambda theta: super(ByDifferences, self.clone_with_theta(theta)).__call__(X), 1e-6)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 20))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=2000)
    for depth in (1, 3):
        fitted = [GaussianProcessRegressor(kind(1.5, 0.2, depth) + WhiteKernel(0.05), alpha=0.0, optimizer=None).fit(X, y)
                  for kind in (ArcCosine, ByDifferences)]
        written, plain = fitted
        theta = written.kernel_.theta
        engine = priorfit.Evidence(X, y, depth=depth)
        value, slopes = written.log_marginal_likelihood(theta, eval_gradient=True)
        ours = engine.gradient((1.5, 0.2), 0.05)
        by_log = [0.2 * ours.by_bias_variance, 1.5 * ours.by_weight_variance, 0.05 * ours.by_noise_variance]
        assert np.isclose(value, ours.log_marginal_likelihood, rtol=1e-9), (value, ours.log_marginal_likelihood)
        assert np.allclose(slopes, by_log, rtol=1e-6), (slopes, by_log)
        assert np.allclose(plain.log_marginal_likelihood(theta, eval_gradient=True)[1], slopes, rtol=1e-3)
        K = np.asfortranarray(written.kernel_(X))
        times = [(seconds(lambda: written.log_marginal_likelihood(theta, eval_gradient=True)),
                  seconds(lambda: plain.log_marginal_likelihood(theta, eval_gradient=True)),
                  seconds(lambda: engine.gradient((1.5, 0.2), 0.05)),
                  seconds(lambda: lapack.dpotri(lapack.dpotrf(K, lower=1)[0], lower=1))) for _ in range(15)]
        exact, differences, own, bound = (min(column) for column in zip(*times))  # others may run beside
        print(f"evidence with gradient, N = 2000, depth {depth}: priorfit {own:.3f} s; scikit-learn with the kernel's gradient "
              f"written out {exact:.3f} s ({exact / own:.1f} ×), by differences {differences:.3f} s "
              f"({differences / own:.1f} ×); the same value and slopes. LAPACK's factorisation and inverse alone: "
              f"{bound:.3f} s, {exact / bound:.1f} × at most")


def neural_tangents():
    import jax
    for name in ("tensorflow", "tf2jax", "jax.experimental.jax2tf"):  # of a part that takes TensorFlow's models, which is not used here
        sys.modules.setdefault(name, unittest.mock.MagicMock())
    from neural_tangents import stax
    width, start = 512, (2.0, 0.01)
    X = np.ascontiguousarray(priorfit.as_data("mnist", samples=2000).inputs)
    # The parameterisation that frameworks draw by, in which the tangent kernel knows the layers' widths.
    layer = dict(W_std=start[0] ** 0.5, b_std=start[1] ** 0.5, parameterization="standard")
    _, _, kernel = stax.serial(*[part for _ in range(3) for part in (stax.Dense(width, **layer), stax.Relu())],
                               stax.Dense(1, **layer))
    apply = jax.jit(lambda x: kernel(x, None, ("nngp", "ntk")))
    inputs = jax.numpy.asarray(X, dtype="float32")

    def theirs():
        found = apply(inputs)
        return np.asarray(found.nngp), np.asarray(found.ntk)

    def ours():
        return priorfit.covariance(X, start, depth=3), priorfit.tangent_kernel(X, start, depth=3, width=width)

    for name, peer, own in zip(("covariance", "tangent kernel"), theirs(), ours()):  # compiled now
        difference = np.abs(peer - own) / np.abs(own)
        print(f"{name}: relative difference at most {difference.max():.1e}, median {np.median(difference):.1e}")
        # In single precision the angle between two rows that are nearly alike is known to √ε.
        assert difference.max() < 1e-3 and np.median(difference) < 1e-6
    times = [(seconds(theirs), seconds(ours)) for _ in range(15)]
    peer, own = (min(column) for column in zip(*times))
    print(f"kernel and tangent kernel, 2000 rows of MNIST, depth 3: neural-tangents {peer:.3f} s (jax {jax.__version__}, "
          f"single precision), priorfit {own:.3f} s ({peer / own:.2f} ×, double precision)")


sections = {"overhead": overhead, "gaussian-process": gaussian_process, "neural-tangents": neural_tangents}
for name in sys.argv[1:] or ["overhead", "gaussian-process"]:
    sections[name]()
