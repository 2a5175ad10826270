"""Which first rows of CSV files have names."""

import numpy as np
import pandas as pd
import pytest
from support.file_rows import whole, write

from thalweg.streams import from_file


def numbers(rng, n=40):
    return rng.normal(size=(n, 3)).round(2)


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("labels", [["a", "b"], [0, 1]])
def test_frames_without_names_of_columns(tmp_path, index, labels):
    frame = pd.DataFrame(numbers(np.random.default_rng(1)))
    frame["label"] = [labels[i % 3 % 2] for i in range(40)]
    frame.to_csv(tmp_path / "rows.csv", index=index)
    stream = from_file(tmp_path / "rows.csv")
    assert stream.source.header and stream.columns.target == "label" and stream.classes.tolist() == labels
    assert stream.names[-3:] == ("0", "1", "2") and len(whole(stream)[0]) == 40


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("0,1,2", ["5,3,1", "6,2,0"] * 9),
        ("name,2000,2005,2010", ["x,5.5,3,1", "y,6,2,0"] * 9),
        (",0,1,2", ["0,5,3,1", "1,6,2,0"] * 9),
        (",7,5,kind", ["0,5,3,u", "1,6,2,v"] * 9),
        ("7,5,kind", ["5,3,u", "6,2,v"] * 9),
        ("7,5,price", ["5,3,1.5", "6,2,2.5"]),
    ],
)
def test_numbers_that_are_names(tmp_path, first, rows):
    stream = from_file(write(tmp_path, "\n".join([first, *rows]) + "\n"), on_error="skip")
    assert (stream.source.header and stream.cell_names == tuple(first.split(","))) or first.startswith(",")
    assert stream.cell_names[1:] == tuple(first.split(",")[1:])
    assert len(whole(stream)[0]) == len(rows)


@pytest.mark.parametrize(
    ("first", "rows"),
    [
        ("5.1,3.5,setosa", ["4.9,3.0,setosa", "7.0,3.2,virginica"] * 9),
        ("1,2,3", ["2,3,4", "1,1,1"] * 9),
        ("1,2,3", ["7,1,1", "4,5,6"] * 9),
        ("5,5,kind", ["5,3,u", "6,2,v"] * 9),
        (",3.5,setosa", ["4.9,3.0,setosa", "7.0,3.2,virginica"] * 9),
        (",3.5,other", [",3.0,setosa", "7.0,3.2,virginica"] * 9),
        ("1,,3,u", ["2,1,1,u", "1,5,1,v"] * 9),
        ("1.5,0,the first text", [f"{i}.5,1,text {i}" for i in range(20)]),
        ("1.5,NA", ["2.5,1", "3.5,0"] * 9),
        ("2024-01-02,5,rain", ["2024-01-03,6,sun"] * 9),
        ("1,2,a", ["3,4,b"]),
        ("1.5,0", ["2.5,1", "3.5,0"] * 9),
    ],
)
def test_rows_of_data(tmp_path, first, rows):
    stream = from_file(write(tmp_path, "\n".join([first, *rows]) + "\n"), target=-1, header=None)
    assert not stream.source.header and stream.cell_names[0] == "x0"
    assert sum(len(codes) for _, codes in stream.coded_blocks()) == len(rows) + 1


def test_the_user_may_say_otherwise(tmp_path):
    path = write(tmp_path, "0,1,label\n" + "5,3,u\n6,2,v\n" * 9)
    assert from_file(path).classes.tolist() == ["u", "v"]
    assert from_file(path, header=False).classes.tolist() == ["label", "u", "v"]
