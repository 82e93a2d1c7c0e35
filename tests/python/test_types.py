"""The stub and the annotations agree: mypy finds nothing to say about the package as it is installed."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy")


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mypy")

    def run(*what):
        return subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", *what],
                              capture_output=True, text=True, timeout=280, cwd=folder)

    run.folder = folder
    return run


def test_types_hold(mypy):
    done = mypy("-p", "priorfit")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_users_mistake_is_seen(mypy):
    (mypy.folder / "use.py").write_text("import priorfit\nrows: int = priorfit.as_data('digits').inputs\n")
    done = mypy("use.py")
    assert done.returncode == 1 and "ndarray" in done.stdout, done.stdout + done.stderr
