"""Building from source: what is missing is named with the package that has it."""

import os
import pathlib
import shutil
import subprocess

import pytest

root = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not here")
def test_missing_libraries_are_named_with_their_packages(tmp_path):
    hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("SQLite3", "Eigen3")]
    done = subprocess.run(["cmake", "-S", str(root), "-B", str(tmp_path), "-DPRIORFIT_PYTHON=ON", *hidden],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "SQLite: apt install libsqlite3-dev" in done.stderr and "Eigen 3.4: apt install libeigen3-dev" in done.stderr
    assert "Highway" not in done.stderr and done.stderr.count("CMake Error") == 1


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not here")
def test_missing_headers_of_python_are_named(tmp_path):
    done = subprocess.run(["cmake", "-S", str(root), "-B", str(tmp_path), "-DPRIORFIT_PYTHON=ON",
                           "-DPython_INCLUDE_DIR=/nowhere"], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "apt install python3-dev" in " ".join(done.stderr.split())


def test_without_a_package_index_it_says_so_in_one_line(tmp_path):
    shutil.copytree(root / "scripts", tmp_path / "scripts")
    shutil.copytree(root / "tests" / "python", tmp_path / "tests" / "python", ignore=lambda *_: ["__pycache__"])
    done = subprocess.run([str(tmp_path / "scripts" / "python-tests")], capture_output=True, text=True, timeout=200,
                          env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""})
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == [
        "python-tests: no package index can be reached: NOT run: tests/python in either environment"]
