"""The notebook of the tutorial runs from its first cell to its last, and is kept with what it shows.

PRIORFIT_STORE_TUTORIAL=1 scripts/python-tests -k tutorial keeps it as it ran."""

import os
import pathlib
import sys

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("torch")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
pytest.importorskip("ipykernel")

notebook = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorial" / "from-table-to-network.ipynb"


def test_the_tutorial_runs(tmp_path, monkeypatch):
    # A kernel of this very interpreter, whatever others are installed.
    kernel = tmp_path / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(
        f'{{"argv": ["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"], '
        '"display_name": "Python 3", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    book = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert pictures(book) == 2
    if os.environ.get("PRIORFIT_STORE_TUTORIAL"):
        for cell in book.cells:
            cell.metadata.pop("execution", None)  # when it ran
            if "outputs" in cell:  # without warnings, which name folders
                cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
        nbformat.write(book, notebook)


def pictures(book):
    return sum("image/png" in output.get("data", {}) for cell in book.cells for output in cell.get("outputs", []))


def test_the_tutorial_shows_its_pictures():
    assert pictures(nbformat.read(notebook, as_version=4)) == 2
