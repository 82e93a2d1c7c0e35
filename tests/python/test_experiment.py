"""Cells of an experiment under joblib's backends: the numbers do not depend on who runs them."""

import json
import os
import signal

import numpy as np
import pytest

joblib = pytest.importorskip("joblib")

import priorfit

grid = {"sizes": [60, 120], "weight_variances": [0.5, 2.0], "bias_variances": [0.0, 0.5], "seeds": 2, "widths": [32],
        "epochs": 3}


def figures(result):
    return [{name: value for name, value in cell.items() if name != "seconds"} for cell in result.cells]


@pytest.fixture(scope="module")
def alone():
    return priorfit.experiment("digits", **grid)


def test_cells_are_those_of_the_command(alone, command, tmp_path):
    line = json.loads(command("experiment", "--data", "digits", "--sizes", "60,120", "--weight-variances", "0.5,2",
                              "--bias-variances", "0,0.5", "--seeds", 2, "--width", 32, "--epochs", 3, "--out",
                              tmp_path, "--threads", 1, "--format", "json"))
    stored = {}
    for size in line["sizes"]:
        for cell in size["cells"]:
            stored[size["size"], cell["weight_variance"], cell["bias_variance"], cell["seed"]] = cell["accuracy"]
    ours = {(c["size"], c["weight_variance"], c["bias_variance"], c["seed"]): c["score"] for c in alone.cells}
    assert len(ours) == 16
    for key, score in ours.items():
        assert score == stored[key], key
    again = priorfit.read_experiment(tmp_path)
    assert again.to_dict() == line
    try:
        assert len(again.to_frame()) == len(line["rows"])
    except priorfit.UsageError as error:
        assert "pip install pandas" in str(error)


def test_loky_gives_the_same(alone):
    assert figures(priorfit.experiment("digits", n_jobs=2, **grid)) == figures(alone)


def test_arrays_travel_to_the_workers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    small = {"sizes": [40], "weight_variances": [1.0, 2.0], "bias_variances": [0.0], "widths": [16], "epochs": 2}
    assert figures(priorfit.experiment(X, y, n_jobs=2, **small)) == figures(priorfit.experiment(X, y, **small))


def test_dask_loses_a_worker_and_gives_the_same(alone):
    distributed = pytest.importorskip("distributed")
    import threading
    import time
    killed = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        assert len(pids) == 2

        def kill_one_at_work():
            while not killed:
                for address, worker in list(cluster.scheduler.workers.items()):
                    if worker.processing and address in pids and not killed:
                        os.kill(pids[address], signal.SIGKILL)
                        killed.append(address)
                time.sleep(0.002)

        killer = threading.Thread(target=kill_one_at_work, daemon=True)
        killer.start()
        with joblib.parallel_config(backend="dask") if hasattr(joblib, "parallel_config") else \
                joblib.parallel_backend("dask"):
            result = priorfit.experiment("digits", **grid)
        assert len(killed) == 1  # while it had cells to do
        assert figures(result) == figures(alone)


def test_frames(alone):
    pytest.importorskip("pandas")
    frame = alone.to_frame()
    assert len(frame) == 16 and {"size", "score", "log_marginal_likelihood"} <= set(frame.columns)


def test_mistakes_are_named():
    with pytest.raises(priorfit.UsageError, match="epoks"):
        priorfit.experiment("digits", sizes=[50], epoks=3)
