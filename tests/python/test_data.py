"""What users have, as the library reads it: in place where it can, and frames as the command line reads tables."""

import json

import numpy as np
import pytest

import priorfit
from priorfit import _core
from priorfit._arrays import matrix


def test_float64_arrays_are_read_in_place():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20.0)[:, None]
    assert matrix(X, "X") is X
    engine = _core.EvidenceEngine(X, y, [1], "relu")
    assert engine.inputs_address == X.ctypes.data
    del X  # the engine keeps what it reads
    assert np.isfinite(engine.evaluate([(2.0, 0.1)], 1e-2)["log_marginal_likelihood"])


def test_other_types_and_orders_give_the_same():
    X = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32).astype(np.float64)
    wanted = priorfit.covariance(X)
    for other in (np.asfortranarray(X), X.astype(np.float32), X.tolist(), np.repeat(X, 2, axis=0)[::2]):
        assert np.array_equal(priorfit.covariance(other), wanted)


def test_torch_tensors_are_read_in_place():
    torch = pytest.importorskip("torch")
    X = torch.randn(10, 4, dtype=torch.float64)
    assert matrix(X, "X").ctypes.data == X.data_ptr()
    needs_gradient = X.clone().requires_grad_()
    assert np.array_equal(priorfit.covariance(needs_gradient), priorfit.covariance(X.numpy()))
    half = X.to(torch.bfloat16)
    assert np.array_equal(matrix(half, "X"), half.double().numpy())


def test_jax_arrays():
    jax = pytest.importorskip("jax")
    X = jax.numpy.asarray(np.random.default_rng(0).normal(size=(10, 4)))
    assert np.array_equal(priorfit.covariance(X), priorfit.covariance(np.asarray(X, dtype=np.float64)))
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        double = jax.numpy.asarray(np.random.default_rng(0).normal(size=(10, 4)))
        assert double.dtype == np.float64 and matrix(double, "X").ctypes.data == double.unsafe_buffer_pointer()
        assert np.isfinite(priorfit.covariance(double)).all()  # which it may only read


def test_results_outlive_what_made_them():
    data = priorfit.as_data("digits", samples=20)
    inputs = data.inputs
    kept = inputs.copy()
    del data
    assert np.array_equal(inputs, kept)
    with pytest.raises(ValueError):
        inputs[0, 0] = 1.0


def test_rows_keep_their_order():
    X, y = np.arange(30.0).reshape(10, 3), np.linspace(0, 1, 10) ** 2
    data = priorfit.as_data(X, y)
    assert np.array_equal(data.inputs, X)
    assert np.allclose(data.target_shift + data.target_scale * data.targets[:, 0], y, rtol=0, atol=1e-14)
    assert np.array_equal(priorfit.as_data(X, y, raw_targets=True).targets[:, 0], y)


def test_names_of_classes():
    data = priorfit.as_data(np.eye(6), np.array(["b", "a"] * 3))
    assert data.task == "classification" and data.output_names == ["a", "b"] and data.labels.tolist() == [1, 0] * 3


def test_pictures_are_taken_for_such():
    X = np.random.default_rng(0).integers(0, 256, size=(20, 4, 4), dtype=np.uint8)
    data = priorfit.as_data(X, np.arange(20) % 2)
    assert data.features == 16 and data.preprocess == "unit" and data.inputs.max() <= 1.0


def houses(module):
    rng = np.random.default_rng(4)
    rows = 60
    columns = {
        "area": np.round(rng.normal(100, 30, rows), 3),
        "rooms": rng.integers(1, 7, rows),
        "city": rng.choice(["Bern", "Oslo, east", 'the "new" one'], rows),
        "garden": rng.random(rows) < 0.5,
        "zone": rng.choice([1, 2, 3], rows),
        "1": rng.normal(size=rows) * 1e-7,
        "sold": (np.datetime64("2021-03-01") + rng.integers(0, 500, rows)).astype("datetime64[us]"),
        "price": rng.normal(2e5, 8e4, rows),
    }
    frame = module.DataFrame(columns)
    return frame


def with_holes_pandas(frame):
    pandas = pytest.importorskip("pandas")
    frame.loc[3, "area"] = np.nan
    frame.loc[5, "city"] = None
    frame.loc[7, "sold"] = pandas.NaT
    frame["zone"] = frame["zone"].astype("category")
    return frame


def numbers(data):
    data = {name: value for name, value in data.items() if name not in ("name", "notes", "preparation")}
    return data


