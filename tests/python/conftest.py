import os
import pathlib
import subprocess

import pytest

os.environ.setdefault("KERAS_BACKEND", "jax")
root = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def build():
    return pathlib.Path(os.environ.get("PRIORFIT_BUILD", root / "build"))


@pytest.fixture(scope="session")
def command(build):
    """Runs the command line and gives what it prints."""

    def run(*arguments):
        done = subprocess.run([str(build / "priorfit"), *map(str, arguments)], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
