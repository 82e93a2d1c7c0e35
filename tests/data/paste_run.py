#!/usr/bin/python3
"""Runs the Python that `priorfit prepare --python` prints, and compares what it makes with what priorfit makes.

    /usr/bin/python3 tests/data/paste_run.py build/priorfit
"""
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

binary = Path(sys.argv[1]).resolve()
fixtures = Path(__file__).parent / "fixtures"


def made_tables(folder):
    random.seed(7)
    rows = range(80)
    value = lambda: f"{random.gauss(0, 1):.3f}"
    pick = random.choice
    tables = {
        "mixed.csv": "size,colour,day,sold,price,y\n" + "".join(
            f"{pick(['', value()])},{pick(['red', 'blue', 'NA', 'rare' + str(i % 9)])},2021-{1 + i % 12:02d}-{1 + i % 28:02d},"
            f"{pick(['yes', 'no', 'Yes', ''])},\"${random.randint(900, 99999):,}\",{value()}\n" for i in rows),
        "german.csv": "Wert;Tag;Anteil;y\n" + "".join(
            f"{value()};{1 + i % 28:02d}.{1 + i % 12:02d}.2021;{random.randint(1, 99)} %;{value()}\n".replace(".", ",").replace(",2021", ".2021")
            for i in rows),
        "words.txt": "# a b y\n" + "".join(f"{value()} {pick(['on', 'off'])} {value()}\n" for _ in rows),
        "index.csv": ",a,,b,y\n" + "".join(f"{i},{value()},,{value()},{value()}\n" for i in rows),
        "compact.csv": "day,x,y\n" + "".join(f"2021{1 + i % 12:02d}{1 + i % 28:02d},{value()},{value()}\n" for i in rows),
        "repeated.csv": "x,x,y\n" + "".join(f"{value()},{value()},{value()}\n" for _ in rows),
    }
    # A German date keeps its points.
    tables["german.csv"] = re.sub(r"(\d\d),(\d\d)\.2021", r"\1.\2.2021", tables["german.csv"])
    for name, text in tables.items():
        (folder / name).write_text(text)
    return [(folder / name, []) for name in tables]


def run(*words):
    done = subprocess.run([binary, *map(str, words)], capture_output=True, text=True, timeout=250)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return done.stdout


def table_of(code, path):
    line = re.search(r"^# (table = .*)$", code, re.M).group(1).replace('"table.csv"', repr(str(path)))
    comment = ", comment='#', names=['a', 'b', 'y'])" if path.name == "words.txt" else ")"
    scope = {"pd": pd}
    exec(line[:-1] + comment, scope)
    return scope["table"]


def check(path, flags, folder):
    result = folder / "result"
    run("train", path, *flags, "--epochs", 1, "--width", 4, "--quiet", "--out", result)
    run("prepare", path, "--from", result, "--out", folder / "X.npz", "--quiet")
    code = run("prepare", "--from", result, "--python")
    expected = np.load(folder / "X.npz")["X"]
    scope = {"table": table_of(code, path)}
    exec(code, scope)
    made = scope["X"]
    if made.shape != expected.shape:
        sys.exit(f"{path.name}: {made.shape} instead of {expected.shape}\n{code}")
    worst = np.abs(made - expected).max()
    print(f"{path.name}: {made.shape[0]} × {made.shape[1]}, largest difference {worst:.1e}")
    if not worst < 1e-9:
        column = int(np.abs(made - expected).max(axis=0).argmax())
        sys.exit(f"feature {column}: {made[:4, column]} instead of {expected[:4, column]}\n{code}")
    for file in result.iterdir():
        file.unlink()


with tempfile.TemporaryDirectory() as name:
    scratch = Path(name)
    uci = [(fixtures / "uci" / file, flags) for file, flags in [
        ("abalone.csv", []), ("adult.csv", []), ("breast-cancer.csv", []), ("german.csv", []), ("horse-colic.csv", ["--target", "24"]), ("concrete.txt", [])]]
    for table, flags in made_tables(scratch) + uci:
        check(table, flags, scratch)
