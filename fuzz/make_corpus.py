#!/usr/bin/env python3
"""Writes the seeds of fuzz/corpus: valid files and files broken in one way each. Found inputs are kept beside them.

Usage: fuzz/make_corpus.py PRIORFIT, with the program to make checkpoint, weights and recommendation by.
"""
import gzip
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"


def keep(target, name, data):
    path = CORPUS / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def packed(data):
    return gzip.compress(data, mtime=0)


def csv():
    rows = "".join(f"{i},{i * i},{i % 2}\n" for i in range(12))
    keep("csv", "header", "\0x1,x2,y\n" + rows)
    keep("csv", "plain", "\4" + rows)
    keep("csv", "classes", "\1a,b\n" + "1,yes\n2,no\n" * 6)
    keep("csv", "regression", "\2a;b\n1,5;2\n3;4\n")
    keep("csv", "named", "\x08x,y,z\n1,2,3\n4,5,6\n")
    keep("csv", "tabs", "\0a\tb\n1\t\n2\t3\n")
    keep("csv", "blanks", "\0 1  2 3\n 4 5  6\n")
    keep("csv", "quotes", '\0"a ""b"",",y\n"1",2\n"3" , 4\n')
    keep("csv", "open-quote", '\0a,b\n"1,2\n3,4\n')
    keep("csv", "text-after-quote", '\0a,b\n"1"x,2\n')
    keep("csv", "missing", "\0a,b\n1,NA\n?,2\n")
    keep("csv", "not-finite", "\0a,b\n1e999,2\ninf,nan\n")
    keep("csv", "tiny", "\0a,b\n1e-999,+1\n0x1,1\n")
    keep("csv", "ragged", "\0a,b\n1,2,3\n4\n")
    keep("csv", "prologue", "\0\ufeff# made by\n\n#\na,b\r\n1,2\r\n")
    keep("csv", "zero-bytes", b"\0a\0,\0b\0\n\0")
    keep("csv", "only-header", "\0a,b\n")
    keep("csv", "gzip", b"\0" + packed(b"a,b\n" + b"1,2\n" * 500))
    keep("csv", "gzip-cut", b"\0" + packed(b"a,b\n" + b"1,2\n" * 500)[:-9])
    keep("csv", "npy-inside", b"\0\x93NUMPY\1\0")
    many = range(1, 29)
    for name, date in {"iso": "2021-03-{:02}", "stamp": "2021-03-{0:02}T10:{0:02}:05.25Z", "zone": "2021-03-{0:02} 01:{0:02}+02:00",
                       "american": "3/{}/2021", "slashes": "03/{:02}/2021", "dots": "{:02}.12.1999", "afternoon": "2021-03-{:02} 3:15 PM",
                       "compact": "202103{:02}", "words": "{} Mar 2021", "other": "March {}, 2021"}.items():
        keep("csv", f"date-{name}", "\0when,y\n" + "".join(f'"{date.format(day)}",{day % 3}\n' for day in many))
    keep("csv", "identifier", "\0user_id,text,x,y\n" + "".join(f"{7000 + 13 * i},some words {i},{i % 5},{i % 2}\n" for i in range(60)))
    keep("csv", "names-of-rows", "\0key,code,x,y\n" + "".join(f"k{i}w,{i % 7:05},{i % 5},{i % 2}\n" for i in range(60)))
    keep("csv", "codes", "\0a,b,y\n" + "".join(f"{i % 3},{'x' if i % 9 == 0 else i % 4},{i % 2}\n" for i in range(60)))
    keep("csv", "truth", "\0a,b,y\n" + "".join(f"{'yes' if i % 3 else 'no'},{'TRUE' if i % 2 else 'false'},{i % 2}\n" for i in range(20)))
    keep("csv", "unknown", "\0a,b,y\n" + "".join(f"unknown,{i},{'' if i % 4 == 0 else i}\n" for i in range(20)))
    keep("csv", "dressed", '\0a,b,c,y\n' + "".join(f'"$1,{i:03}.50",{i} %,({i}.0),{i % 3}\n' for i in range(20)))
    keep("csv", "decimal", "\x20a;b;y\n" + "".join(f"{i},5;1.{i:03};{i % 3}\n" for i in range(20)))
    keep("csv", "fixed-levels", "\x80a,b,y\n" + "".join(f"{i % 4},{i % 3},{i}\n" for i in range(20)))
    keep("csv", "drop", "\x40a,b,y\n" + "".join(f"{'' if i % 5 == 0 else i},{i * i},{i}\n" for i in range(20)))
    keep("csv", "long", "\0a,b,y\n" + "".join(f"{i},{i * 7 % 11}.5,{i % 3}\n" for i in range(9000)))
    keep("csv", "wide", "\x10" + "1," * 69999 + "1\n")
    rows = [{"a": i, "b": None if i % 4 == 0 else f"n{i % 3}", "c": i % 2 == 0, "d": i / 7} for i in range(20)]
    lines = "\n".join(json.dumps(row) for row in rows) + "\n"
    keep("csv", "json-lines", "\0" + lines)
    keep("csv", "json-quotes", '\0{"a": "x \\"y\\", \\u00e9\\n", "b": 1e3}\n{"b": -2, "a": "z"}\n{"a": "x", "b": 3}\n')
    keep("csv", "json-nested", '\0{"a": {"b": 1}, "y": 1}\n{"a": [1, 2], "y": 2}\n')
    keep("csv", "json-cut", "\0" + lines[:-9])
    keep("csv", "json-array", "\0" + json.dumps(rows))
    keep("csv", "utf16", b"\0" + "a,b,y\n1,2,3\n4,5,6\n".encode("utf-16"))
    keep("csv", "latin1", b"\0" + "a,b,y\nÉ,2,3\nü,5,6\n".encode("latin-1"))
    keep("csv", "old-mac", "\0a,b,y\r1,2,3\r4,5,6\r")
    keep("csv", "parquet", b"\0PAR1" + bytes(20))
    keep("csv", "titles", "\0Report of March\n\na,b,y\n1,2,3\n4,5,6\n")
    keep("csv", "commented-names", "\0# a b y\n1 2 3\n4 5 6\n")
    keep("csv", "r-names", '\0"a","y"\n"1",2,3\n"2",5,6\n')


