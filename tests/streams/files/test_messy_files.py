"""Files as people have them, in tests/files: each is read as its clean twin, or says what to do.

`files/expected.toml` is the table of them; a new file needs a `[[file]]` there and nothing else.
"""

import tomllib

import numpy as np
import pytest
from support.file_rows import complaint, whole
from support.places import TESTS

from thalweg.streams import from_file

FOLDER = TESTS / "files"
CASES = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))["file"]
READ = [case for case in CASES if "error" not in case]
REFUSED = [case for case in CASES if "error" in case]
NOT_ROWS = {"expected.toml", "make.py", "make_formats.py"}
OPENING = ("header", "delimiter", "encoding", "missing")  # options that a schema does not hold


def clean_path(case):
    return FOLDER / case.get("clean", f"{case['file'].split('.')[0]}.clean.csv")


def messy(case, **options):
    return from_file(FOLDER / case["file"], **case.get("options", {}), **options)


def clean(case, **options):
    return from_file(clean_path(case), **case.get("clean_options", {}), **options)


def assert_same_rows(left, right):
    assert left.names == right.names
    (X, codes), (other_X, other_codes) = whole(left), whole(right)
    np.testing.assert_allclose(X, other_X, rtol=1e-12)
    assert left.classes.tolist() == right.classes.tolist()
    np.testing.assert_array_equal(codes, other_codes)
    assert left.n_categories.tolist() == right.n_categories.tolist()


def named(cases):
    return pytest.mark.parametrize("case", cases, ids=[case["file"] for case in cases])


@named(READ)
def test_a_messy_file_is_read_as_its_clean_twin(case):
    assert_same_rows(messy(case), clean(case))


@named(READ)
def test_what_was_found_is_said(case):
    found = messy(case).columns
    if "kinds" in case:
        assert found.kinds == case["kinds"]
    for name, words in case.get("notes", {}).items():
        assert words in found.notes[name]
    wanted = case.get("warnings", [])
    assert len(found.warnings) == len(wanted), found.warnings
    for warning, words in zip(found.warnings, wanted, strict=True):
        assert words in warning


@named([case for case in READ if case.get("like", True)])
def test_each_is_read_with_the_schema_of_the_other(case):
    clean_stream, messy_stream = clean(case), messy(case)
    opened = {name: value for name, value in case.get("options", {}).items() if name in OPENING}
    assert_same_rows(from_file(FOLDER / case["file"], like=clean_stream.schema(), **opened), clean_stream)
    assert_same_rows(from_file(clean_path(case), like=messy_stream.schema()), messy_stream)


@named(REFUSED)
def test_a_message_says_what_to_do(case):
    said = complaint(FOLDER / case["file"], **case.get("options", {}))
    for words in case["error"]:
        assert words in said


def test_every_file_is_in_the_table():
    listed = {case["file"] for case in CASES} | {clean_path(case).name for case in READ} | NOT_ROWS
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == listed
