"""Beside others in one process: threads, BLAS, fork, Ctrl-C, the interpreter's lock. Each in a process of its own."""

import os
import subprocess
import sys
import textwrap

import pytest


def run(code, *, timeout=120):
    # Whatever other tests left in the environment (Dask's workers set OMP_NUM_THREADS).
    environment = {name: value for name, value in os.environ.items()
                   if not name.endswith("_NUM_THREADS") and name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout,
                          env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


work = """
import numpy as np
def ours():
    import priorfit
    data = priorfit.as_data("digits", samples=500)
    evidence = priorfit.Evidence(data.inputs, data.targets)
    value = evidence((2.0, 0.1), 1e-3).log_marginal_likelihood
    assert np.isfinite(value)
    return value
def theirs():
    a = np.random.default_rng(0).normal(size=(600, 600))
    assert np.isfinite(np.linalg.slogdet(a @ a.T + 600 * np.eye(600))[1])
"""

torch_training = """
def torch_training():
    import torch
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))
    X, y = torch.randn(512, 64), torch.randint(0, 10, (512,))
    optimizer = torch.optim.Adam(model.parameters())
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(X), y)
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    assert losses[-1] < losses[0]
    return losses[-1]
"""


@pytest.mark.parametrize("order", ["import numpy, priorfit", "import priorfit, numpy"])
def test_beside_numpy(order):
    run(order + "\n" + work + "ours(); theirs(); ours()")


@pytest.mark.parametrize("order", ["import torch, priorfit", "import priorfit, torch"])
def test_torch_trains_after_our_calls(order):
    pytest.importorskip("torch")
    run(order + "\n" + work + torch_training + "alone = torch_training(); ours(); assert torch_training() == alone; ours()")


@pytest.mark.parametrize("before", ["", "ours()", "ours(); theirs()"])
def test_forked_children_do_not_hang(before):
    run(work + before + textwrap.dedent("""
        import multiprocessing
        def child(queue):
            queue.put(ours())
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        children = [context.Process(target=child, args=(queue,)) for _ in range(2)]
        for process in children: process.start()
        values = [queue.get(timeout=30) for _ in children]
        for process in children: process.join(10)
        assert values[0] == values[1] == ours()
        """))


def test_threadpoolctl_sees_and_limits_us():
    pytest.importorskip("threadpoolctl")
    run(work + textwrap.dedent("""
        import os, threading, time
        import priorfit, threadpoolctl
        pools = threadpoolctl.threadpool_info()
        kinds = {pool["user_api"] for pool in pools}
        assert {"blas", "openmp"} <= kinds, pools
        assert any("openblas" in pool["filepath"] and pool.get("threading_layer") == "openmp" for pool in pools), pools

        def most_threads_during(call, until=0):
            seen, done = [0], threading.Event()
            def watch():
                while not done.is_set():
                    seen.append(len(os.listdir("/proc/self/task")))
                    time.sleep(0.001)
            watcher = threading.Thread(target=watch)
            watcher.start()
            ends = time.monotonic() + 20  # a busy machine may not let the watcher look
            call()
            while max(seen) < until and time.monotonic() < ends:
                call()
            done.set()
            watcher.join()
            return max(seen)

        data = priorfit.as_data("digits", samples=1500)
        call = lambda: priorfit.covariance(data.inputs, (1.0, 0.1), depth=30)
        threads = lambda **asked: priorfit.recommend(data, samples=30, noise=0.1, risk_samples=0, progress=False,
                                                     **asked).threads
        time.sleep(0.2)  # threads of what went before end
        idle = most_threads_during(lambda: time.sleep(0.05))
        with threadpoolctl.threadpool_limits(1):
            limited = most_threads_during(call)
            assert threads() == 1
        assert limited == idle + 1, (idle, limited)   # the thread that the work runs on
        if os.cpu_count() > 1:
            free = most_threads_during(call, until=limited + 1)
            assert free > limited and threads(threads=2) == 2, (idle, limited, free)  # without: those that are free
        """))


def test_idle_threads_do_not_spin_beside_busy_ones():
    """Four busy processes per core: threads that spin while they wait would take a hundred times as long."""
    run("""
        import os, subprocess, sys, time
        assert "GOMP_SPINCOUNT" not in os.environ
        import numpy as np, priorfit
        assert "GOMP_SPINCOUNT" not in os.environ
        rng = np.random.default_rng(0)
        evidence = priorfit.Evidence(rng.normal(size=(400, 7)), rng.normal(size=400), depth=2)
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * os.cpu_count())]
        try:
            began = time.monotonic()
            for _ in range(20): evidence((2.0, 0.1), 0.05)
            lasted = time.monotonic() - began
        finally:
            for process in busy: process.kill()
        assert lasted < 20, lasted
        """)


def test_limits_of_others_stay_as_they_were():
    pytest.importorskip("threadpoolctl")
    run(work + textwrap.dedent("""
        import priorfit, threadpoolctl
        ours()
        before = [(p["filepath"], p["num_threads"]) for p in threadpoolctl.threadpool_info()]
        priorfit.recommend("digits", samples=100, threads=1, pilots=10)
        assert before == [(p["filepath"], p["num_threads"]) for p in threadpoolctl.threadpool_info()]
        """))


long_call = {
    "a search": 'priorfit.recommend("digits", depth=20, activation="gelu", samples=1500)',
    "one long step": "priorfit.covariance(np.random.default_rng(0).normal(size=(5000, 400)), (1.0, 0.1), depth=200)",
    "a training": 'priorfit.train("digits", epochs=100000)',
    "pilots": 'priorfit.recommend("digits", width=64, risk_samples=50, pilots=100000)',
}


@pytest.mark.parametrize("name", long_call)
def test_interrupts_are_heard_within_a_second(name):
    run(f"""
        import os, signal, threading, time
        import numpy as np, priorfit
        sent = []
        def interrupt():
            time.sleep(1.0)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            {long_call[name]}
        except KeyboardInterrupt:
            assert time.monotonic() - sent[0] < 1.0, time.monotonic() - sent[0]
        else:
            raise SystemExit("it ended before it was interrupted")
        os._exit(0)  # what is left behind would be waited for
        """)


def test_other_threads_go_on_during_work():
    run("""
        import threading, time
        import priorfit
        ticks, done = [], threading.Event()
        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.005)
        other = threading.Thread(target=tick)
        data = priorfit.as_data("digits", samples=1500)
        other.start()
        began = time.monotonic()
        priorfit.covariance(data.inputs, (1.0, 0.1), depth=600)  # long on any machine
        lasted = time.monotonic() - began
        done.set()
        other.join()
        during = [t for t in ticks if began < t < began + lasted]
        assert len(during) > max(3, lasted / 0.05), (lasted, len(during))
        """)


def test_progress_is_told_and_may_stop_the_work():
    run("""
        import priorfit
        told = []
        priorfit.recommend("digits", samples=300, depth=3, width=64, pilots=10, progress=lambda stage, fraction: told.append((stage, fraction)))
        assert told and all(fraction is None or 0 <= fraction <= 1 for _, fraction in told)
        class Enough(Exception): pass
        def stop(stage, fraction): raise Enough
        try:
            priorfit.recommend("digits", samples=300, depth=3, progress=stop)
        except Enough:
            pass
        else:
            raise SystemExit("it went on")
        """)


def test_progress_bar_of_tqdm():
    pytest.importorskip("tqdm")
    done = subprocess.run([sys.executable, "-c", 'import priorfit; priorfit.train("digits", width=128, epochs=200, progress=True)'],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "%" in done.stderr, done.stderr


def test_too_much_memory_is_a_memory_error():
    run("""
        import resource
        import numpy as np, priorfit
        X = np.zeros((60000, 2))
        limit = 4 << 30
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            priorfit.covariance(X)
        except MemoryError:
            pass
        else:
            raise SystemExit("28 GB were found")
        """)


def test_a_full_disk_is_an_os_error(tmp_path):
    import priorfit
    network = priorfit.Initialisation.tied(2.0, layers=2).draw(4, [8], 2)
    with pytest.raises(OSError) as caught:
        priorfit.save_weights(tmp_path / "missing" / "w.safetensors", network)
    assert isinstance(caught.value, priorfit.PriorfitError)
