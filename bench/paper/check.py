"""Checks of the page of the paper's experiments against independent values: python3 bench/paper/check.py"""
import unittest

import data
import networks
import page
from data import PAIRS, Trained
from text import markdown, nats


def lines(accuracy, seeds=(1,)):
    """Networks with accuracy(pair, seed) after the last epoch."""
    return [{"weight_variance": str(w), "bias_variance": str(b), "seed": str(s), "epoch": "250", "train_accuracy": "1", "test_accuracy": str(accuracy((w, b), s))}
            for w, b in PAIRS for s in seeds]


class OfRanks(unittest.TestCase):
    def test_equal_values_share_their_rank(self):
        self.assertEqual(data.ranks([3, 1, 3, 2]), [3.5, 1, 3.5, 2])

    def test_correlation_is_spearmans(self):
        # scipy.stats.spearmanr of the same lists
        self.assertAlmostEqual(data.rank_correlation([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]), 0.8207826816681233, places=12)
        self.assertAlmostEqual(data.rank_correlation([1, 2, 3], [30, 20, 10]), -1)


class OfNetworks(unittest.TestCase):
    def test_only_seeds_of_which_every_pair_has_a_network_are_compared(self):
        found = lines(lambda p, s: 0.9 + 0.01 * s, seeds=(1, 2, 3))
        t = Trained(1000, [r for r in found if not (r["seed"] == "2" and r["weight_variance"] == "2.8")])
        self.assertEqual(t.seeds, [1, 3])
        mean, error = data.mean_and_error(t.accuracies((2.0, 0.0)))
        self.assertAlmostEqual(mean, 0.92)
        self.assertAlmostEqual(error, 0.01)

    def test_one_network_has_the_error_of_the_test_set(self):
        t = Trained(1000, lines(lambda p, s: 0.96))
        self.assertAlmostEqual(t.error((2.0, 0.0)), 0.00195959, places=8)

    def test_rank_and_regret(self):
        t = Trained(1000, lines(lambda p, s: 0.9 - 0.01 * PAIRS.index(p)))
        self.assertEqual(t.rank(PAIRS[4]), 5)
        self.assertAlmostEqual(t.regret(PAIRS[4]), 0.04)
        evidence = {p: float(i) for i, p in enumerate(PAIRS)}
        self.assertAlmostEqual(t.correlation(evidence), -1)

    def test_networks_of_a_store_replace_those_that_are_kept_and_leave_the_others(self):
        cell = {"weight_variance": 2.0, "bias_variance": 0.0, "seed": 1, "curve": [None] * 24 + [0.9], "train_curve": [0.5] * 25}
        new = networks.lines_of({"sizes": [{"size": 1000, "cells": [cell]}]})
        self.assertEqual([line[4] for line in new[1000, 2.0, 0.0, 1]], [*range(1, 11), 15, 20, 25])
        kept = [["1000", "2", "0", "1", "250", "", "0.1"], ["1000", "0.4", "0", "1", "250", "", "0.2"]]
        merged = networks.merged(kept, new)
        self.assertEqual(merged[0], kept[1])
        self.assertEqual(merged[-1], [1000, 2.0, 0.0, 1, 25, "0.5", 0.9])
        self.assertEqual(len(merged), 14)


class OfThePage(unittest.TestCase):
    def test_figures(self):
        self.assertEqual(nats(-1234.5), "−1,234")
        self.assertEqual(markdown(["a", "b"], "lr", [[1, 2]]), "| a | b |\n| --- | ---: |\n| 1 | 2 |")

    def test_the_page_is_what_the_script_writes(self):
        text = page.PAGE.read_text()
        self.assertEqual(page.written(text), text, "run python3 bench/paper/page.py")

    def test_pictures_of_the_page_are_there(self):
        import re
        for name in re.findall(r"!\[[^]]*\]\(([^)]*)\)", page.PAGE.read_text()):
            self.assertTrue((page.PAGE.parent / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
