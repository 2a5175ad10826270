"""Rows in another order than that of their file, files that run backwards, and dates that can be swapped."""

import datetime
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thalweg
from thalweg.errors import ColumnWarning, ParameterError, StreamError
from thalweg.streams import from_file

N = 300
DAYS = [datetime.date(2023, 11, 20) + datetime.timedelta(days=i // 2) for i in range(N)]
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "when": [f"{day:%Y-%m-%d}" for day in DAYS],
        "x": RNG.normal(size=N).round(3),
        "shop": [f"shop {i % 7}" for i in range(N)],
        "paid": RNG.choice(["yes", "no"], N),
    }
)


def text_of(frame, ending):
    if ending == ".csv":
        return frame.to_csv(index=False)
    return "".join(json.dumps(row) + "\n" for row in frame.to_dict("records"))


def written(folder, frame, ending=".csv", name="rows"):
    path = folder / f"{name}{ending}"
    if ending == ".parquet":
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    else:
        path.write_text(text_of(frame, ending))
    return path


def rows_of(stream, size=64):
    X, codes = map(np.concatenate, zip(*stream.coded_blocks(size), strict=True))
    return X, np.asarray(stream.classes)[codes].tolist()


def assert_same_rows(one, other):
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1] == other[1]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("order", [{"newest_first": True}, {"sort": "when"}, {"sort": 0}])
def test_a_file_with_the_newest_row_first_is_read_from_its_end(tmp_path, ending, order):
    expected = rows_of(from_file(written(tmp_path, FRAME, ending)))
    backwards = written(tmp_path, FRAME[::-1], ending, "backwards")
    stream = from_file(backwards, **order)
    assert_same_rows(rows_of(stream), expected)
    assert_same_rows(rows_of(stream), expected)  # a second reading
    assert stream.columns.warnings == () and stream.n_rows == N
    assert stream.file_order.tolist() == list(range(N, 0, -1))


def test_rows_are_sorted_by_numbers_and_those_without_one_come_last(tmp_path):
    frame = FRAME.assign(x=FRAME["x"].where(FRAME.index % 10 > 0))
    path = written(tmp_path, frame.sample(frac=1, random_state=0))
    X = rows_of(from_file(path, sort="x"))[0]
    j = from_file(path).names.index("x")
    assert np.isnan(X[-30:, j]).all() and (np.diff(X[:-30, j]) >= 0).all()


def test_dates_are_sorted_by_time_in_whatever_way_they_are_written(tmp_path):
    times = [f"{day:%d.%m.%Y}" for day in DAYS]
    mixed = FRAME.assign(when=times).sample(frac=1, random_state=1)
    X = rows_of(from_file(written(tmp_path, mixed), sort="when"))[0]
    assert (np.diff(X[:, 0]) >= 0).all() and X[-1, 0] == N // 2 - 1


def test_a_column_that_is_left_out_can_be_that_of_the_order(tmp_path):
    path = written(tmp_path, FRAME.assign(order_id=range(1, N + 1)).sample(frac=1, random_state=2))
    stream = from_file(path, "paid", sort="order_id", ignore=["order_id"])
    expected = rows_of(from_file(written(tmp_path, FRAME, name="plain"), "paid"))
    assert_same_rows(rows_of(stream), expected)
    assert "order_id" not in stream.names


def test_a_random_order_is_that_of_its_seed(tmp_path):
    path = written(tmp_path, FRAME)
    X = rows_of(from_file(path))[0]
    one, same, other = (rows_of(from_file(path, shuffle=True, seed=seed)) for seed in (1, 1, 2))
    assert_same_rows(one, same)
    j = from_file(path).names.index("x")
    assert not np.array_equal(one[0][:, j], other[0][:, j]) and not np.array_equal(one[0][:, j], X[:, j])
    assert sorted(one[0][:, j]) == sorted(X[:, j])


