"""Theory as prior, pilots as data (M10): a Gaussian process over a task's starts, many runs at once.

A run is one training sample with one prior mean and one kind of pilot. Arrays: runs × pilots, runs × starts.
"""
import numpy as np

FREE = 100.0  # variance of the constant and of a fold's offset
LENGTHS = (1.5, 2.0, 2.0)  # of log σ_w², log(σ_b² + 0.01), log output variance


class Posterior:
    """Of the log error of networks from each start, given pilots; the constant and the folds' offsets are free."""

    def __init__(self, covariance, prior, noise, starts, folds, values):
        self.covariance = covariance
        self.cross = covariance[starts] + FREE  # runs × pilots × starts
        same = (folds[:, :, None] == folds[:, None, :]) & (folds[:, :, None] > 0)
        observed = covariance[starts[:, :, None], starts[:, None, :]] + FREE + FREE * same
        observed = observed + noise[:, None, None] * np.eye(starts.shape[1])
        self.solved = np.linalg.solve(observed, self.cross)
        rest = values - np.take_along_axis(prior, starts, 1)
        self.mean = prior + np.einsum("rps,rp->rs", self.solved, rest)

    def deviation(self):
        variance = np.diag(self.covariance) + FREE - (self.cross * self.solved).sum(1)
        return np.sqrt(np.maximum(variance, 1e-12))

    def deviation_of_difference(self, first, second):
        """Of two starts in each run."""
        runs = np.arange(len(first))

        def covariance(a, b):
            return self.covariance[a, b] + FREE - (self.cross[runs, :, a] * self.solved[runs, :, b]).sum(1)

        variance = covariance(first, first) + covariance(second, second) - 2 * covariance(first, second)
        return np.sqrt(np.maximum(variance, 1e-12))


class Process:
    """coordinates: starts × 3; prior: runs × starts, the mean but for a constant; noise(values): variance per run."""

    def __init__(self, coordinates, prior, noise, amplitude=0.05, lengths=LENGTHS):
        scaled = coordinates / np.array(lengths)
        squares = ((scaled[:, None] - scaled[None]) ** 2).sum(-1)
        self.covariance = amplitude * np.exp(-squares / 2)
        self.prior, self.noise = prior, noise

    def given(self, starts, folds, values):
        # A network that went wrong says no more than that it did.
        values = np.minimum(values, values.min(1, keepdims=True) + 1)
        return Posterior(self.covariance, self.prior, self.noise(values), starts, folds, values)

    def given_all(self, logs, folds):
        """One pilot per start in each of the first folds; logs: runs × folds × starts."""
        runs, _, count = logs.shape
        shape = (runs, folds * count)
        starts = np.broadcast_to(np.tile(np.arange(count), folds), shape)
        return self.given(starts, np.broadcast_to(np.repeat(np.arange(folds), count), shape),
                          logs[:, :folds].reshape(shape))

    def one_after_another(self, logs, default, count, kappa=1.0):
        """Pilots of the default, of where the prior is least, then by the lower confidence bound: a posterior each.

        A start that is chosen again is trained on the second fold.
        """
        runs = np.arange(len(logs))
        used = np.zeros(self.prior.shape, dtype=int)
        starts, folds = np.zeros((len(logs), 0), dtype=int), np.zeros((len(logs), 0), dtype=int)
        values = np.zeros((len(logs), 0))
        choice = np.full(len(logs), default)
        for done in range(count):
            if done > 0:
                bound = self.prior.astype(float) if done == 1 else posterior.mean - kappa * posterior.deviation()
                choice = np.argmin(np.where(used >= (1 if done == 1 else 2), np.inf, bound), axis=1)
            fold = used[runs, choice]
            used[runs, choice] += 1
            starts, folds = np.column_stack([starts, choice]), np.column_stack([folds, fold])
            values = np.column_stack([values, logs[runs, fold, choice]])
            posterior = self.given(starts, folds, values)
            yield posterior