def npy(descr="<f8", shape=(4, 2), values=None, fortran=False, version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    if values is None:
        values = struct.pack("<8d", *range(8))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + values


def arrays():
    keep("npy", "f8", npy())
    keep("npy", "fortran", npy(fortran=True))
    keep("npy", "vector", npy(shape=(8,)))
    keep("npy", "scalar", npy(shape=(), values=bytes(8)))
    keep("npy", "version2", npy(version=2))
    keep("npy", "bytes", npy("|u1", (2, 2, 2), bytes(range(248, 256))))
    keep("npy", "big-endian", npy(">i4", (2, 2), struct.pack(">4i", 1, 2, 3, 4)))
    keep("npy", "fortran-cube", npy("<u2", (2, 2, 2), struct.pack("<8H", *range(8)), True))
    keep("npy", "bool", npy("|b1", (2,), b"\0\1"))
    keep("npy", "object", npy("|O", (2,), b"\0\1"))
    keep("npy", "huge", npy(shape=(1 << 40, 1 << 40)))
    keep("npy", "digits", npy(shape=(99999999999999999999,)))
    keep("npy", "empty", npy(shape=(0, 3), values=b""))
    keep("npy", "cut", npy()[:-3])
    keep("npy", "more", npy() + b"x")
    keep("npy", "nan", npy(shape=(1,), values=struct.pack("<d", float("nan"))))
    keep("npy", "half", npy("<f2", (4,), bytes(range(8))))
    keep("npy", "brain", npy("|V2", (4,), bytes(range(8))))
    keep("npy", "names", npy("<U2", (4,), "abcdefgh".encode("utf-32-le")))
    keep("npy", "bytes-names", npy("|S2", (4,), b"abcdefgh"))
    keep("npy", "gzip-claim", packed(npy("|u1", (1, 100000), b"x")))


def archive(entries, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in entries.items():
            file.writestr(zipfile.ZipInfo(name + ".npy"), data, method)
    return out.getvalue()


def padded(data, length):
    """With a comment at the end of the zip file that makes its size `length` modulo 32."""
    more = (length - len(data)) % 32
    return data[:-2] + struct.pack("<H", more) + bytes(more)


def archives():
    pair = {"X": npy(), "y": npy(shape=(4,), values=struct.pack("<4d", 0, 1, 0, 1))}
    keep("npz", "pair", archive(pair))
    keep("npz", "stored", archive(pair, zipfile.ZIP_STORED))
    keep("npz", "split", archive({**pair, "X_test": npy(), "y_test": pair["y"]}))
    keep("npz", "half-split", archive({**pair, "X_test": npy()}))
    keep("npz", "other-names", archive({"a": npy()}))
    keep("npz", "empty", archive({}))
    weights = {}
    for l, (inputs, outputs) in enumerate(((2, 3), (3, 1))):
        weights[f"{2 * l}.weight"] = npy("<f4", (outputs, inputs), bytes(4 * inputs * outputs))
        weights[f"{2 * l}.bias"] = npy("<f4", (outputs,), bytes(4 * outputs))
    keep("npz", "weights", archive(weights))
    four = {"a": npy(), "b": pair["y"], "c": npy(), "d": pair["y"]}
    for length in (3, 7, 11):  # how long it is chooses how it is read: fuzz/npz.cpp
        keep("npz", f"named-{length}", padded(archive(pair, zipfile.ZIP_STORED), length))
    for length in (7, 15):
        keep("npz", f"four-{length}", padded(archive(four), length))
    keep("npz", "other-split", archive({**pair, "X_test": npy(shape=(2, 4)), "y_test": pair["y"][:-16] + pair["y"][-16:]}))
    keep("npz", "names", archive({"X": npy(), "y": npy("<U2", (4,), "ababcdcd".encode("utf-32-le"))}))
    keep("npz", "names-split", archive({"X": npy(), "y": npy("<U2", (4,), "ababcdcd".encode("utf-32-le")), "X_test": npy(),
                                        "y_test": npy("<U2", (4,), "ababcdcd".encode("utf-32-le"))}))
    keep("npz", "wrong-rows", archive({"X": npy(), "y": npy(shape=(8,))}))
    keep("npz", "text-inputs", archive({"X": npy("<U2", (4,), "ababcdcd".encode("utf-32-le")), "y": pair["y"]}))
    keep("npz", "scalar", archive({"X": npy(shape=(), values=bytes(8)), "y": pair["y"]}))
    keep("npz", "method", archive(pair, zipfile.ZIP_BZIP2))
    flat = {f"Dense_{l}/{part}": npy("<f4", shape, bytes(4 * size)) for l in (0, 1)
            for part, shape, size in (("kernel", (2, 2), 4), ("bias", (2,), 2))}
    keep("npz", "keras", archive(flat))
    for name, changed in {"no-bias": {"0.bias": None}, "flat": {"0.weight": npy("<f4", (6,), bytes(24))},
                          "double": {"0.bias": npy(shape=(3,), values=bytes(24))}, "bias": {"0.bias": npy("<f4", (1,), bytes(4))}}.items():
        keep("npz", f"weights-{name}", archive({name: data for name, data in {**weights, **changed}.items() if data}))
    whole = archive(pair)
    keep("npz", "cut", whole[:-30])
    changed = bytearray(archive(pair, zipfile.ZIP_STORED))
    changed[200] ^= 0xff
    keep("npz", "changed", bytes(changed))


def idx(images, labels):
    return struct.pack("<H", len(images)) + images + labels


def pictures():
    images = struct.pack(">4B3I", 0, 0, 8, 3, 10, 2, 2) + bytes(range(40))
    labels = struct.pack(">4BI", 0, 0, 8, 1, 10) + bytes(i % 2 for i in range(10))
    keep("idx", "plain", idx(images, labels))
    keep("idx", "gzip", idx(packed(images), packed(labels)))
    keep("idx", "cut", idx(images[:-1], labels))
    keep("idx", "more", idx(images, labels + b"x"))
    keep("idx", "fewer-labels", idx(images, struct.pack(">4BI", 0, 0, 8, 1, 1) + b"\1"))
    keep("idx", "huge", idx(struct.pack(">4B3I", 0, 0, 8, 3, *[0xFFFFFFFF] * 3), labels))
    keep("idx", "gzip-claim", idx(packed(struct.pack(">4B3I", 0, 0, 8, 3, 1, 100, 100)), labels))
    keep("idx", "floats", idx(struct.pack(">4BI", 0, 0, 13, 1, 1) + bytes(4), labels))
    picture = bytes([3]) + bytes(i % 256 for i in range(3072))
    keep("cifar", "one", picture)
    keep("cifar", "two", picture + bytes([9]) + bytes(3072))
    keep("cifar", "cut", picture[:-1])
    keep("cifar", "label", bytes([10]) + bytes(3072))
    keep("cifar", "gzip-more-than-its-size", packed(picture * 9))


def photographs():
    """Of the tests: what Pillow wrote."""
    folder = CORPUS.parent.parent / "tests/data/fixtures/pictures"
    for path in sorted(folder.glob("*/*")):
        if path.suffix == ".txt":
            continue
        content = path.read_bytes()
        keep("picture", path.name.lower().replace(".", "-"), content)
        keep("picture", path.name.lower().replace(".", "-") + "-cut", content[:-20])


def safetensors(header, data=b""):
    text = header if isinstance(header, str) else json.dumps(header)
    return struct.pack("<Q", len(text)) + text.encode() + data


def network_header(**more):
    places = {"0.weight": [2, 1], "0.bias": [2], "2.weight": [1, 2], "2.bias": [1]}
    header, offset = {}, 0
    for name, shape in places.items():
        size = 4 * (shape[0] * shape[1] if len(shape) == 2 else shape[0])
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    return {**header, **more}, bytes(offset)


def weights():
    header, data = network_header()
    keep("safetensors", "network", safetensors(header, data))
    keep("safetensors", "metadata", safetensors({"__metadata__": {"activation": "relu", "format": "pt"}, **header}, data))
    for name in ("leaky_relu:-0.5", "gelu", "leaky_relu:nan", "gleu"):
        keep("safetensors", "activation-" + name.replace(":", "-"),
             safetensors({"__metadata__": {"activation": name, "format": "pt"}, **header}, data))
    keep("safetensors", "keras", safetensors(json.dumps(header).replace("0.weight", "Dense_0/kernel")
                                             .replace("0.bias", "Dense_0/bias").replace("2.weight", "Dense_1/kernel")
                                             .replace("2.bias", "Dense_1/bias"), data))
    keep("safetensors", "checksum", safetensors({"__metadata__": {"crc32": "00000000"}, **header}, data))
    keep("safetensors", "cut", safetensors(header, data)[:-1])
    keep("safetensors", "more", safetensors(header, data + b"x"))
    keep("safetensors", "twice", safetensors('{"a":{},"a":{}}'))
    keep("safetensors", "negative", safetensors({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}))
    keep("safetensors", "overflow", safetensors({"a": {"dtype": "F32", "shape": [1 << 62, 4], "data_offsets": [0, 0]}}))
    keep("safetensors", "no-values", safetensors({"0.weight": {"dtype": "F32", "shape": [0, 1], "data_offsets": [0, 0]}}))
    keep("safetensors", "nested", safetensors('{"a":' + "[" * 900))
    keep("safetensors", "long-header", struct.pack("<Q", 1 << 40) + b"{}")
    keep("safetensors", "gzip-claim", packed(safetensors(
        {"a": {"dtype": "F32", "shape": [20000], "data_offsets": [0, 80000]}})))


SPECIFICATION = """[data]
source = "digits"
task = "auto"
preprocess = "unit"
test_fraction = 0.25

[network]
widths = [16, 8]
activation = "relu"

[grid]
weight_variances = [0.4, 2.0]
bias_variances = [0.0]
noise_variance = 1e-6

[training]
sizes = [60, 120]
seeds = 2
seed = 7
epochs = 3
batch = 20
learning_rate = 0.001
"""


def specifications():
    keep("toml", "whole", SPECIFICATION)
    keep("toml", "depth", '[data]\nsource = "mnist"\n[network]\ndepth = 3\nwidth = 50\n[training]\nsizes = [10]\n')
    for name in ("tanh", "leaky_relu:0.2", "leaky_relu", "leaky_relu:", "leaky_relu:inf", "leaky_relu:1e-320",
                 "tanh:1", "tahn", "custom"):
        keep("toml", "activation-" + name.replace(":", "-"),
             f'[network]\nactivation = "{name}"\ndepth = 3\nwidth = 40\n')
    keep("toml", "activation-list", "[network]\nactivation = ['relu', 'tanh']\n")
    keep("toml", "deep", "[network]\ndepth = 4611686018427387904\n")
    keep("toml", "no-widths", "[network]\nwidths = []\ndepth = 2\n")
    keep("toml", "unknown", "[data]\nsorce = 'x'\n")
    keep("toml", "outside", "source = 1\n")
    keep("toml", "nested", "[a]\nb = " + "[" * 300)
    keep("toml", "wrong-type", "[grid]\nnoise_variance = 'x'\n")
    keep("toml", "escapes", '[data]\nsource = "\\u00e9\\U0001F600\\t\\""\n')
    keep("toml", "dates", "[training]\nepochs = 1979-05-27T07:32:00Z\n")
    keep("toml", "inline", "data = {source = 'x', targets = '''y'''}\n")
    keep("toml", "infinite", "[grid]\nnoise_variance = inf\nweight_variances = [nan]\n[training]\nseed = -1\n")


def checkpoint(header, data=bytes(84)):
    text = header if isinstance(header, str) else json.dumps(header)
    return b"priorfit-train-2" + struct.pack("<Q", len(text)) + text.encode() + data


def checkpoints():
    header = {"identity": [["network", "1-2-1"], ["seed", "1"]], "epoch": 2, "batch": 0, "loss_sum": 0.5,
              "correct": 3, "steps": 45,
              "best_epoch": None,
              "history": [[0.25, None, None, None], [0.125, 0.5, [10, 0.5, 0.25, None, None, 0.5, 0.25, None], None]]}
    whole = checkpoint(header)  # 7 parameters with two moments each
    measured = [10, 0.5, 0.25, None, None, 0.5, 0.25, None]
    best = checkpoint({**header, "best_epoch": 2, "vanished": [1, 2],
                       "history": [[0.25, None, None, measured], [0.125, 0.5, None, measured]]}, bytes(84 + 28))
    keep("checkpoint", "best", best + struct.pack("<I", zlib.crc32(best)))
    keep("checkpoint", "best-epoch", checkpoint({**header, "best_epoch": 3}))
    keep("checkpoint", "earlier", whole.replace(b"train-2", b"train-1"))
    keep("checkpoint", "whole", whole + struct.pack("<I", zlib.crc32(whole)))
    keep("checkpoint", "body", whole)
    keep("checkpoint", "cut", whole[:-4])
    keep("checkpoint", "more", whole + b"abcd")
    keep("checkpoint", "other-run", checkpoint({**header, "identity": [["network", "2-2-1"]]}))
    keep("checkpoint", "short-identity", checkpoint({**header, "identity": []}))
    keep("checkpoint", "huge-epoch", checkpoint({**header, "epoch": 1e300, "steps": -1}))
    keep("checkpoint", "negative", checkpoint({**header, "epoch": -5, "batch": -9}))
    keep("checkpoint", "wrong-type", checkpoint({**header, "history": {"a": 1}}))
    keep("checkpoint", "not-json", checkpoint("{"))
    keep("checkpoint", "nested", checkpoint("[" * 900))
    keep("checkpoint", "long-header", b"priorfit-train-2" + struct.pack("<Q", 1 << 60))
    keep("checkpoint", "gzip-claim", packed(b"priorfit-train-2" + struct.pack("<Q", 50000)))


def shortened(value):
    """The same with two elements of each list, so that mutations are spent on what differs."""
    if isinstance(value, list):
        return [shortened(element) for element in value[:2]]
    return {key: shortened(element) for key, element in value.items()} if isinstance(value, dict) else value


def recommendations(program):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "recommend", "digits", "--samples", "40", "--activation", "erf", "--depth", "2", "--quiet",
                        "--out", folder],
                       check=True, stdout=subprocess.DEVNULL)
        found = json.loads((pathlib.Path(folder) / "recommendation.json").read_text())
    small = {key: found[key] for key in ("schema", "data", "network", "recommended")}
    for value in found.values():  # times and paths are of no use to a reader's test
        if isinstance(value, dict):
            value.pop("command", None)
    found.pop("command", None)
    found.pop("timing", None)
    found.pop("memory", None)
    small["recommended"] = {key: small["recommended"][key]
                            for key in ("weight_variance", "bias_variance", "noise_variance")}

    def changed(section, **values):
        return json.dumps({**small, section: {**small[section], **values}})

    keep("recommendation", "small", json.dumps(small))
    # As the program writes it, with all that is passed over: the search, its surface and intervals, the signal.
    keep("recommendation", "found", json.dumps(shortened(found), separators=(",", ":")))
    for name in ("tanh", "leaky_relu:0.2", "leaky_relu:", "leaky_relu:1e999", "selu:1", "custom"):
        keep("recommendation", "activation-" + name.replace(":", "-"), changed("network", activation=name, depth=3))
    keep("recommendation", "at-bound", changed("recommended", at_bound=["weight_variance"], per_value=-1.5))
    keep("recommendation", "grid", json.dumps({**small, "grid": [{"a": 1}] * 20}))
    keep("recommendation", "schema", json.dumps({**small, "schema": "x"}))
    keep("recommendation", "null", changed("recommended", noise_variance=None))
    keep("recommendation", "text", changed("network", depth="two"))
    keep("recommendation", "deep", changed("network", depth=1 << 62))
    keep("recommendation", "no-depth", changed("network", depth=0))
    keep("recommendation", "fraction", changed("network", depth=1e300))
    keep("recommendation", "negative", changed("data", features=-1, outputs=0))
    keep("recommendation", "activation", changed("network", activation="reul"))
    keep("recommendation", "variance", changed("recommended", weight_variance=-1.0))
    keep("recommendation", "nested", "[" * 900)
    keep("recommendation", "list", "[1, 2]")