def test_rows_have_one_order(tmp_path):
    path = written(tmp_path, FRAME)
    with pytest.raises(ParameterError, match="from_file: sort excludes newest_first: rows have one order"):
        from_file(path, newest_first=True, sort="when")
    with pytest.raises(StreamError, match="'shop' has neither dates nor numbers to sort by; name another"):
        next(from_file(path, sort="shop").coded_blocks())
    with pytest.raises(StreamError, match="there is no column 'wen'; did you mean 'when'"):
        from_file(path, sort="wen")
    with pytest.raises(ParameterError, match="date_order must be 'mdy', 'dmy' or 'ymd'"):
        from_file(path, date_order="us")
    head = "@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n"
    (tmp_path / "sparse.arff").write_text(head + "{0 1}\n")
    with pytest.raises(StreamError, match="sparse rows are read in the order of the file only"):
        from_file(tmp_path / "sparse.arff", newest_first=True)


def test_messages_name_the_rows_of_the_file_and_skipped_rows_are_left_out(tmp_path):
    lines = text_of(FRAME[::-1], ".csv").splitlines()
    lines[5] = lines[5] + ",too,many"  # data row 5
    lines[7] = lines[7].replace(lines[7].split(",")[1], "nine", 1)
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(StreamError, match="data row 5: 6 columns instead of 4"):
        from_file(path, newest_first=True)
    stream = from_file(path, newest_first=True, on_error="skip")
    labels = rows_of(stream)[1]
    good = [i for i in range(N) if N - i not in (5, 7)]
    assert labels == FRAME["paid"][good].tolist() and sorted(stream.skipped_rows) == [5, 7]
    assert stream.file_order.tolist() == [N - i for i in good]
    lines[5] = lines[5].removesuffix(",too,many")
    path.write_text("\n".join(lines) + "\n")
    model = thalweg.Model(learner="NaiveBayes")
    with pytest.raises(StreamError, match="data row 7, column 'x': 'nine' is not a number"):
        model.learn(path, newest_first=True)


def test_a_block_with_a_bad_row_is_not_learned_in_whatever_order_rows_come(tmp_path):
    n = 40_000
    big = pd.DataFrame({"t": np.arange(n)[::-1], "x": np.arange(n) % 9, "y": np.arange(n) % 9 > 4})
    lines = big.to_csv(index=False).splitlines()
    lines[5] = lines[5].split(",")[0] + ",nine,False"  # near the start of the file, the end of the rows
    (tmp_path / "big.csv").write_text("\n".join(lines))
    model = thalweg.Model(learner="NaiveBayes")
    with pytest.raises(StreamError, match="data row 5, column 'x': 'nine'") as caught:
        model.learn(tmp_path / "big.csv", newest_first=True)
    assert caught.value.rows_learned == 2 * 16_384


def test_cells_that_are_kept_come_with_their_rows(tmp_path):
    path = written(tmp_path, FRAME.assign(ref=[f"r{i}" for i in range(N)]))
    stream = from_file(path, "paid", keep=["ref", "x"], shuffle=True, seed=4)
    for X, _, cells in stream.blocks_with_cells(50):
        np.testing.assert_array_equal(X[:, stream.names.index("x")], np.array(cells["x"].to_pylist(), float))
    assert [f"r{i - 1}" for i in stream.file_order] == [
        ref for _, _, cells in stream.blocks_with_cells(50) for ref in cells["ref"].to_pylist()
    ]


def test_a_word_in_a_late_piece_of_a_file_of_numbers_is_read_as_elsewhere(tmp_path):
    n = 150_000
    lines = [f"{i},{i % 13},{'ab'[i % 2]}" for i in range(n)]
    lines[-2] = f"{n - 2},-,a"  # a missing number that a first piece does not have
    path = tmp_path / "late.csv"
    path.write_text("\n".join(["t,x,y", *lines]) + "\n")
    assert path.stat().st_size > 1 << 20
    X, labels = rows_of(from_file(path, numeric=["t", "x"]))
    found = rows_of(from_file(path, numeric=["t", "x"], newest_first=True))
    assert_same_rows(found, (X[::-1], labels[::-1]))


