"""Checks of the analysis against independent values: python3 bench/choices/check.py"""
import pathlib
import tempfile
import unittest

import numpy as np

import results
from process import Process
from rules import Choice


class OfTheProcess(unittest.TestCase):
    def test_posterior_is_that_of_the_joint_gaussian_with_free_constant_and_offset(self):
        draw = np.random.default_rng(0)
        x, prior, scales = draw.normal(size=(9, 3)), draw.normal(size=(1, 9)), np.array([1, 2, 3])
        starts, folds, values = np.array([[0, 3, 3, 5]]), np.array([[0, 0, 1, 0]]), 0.1 * draw.normal(size=(1, 4))
        process = Process(x, prior, lambda v: np.full(len(v), 0.02), 0.07, scales)
        # Latent: nine starts, the constant, the second fold's offset; observed and wanted are linear in them.
        latent = np.diag([0.0] * 9 + [100.0, 100.0])
        for i in range(9):
            for j in range(9):
                latent[i, j] = 0.07 * np.exp(-0.5 * sum(((x[i] - x[j]) / scales) ** 2))
        seen = np.zeros((4, 11))
        for row, (start, fold) in enumerate(zip(starts[0], folds[0])):
            seen[row, [start, 9]], seen[row, 10] = 1, fold
        gain = latent @ seen.T @ np.linalg.inv(seen @ latent @ seen.T + 0.02 * np.eye(4))
        mean = np.append(prior[0], [0, 0]) + gain @ (values[0] - prior[0][starts[0]])
        covariance = latent - gain @ seen @ latent
        wanted = np.hstack([np.eye(9), np.ones((9, 1)), np.zeros((9, 1))])
        covariance = wanted @ covariance @ wanted.T
        posterior = process.given(starts, folds, values)
        np.testing.assert_allclose(posterior.mean[0], wanted @ mean, rtol=1e-9)
        np.testing.assert_allclose(posterior.deviation()[0], np.sqrt(np.diag(covariance)), rtol=1e-6)
        difference = np.sqrt(covariance[2, 2] + covariance[4, 4] - 2 * covariance[2, 4])
        found = posterior.deviation_of_difference(np.array([2]), np.array([4]))
        np.testing.assert_allclose(found, difference, rtol=1e-6)

    def test_a_sequence_finds_the_least_of_a_smooth_function(self):
        x = np.stack(np.meshgrid(*[np.linspace(-2, 2, 4)] * 3), -1).reshape(-1, 3)
        logs = 0.05 * ((x - 0.6) ** 2).sum(1)
        process = Process(x, np.zeros((1, len(x))), lambda v: np.full(len(v), 1e-4), 0.2)
        for posterior in process.one_after_another(np.array([[logs, logs]]), 0, 16):
            pass
        self.assertLess(logs[np.argmin(posterior.mean)] - logs.min(), 0.02)


def task(errors, data="iris"):
    """A task with errors: splits × starts × halves, in per cent."""
    row = next(r for r in results.read_design() if r["data"] == data)
    row["splits"] = len(errors)
    starts = ["he", "lecun", "pytorch", "1,1"]
    lines = [["net", str(s + 1), start, "-", "1", "0.1", *(str(e / 100) for e in errors[s][i]), "1", "1"]
             for s in range(len(errors)) for i, start in enumerate(starts)]
    return results.Task(row, lines).score()


class OfRegret(unittest.TestCase):
    def test_noise_alone_has_none_on_average(self):
        draw = np.random.default_rng(1)
        for data in ("iris", "mnist"):
            means = [task(draw.uniform(10, 20, size=(10, 4, 2)), data).overall.mean() for _ in range(400)]
            self.assertLess(abs(np.mean(means)), 4 * np.std(means) / 20)

    def test_known_gaps_are_found(self):
        errors = np.zeros((4, 4, 2)) + np.array([5.0, 7.0, 12.0, 6.0])[None, :, None] + np.arange(4)[:, None, None]
        found = task(errors)
        np.testing.assert_allclose(found.overall, [0, 2, 7, 1], atol=1e-9)
        self.assertEqual(found.best_start, "he")
        self.assertAlmostEqual(Choice("theory", {0: 1, 1: 2}, 0.0).regret(found), 4.5)

    def test_a_failed_network_counts_as_the_worst_that_did_not(self):
        errors = np.full((4, 4, 2), 5.0)
        errors[:, 1], errors[2, 2] = 9.0, np.nan
        found = task(errors)
        self.assertEqual(found.failures, 1)
        self.assertAlmostEqual(found.own[2, 2] - found.own[2, 0], 4.0)


class OfTheProtocol(unittest.TestCase):
    def test_development_does_not_open_final_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for row in results.read_design():
                if row["role"] == "final":
                    (pathlib.Path(folder) / (row["name"] + ".tsv")).write_text("not a result\n")
            done, missing, _ = results.read_tasks(folder, "development")
            self.assertEqual(done, [])
            self.assertEqual(len(missing), sum(r["role"] == "development" for r in results.read_design()))


unittest.main()
