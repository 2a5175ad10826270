"""Text of data does no harm in a terminal, a page, a log or a spreadsheet."""

import json

import pyarrow as pa
import pytest

from thalweg._escaping import in_cells, in_html, in_json, in_markdown, in_spreadsheet, printable
from thalweg.errors import one_line

HARMFUL = "\x1b]0;T\x07\r\n\x9b2J\u202e\u2066\u200f\u2028\udc80\U000e0041"


def test_what_a_terminal_obeys_is_escaped():
    shown = printable(f"a{HARMFUL}b")
    assert shown.startswith(r"a\x1b]0;T\x07\r\n\x9b2J\u202e\u2066") and shown[-1] == "b"
    assert shown.isprintable()
    assert one_line(f"a{HARMFUL}b") == shown
    assert printable("a\nb\tc", keep="\n") == "a\nb\\tc"


@pytest.mark.parametrize("text", [
    "Größe", "می\u200cخواهم", "10\u202f000\u00a0€", "東京\u3000都", "👩\u200d🔬", "\\x1b",
])  # fmt: skip
def test_text_of_any_language_stays(text):
    assert printable(text) == text == in_json(text)
    assert in_html(text) == text


def test_pages_keep_line_ends_and_escape_marks_of_direction():
    assert in_html("<b>\n\u202e'\"") == "&lt;b&gt;\n\\u202e&#x27;&quot;"


def test_a_log_line_has_the_same_value():
    line = in_json(json.dumps({"id": HARMFUL}, ensure_ascii=False))
    assert line.isprintable() and json.loads(line) == {"id": HARMFUL}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<img src=x>|`a`", r"&lt;img src=x>\|\`a\`"),
        ("[a](javascript:b)", r"\[a\](javascript:b)"),
        ("A(n_members=5)", "A(n_members=5)"),
        ("p < 0.05", "p < 0.05"),
        ("a\n# b", r"a\\n# b"),
        ("![a](http://b/c)", r"!\[a\](http://b/c)"),
    ],
)
def test_markdown_is_text(text, shown):
    assert in_markdown(text) == shown


FORMULAS = ["=1+1", "@SUM(A1)", "+1+1", "-2+3", "\t=1", "\r=1", "\uff1d1", "-", "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_text_in_a_spreadsheet(text):
    assert in_spreadsheet(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=1", "-1", "+4.5", "-1e-7", "-1,5", "12", "'=1", " ="])
def test_other_cells_stay(text):
    assert in_spreadsheet(text) == text


def test_texts_and_names_of_a_table_are_escaped_once_each():
    texts = pa.array(["=1", None, "b", "=1"])
    table = pa.table({"=x": texts, "n": [-1, 2, 3, 4], "y": texts.dictionary_encode()})
    seen = []
    found = in_cells(table, lambda text: seen.append(text) or in_spreadsheet(text))
    shown = ["'=1", None, "b", "'=1"]
    assert found.to_pydict() == {"'=x": shown, "n": [-1, 2, 3, 4], "y": shown}
    assert sorted(seen) == ["=1", "=1", "=x", "b", "b", "n", "y"]
    assert in_cells(table.slice(0, 0), in_spreadsheet).num_rows == 0
