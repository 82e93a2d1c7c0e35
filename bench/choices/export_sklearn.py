"""scikit-learn's bundled tables as CSV files. Usage: export_sklearn.py FOLDER"""
import pathlib
import sys

from sklearn import datasets

folder = pathlib.Path(sys.argv[1])
for name, load in [("iris", datasets.load_iris), ("wine", datasets.load_wine), ("wdbc", datasets.load_breast_cancer),
                   ("diabetes", datasets.load_diabetes)]:
    table = load(as_frame=True).frame
    table.to_csv(folder / f"{name}.csv", index=False)