def results():
    """For the page: the first byte says which file it is."""
    cell = {"weight_variance": 2.0, "bias_variance": 0.0, "curve": [0.5, 0.625, 0.7512345], "train_curve": [1.0]}
    experiment = {"schema": "priorfit.experiment/1", "sizes": [{"size": 60, "cells": [cell, cell]}], "rows": []}
    keep("report", "recommendation", "\0" + json.dumps({"schema": "priorfit.recommendation/1", "data": {"name": "</script>"}}))
    keep("report", "experiment", "\1" + json.dumps(experiment))
    cells = [{**cell, "curve": [i / 7 for i in range(150)]}]
    keep("report", "thinned", "\1" + json.dumps({**experiment, "sizes": [{"cells": cells}]}))
    keep("report", "stride", "\1" + json.dumps({**experiment, "curve_stride": "x", "sizes": [{"cells": cells}]}))
    keep("report", "strange-cells", "\1" + json.dumps({**experiment, "sizes": [1, {"cells": [2, {"curve": {"a": 1}}]}]}))
    keep("report", "prediction", "\2" + json.dumps({"schema": "priorfit.prediction/1", "rmse": None}))
    keep("report", "simulation", "\3" + json.dumps({"schema": "priorfit.simulation/1"}))
    record = {"epoch": 1, "train_loss": 0.123456, "test": {"loss": 0.5}}
    keep("report", "training", "\5" + json.dumps({"schema": "priorfit.training/1", "history": [record] * 3}))
    keep("report", "strange-history", "\5" + json.dumps({"schema": "priorfit.training/1", "history": [1, [2.5], {"a": {}}]}))
    keep("report", "unfinished", "\6" + json.dumps({"schema": "priorfit.training/1", "history": [record] * 9}))
    keep("report", "nothing", "\7{}")
    keep("report", "no-folder", "\x08")
    keep("report", "too-large", "\0" + json.dumps({"schema": "priorfit.recommendation/1", "a": ["x" * 20] * 150}))
    keep("report", "no-object", "\0[1]")
    keep("report", "no-number", "\5" + json.dumps({"schema": "priorfit.training/1", "history": [[0, 1e300, 5e-324, -2.5]]}))
    keep("report", "schema", "\3" + json.dumps({"schema": 1}))
    keep("report", "nested", '\0{"schema":"priorfit.recommendation/1","a":' + "[" * 1500 + "]" * 1500 + "}")
    keep("report", "not-utf8", b'\0{"schema":"priorfit.recommendation/1","a":"\xff"}')
    keep("report", "large", "\0" + json.dumps({"schema": "priorfit.recommendation/1", "a": "x" * 2500}))