def check_against_csv(frame, path, command):
    line = json.loads(command("recommend", path, "--target", "price", "--threads", 1, "--categorical", "zone", "--noise",
                              0.01, "--risk-samples", 0, "--format", "json"))
    python = priorfit.recommend(frame, target="price", threads=1, noise=0.01, risk_samples=0).to_dict()
    assert numbers(python["data"]) == numbers(line["data"])
    assert python["recommended"] == line["recommended"]
    ours, theirs = python["data"]["preparation"], line["data"]["preparation"]
    assert ours == theirs


def test_pandas_frames_are_read_as_their_csv(tmp_path, command):
    pandas = pytest.importorskip("pandas")
    frame = with_holes_pandas(houses(pandas))
    frame.to_csv(tmp_path / "houses.csv", index=False)
    check_against_csv(frame, tmp_path / "houses.csv", command)


def test_polars_frames_are_read_as_their_csv(tmp_path, command):
    polars = pytest.importorskip("polars")
    frame = houses(polars).with_columns(polars.col("zone").cast(polars.String).cast(polars.Categorical))
    frame = frame.with_columns(area=polars.when(polars.col("rooms") == 1).then(None).otherwise(polars.col("area")))
    frame.write_csv(tmp_path / "houses.csv", datetime_format="%Y-%m-%d")
    check_against_csv(frame, tmp_path / "houses.csv", command)


def test_arrow_tables_and_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    import pyarrow.parquet
    frame = houses(pandas)
    table = pyarrow.Table.from_pandas(frame)
    direct = priorfit.as_data(frame, target="price")
    assert np.array_equal(priorfit.as_data(table, target="price").inputs, direct.inputs)
    pyarrow.parquet.write_table(table, tmp_path / "houses.parquet")
    again = priorfit.as_data(pandas.read_parquet(tmp_path / "houses.parquet"), target="price")
    assert np.array_equal(again.inputs, direct.inputs)


class OnlyTheArrowInterface:
    def __init__(self, table, stream):
        name = "__arrow_c_stream__" if stream else "__arrow_c_array__"
        self.__class__ = type("Columns", (), {name: lambda _, requested_schema=None: getattr(table, name)(requested_schema)})


def test_anything_with_the_arrow_interface():
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    frame = houses(polars)
    wanted = priorfit.as_data(frame, target="price").inputs
    batch = pyarrow.RecordBatch.from_pandas(frame.to_pandas())
    for other in (OnlyTheArrowInterface(frame, True), OnlyTheArrowInterface(batch, False), frame.lazy(), batch):
        assert np.array_equal(priorfit.as_data(other, target="price").inputs, wanted)


def test_frame_with_targets_beside_it():
    pandas = pytest.importorskip("pandas")
    frame = houses(pandas)
    beside = priorfit.as_data(frame.drop(columns="price"), frame["price"])
    inside = priorfit.as_data(frame, target="price")
    assert np.array_equal(beside.inputs, inside.inputs) and np.array_equal(beside.targets, inside.targets)


def test_frame_whose_columns_have_numbers_for_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.random.default_rng(0).normal(size=(20, 3)))
    assert priorfit.as_data(frame, target=2).inputs.shape == (20, 2)


@pytest.mark.parametrize("call, words", [
    (lambda: priorfit.as_data(np.eye(3)), "y is missing"),
    (lambda: priorfit.as_data(np.eye(3), np.ones(2)), "3 rows"),
    (lambda: priorfit.as_data(np.eye(3), [1.0, np.nan, 2.0]), "not a finite number"),
    (lambda: priorfit.as_data(np.array([["a"], ["b"]]), [1, 2]), "must hold numbers"),
    (lambda: priorfit.as_data(np.eye(3), [1.0, 2.0, 3.5], target="y"), "target names a column"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], width_=3), "no argument 'width_'"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], widths=[3], depth=2), "leave out depth"),
    (lambda: priorfit.recommend("digitz"), "digits"),
    (lambda: priorfit.recommend(None, [1, 2]), "X is None"),
    (lambda: priorfit.recommend(np.empty((0, 3)), np.empty(0)), "y has no rows"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], widths=256), "widths is 256: give a list"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], widths=[2.5]), "a hidden width is 2.5"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], activation=3), "activation is 3"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], threads="two"), "threads is 'two'"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], random_state=-1), "random_state is -1"),
    (lambda: priorfit.recommend(np.eye(3), [1.0, 2.0, 3.5], random_state="a"), "random_state is 'a'"),
    (lambda: priorfit.covariance(np.eye(3), 2.0), "start is 2.0"),
    (lambda: priorfit.covariance(np.eye(3), "he"), "Initialisation.named"),
    (lambda: priorfit.covariance(np.eye(3), (2.0, 0.0, 1.0)), "one such pair per layer"),
])
def test_mistakes_are_named(call, words):
    with pytest.raises((ValueError, OSError), match=words) as caught:
        call()
    assert isinstance(caught.value, priorfit.PriorfitError)