# Which files run backwards


def warnings_of(folder, **columns):
    frame = pd.DataFrame(columns | {"paid": FRAME["paid"][: len(next(iter(columns.values())))]})
    return [each for each in from_file(written(folder, frame)).columns.warnings if "newest" in each]


def test_a_file_whose_dates_run_backwards_is_pointed_out(tmp_path):
    days = [str(day) for day in DAYS]
    said = "rows run from the newest to the oldest by 'when': pass newest_first=True"
    assert warnings_of(tmp_path, when=days[::-1]) == [said]
    nearly = days[::-1]
    nearly[50], nearly[54] = nearly[54], nearly[50]
    assert warnings_of(tmp_path, when=nearly) == [said]
    assert warnings_of(tmp_path, when=pd.to_datetime(days[::-1])) == [said]


def test_files_in_the_order_of_time_or_in_none_are_not_pointed_out(tmp_path):
    days, shuffled = [str(day) for day in DAYS], [str(DAYS[i]) for i in RNG.permutation(N)]
    assert warnings_of(tmp_path, when=days) == []
    assert warnings_of(tmp_path, born=shuffled) == []
    assert warnings_of(tmp_path, when=days, due=days[::-1]) == []  # one of them runs forwards
    assert warnings_of(tmp_path, when=["2024-01-01"] * N) == []
    assert warnings_of(tmp_path, when=["2024-01-03", "2024-01-02", "2024-01-01"]) == []
    assert warnings_of(tmp_path, at=[f"{12 - i // 30:02}:00" for i in range(N)]) == []


# Day and month