def stores():
    """Programs of changes, as fuzz/store.cpp reads them: bytes at places, or statements of SQL."""
    keep("store", "unchanged", b"")
    for place in (18, 60, 63, 100, 4096, 8192, 12000, 16500):  # versions, the format, the schema, pages
        keep("store", f"byte-{place}", b"\0" + place.to_bytes(3, "big") + b"\x07")
    for kind in range(10):
        for table in (0, 1, 4, 6):
            keep("store", f"statement-{kind}-{table}", bytes([1, table, 8 + table, 1, kind, 6, 77]))
    # All cells of a format claimed, with a heartbeat: the end of time, the beginning of time.
    for first in (1, 3, 5, 7, 9, 11, 13, 15):
        for value in (5, 9):
            keep("store", f"claimed-{first}-{value}", bytes([first, 0, 7, 1, 4, 8, 0, 19, 1, 4, value]))
    for database in range(4):
        keep("store", f"worked-on-{database}", bytes([8 + 2 * database]))
        for table in range(8):
            keep("store", f"dropped-{database}-{table}", bytes([9 + 2 * database, table, 0, 0, 1]))
            keep("store", f"refilled-{database}-{table}", bytes([9 + 2 * database, table, 2, 1, 4, 1]))
    keep("store", "no-format", bytes([9, 0, 0, 0, 3, 3]))
    keep("store", "later-format", bytes([9, 0, 0, 0, 3, 50]))
    keep("store", "no-database", b"\0" + b"".join(place.to_bytes(3, "big") + b"\x07" for place in range(16)))
    keep("store", "trigger", bytes([9, 0, 0, 0, 6]))
    keep("store", "value-and-format", bytes([1, 1, 12, 1, 9, 1, 0, 0, 0, 3, 5]))


def main(program):
    csv()
    stores()
    arrays()
    archives()
    pictures()
    photographs()
    weights()
    specifications()
    checkpoints()
    results()
    recommendations(program)


if len(sys.argv) != 2:
    sys.exit(__doc__.strip())
main(sys.argv[1])