def dates_of(folder, texts, other=None, **options):
    columns = {"day": texts} | ({} if other is None else {"other": other})
    columns |= {"x": RNG.normal(size=len(texts)), "paid": ["yes", "no"] * (len(texts) // 2)}
    frame = pd.DataFrame(columns)
    stream = from_file(written(folder, frame), **options)
    column = next(column for column in stream.inputs if column.name == "day")
    return column.reader.in_words, [each for each in stream.columns.warnings if "swapped" in each]


MONTHS = [datetime.date(2022 + i // 12, 1 + i % 12, 3) for i in range(36)]
BOTH = [datetime.date(2024, 1 + i // 3, 1 + 4 * (i % 3)) for i in range(36)]


@pytest.mark.parametrize("step", [1, -1])
def test_the_direction_of_time_does_not_decide_between_day_and_month(tmp_path, step):
    for form, expected in (("%m/%d/%Y", "month/day/year"), ("%d/%m/%Y", "day.month.year")):
        found, said = dates_of(tmp_path, [f"{day:{form}}" for day in BOTH][::step])
        other = "dmy" if form == "%m/%d/%Y" else "mdy"
        assert found == expected  # only so do the rows run in one direction
        assert said == [
            f"'day': day and month could be swapped; taken as {expected}; if not, pass date_order={other!r}"
        ]


def test_without_any_evidence_the_day_is_first_in_both_directions(tmp_path):
    texts = [f"{day:%m/%d/%Y}" for day in MONTHS[:12]]
    for given in (texts, texts[::-1], [texts[i] for i in RNG.permutation(12)]):
        found, said = dates_of(tmp_path, given)
        assert found == "day.month.year" and len(said) == 1


@pytest.mark.parametrize("step", [1, -1])
def test_dates_with_times_of_day_are_those_of_days_and_not_of_months(tmp_path, step):
    times = [datetime.datetime(2024, 5, 1, 8) + datetime.timedelta(hours=7 * i) for i in range(36)]
    for form, expected in (("%m/%d/%Y %H:%M", "month/day/year"), ("%d/%m/%Y %H:%M", "day.month.year")):
        found, said = dates_of(tmp_path, [f"{time:{form}}" for time in times][::step])
        assert found == expected and len(said) == 1


@pytest.mark.parametrize("step", [1, -1])
def test_a_told_order_decides_and_a_cell_that_proves_one_does_too(tmp_path, step):
    texts = [f"{day:%m/%d/%Y}" for day in BOTH][::step]
    assert dates_of(tmp_path, texts, date_order="dmy") == ("day.month.year", [])
    assert dates_of(tmp_path, texts, date_order="mdy") == ("month/day/year", [])
    assert dates_of(tmp_path, [*texts, "12/31/2024", "12/31/2024"]) == ("month/day/year", [])
    proven = [f"{day:%d/%m/%Y}" for day in DAYS][::step]  # the order that is told cannot be
    assert dates_of(tmp_path, proven, date_order="mdy") == ("day.month.year", [])


def test_another_column_of_dates_proves_the_order(tmp_path):
    texts = [f"{day:%m/%d/%Y}" for day in MONTHS]
    other = [f"{day:%m/%d/%Y}" for day in DAYS[: len(texts)]]
    assert dates_of(tmp_path, texts, other) == ("month/day/year", [])


def test_dates_of_two_digits_can_begin_with_the_year(tmp_path):
    texts = [f"{day:%y/%m/%d}" for day in BOTH]
    found, said = dates_of(tmp_path, texts, date=["day"], date_order="ymd")
    assert (found, said) == ("yy-month-day", [])
    assert dates_of(tmp_path, texts, date=["day"])[0] != "yy-month-day"


def test_a_model_reads_dates_in_the_order_that_is_told(tmp_path):
    frame = pd.DataFrame({"day": [f"{day:%m/%d/%Y}" for day in MONTHS * 2], "y": [i % 2 for i in range(72)]})
    for model in (
        thalweg.Model(learner="NaiveBayes", date_order="mdy").learn(frame),
        thalweg.Model(learner="NaiveBayes").learn(frame, date_order="mdy"),
    ):
        assert model.schema()["columns"][0]["layout"] == "month/day/year"
        again = thalweg.saving.from_bytes(thalweg.saving.to_bytes(model))
        assert again.date_order == model.date_order and again.digest() == model.digest()


# Models


def test_a_model_learns_files_and_frames_in_the_same_order(tmp_path):
    expected = thalweg.Model(learner="NaiveBayes").learn(FRAME).digest()
    backwards = FRAME[::-1]
    records, table = backwards.to_dict("records"), pa.Table.from_pandas(backwards)
    for form in (backwards, records, table, written(tmp_path, backwards)):
        for order in ({"newest_first": True}, {"sort": "when"}):
            assert thalweg.Model(learner="NaiveBayes").learn(form, **order).digest() == expected
    run = thalweg.Model(learner="NaiveBayes").prequential(backwards, newest_first=True)
    assert run.codes.tolist() == [["no", "yes"].index(label) for label in FRAME["paid"]]


def test_learning_warns_of_rows_that_run_backwards_and_predicting_does_not():
    backwards = FRAME[::-1]
    with pytest.warns(ColumnWarning, match="oldest by 'when': pass newest_first=True") as caught:
        model = thalweg.Model(learner="NaiveBayes").learn(backwards)
    assert len(caught) == 1 and caught[0].filename == __file__
    model = thalweg.Model(learner="NaiveBayes").learn(FRAME)
    assert len(model.predict(backwards)) == N  # a warning would be an error
    with pytest.warns(ColumnWarning, match="newest_first=True"):
        model.prequential(backwards)


def test_the_order_of_rows_with_ids_and_of_predictions_is_their_own(tmp_path):
    model = thalweg.Model(learner="NaiveBayes").learn(FRAME)
    with pytest.raises(ParameterError, match="newest_first excludes ids: each row has one"):
        model.learn(FRAME, ids=range(N), newest_first=True)
    with pytest.raises(ParameterError, match="sort is for learning: predictions come in the order"):
        model.predict(FRAME, sort="when")
    with pytest.raises(ParameterError, match="shuffle is for files, frames, arrays and records"):
        thalweg.Model().learn(from_file(written(tmp_path, FRAME)), shuffle=True)
