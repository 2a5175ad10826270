"""Drift of dates: times and weekdays are compared in windows of whole days or weeks, or not at all."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from thalweg.commands.app import app
from thalweg.drift import HellingerMonitor
from thalweg.evaluation import detect_drift
from thalweg.evaluation.drift import words as drift_words
from thalweg.evaluation.drift.whole_days import DayOfRow, days_in, whole_spans
from thalweg.streams import from_arrays

START = np.datetime64("2024-01-03T00:00", "s")  # a Wednesday


def visits(weeks, seed=0, change=None):
    """Return times of a Poisson process, busy by day and on weekdays; at night from week `change` on."""
    rng = np.random.default_rng(seed)
    hours = np.arange(168 * weeks)
    night = 0 if change is None else np.pi * (hours >= 168 * change)
    rate = 3 * (1.4 - np.cos(hours / 24 * 2 * np.pi + night)) * (1 + 2 * ((hours // 24 + 2) % 7 < 5))
    n = rng.poisson(rate)
    when = np.sort(np.repeat(hours, n) + rng.random(n.sum()))
    return START + (3600 * when).astype("m8[s]")


def stream(when, **columns):
    return from_arrays(pa.table({"when": pa.array(when), **columns}), np.zeros(len(when)))


def test_spans_are_read():
    assert [days_in(text) for text in ("day", "3 days", "week", "2 weeks")] == [1, 3, 7, 14]
    assert [days_in(text) for text in ("1000", "month", "0 days", "")] == [None] * 4


def test_windows_of_rows_do_not_compare_times():
    columns = {"price": np.random.default_rng(1).normal(size=len(visits(10)))}
    report = detect_drift(stream(visits(10), **columns), HellingerMonitor(window=300, reference=600))
    assert [str(each) for each in report.watched] == ["price"] and report.findings == []
    assert report.left_out["when: time of day"] == report.left_out["when: weekday"] == "cycle"
    assert any("weeks: when: time of day, when: weekday" in said for said in drift_words.notes(report))
    with pytest.raises(ValueError, match="no column that can be compared"):
        detect_drift(stream(visits(3)))


def test_weeks_compare_times_and_weekdays_without_false_alarms():
    report = detect_drift(stream(visits(10)), windows="week")
    assert [str(each) for each in report.watched] == ["when: time of day", "when: weekday"]
    assert len(report.stops) == 8 and report.findings == []
    assert report.category_names[1][0] == "Mon"
    days = detect_drift(stream(visits(4)), windows="day", reference="4 days")
    assert [str(each) for each in days.watched] == ["when: time of day"]
    assert len(days.stops) == 24 and days.findings == [] and days.left_out["when: weekday"] == "cycle"


def test_a_change_of_the_time_of_day_is_found():
    report = detect_drift(stream(visits(10, change=6)), windows="week")
    (finding,) = report.findings
    assert str(finding.watched) == "when: time of day"
    assert report.starts.tolist().index(finding.start) == 4 and finding.n_changed >= 3


def test_a_weekday_that_is_missing_is_named():
    when = visits(10)
    sundays = (when.astype("M8[D]").astype(int) + 3) % 7 == 6
    late = np.arange(len(when)) > len(when) // 2
    report = detect_drift(stream(when[~(sundays & late)]), windows="week")
    found = {str(finding.watched): drift_words.what(finding, report) for finding in report.findings}
    assert "“Sun”" in found["when: weekday"] and "→ 0 %" in found["when: weekday"]


def test_two_streams_are_compared_by_whole_weeks():
    # The second has more Thursdays than the first if all its rows are counted.
    first, second = visits(4, seed=1), visits(5, seed=2)[: -len(visits(5, seed=2)) // 7]
    report = detect_drift(stream(second), windows="week", reference=stream(first))
    assert report.findings == [] and len(report.stops) == 4


def test_a_reference_without_a_whole_week_is_said():
    with pytest.raises(ValueError, match="there is no whole span of 7 days in it"):
        detect_drift(stream(visits(3)), windows="week", reference=stream(visits(1)[:300]))


def test_spans_are_whole_days_whatever_the_blocks():
    when = visits(3)[5:]  # not quite from midnight on
    rows = stream(when)
    for size in (500, 10_000):
        spans = list(whole_spans(rows.coded_blocks(size), DayOfRow(rows), 7))
        assert len(spans) >= 2
        for span in spans[:-1]:
            days = when[span.start : span.start + len(span.X)].astype("M8[D]")
            assert len(np.unique(days)) == 7 and days[0] == days.min()
        starts = [span.start for span in spans]
        assert starts == sorted(starts)
    late = stream(np.append(START + np.timedelta64(13, "h"), visits(2)[200:]))
    first = next(whole_spans(late.coded_blocks(), DayOfRow(late), 1))
    assert first.start > 0


def test_rows_that_are_not_in_the_order_of_time_are_said():
    when = np.random.default_rng(0).permutation(visits(4))
    with pytest.raises(ValueError, match="not in the order of time"):
        detect_drift(stream(when), windows="day")
    with pytest.raises(ValueError, match='windows must be "day", "week"'):
        detect_drift(stream(when), windows="month")
    with pytest.raises(ValueError, match="column of dates"):
        detect_drift(from_arrays(np.zeros((100, 1)), np.zeros(100)), windows="day")


def test_the_command_chooses_weeks_and_says_so(tmp_path, monkeypatch):
    path = tmp_path / "visits.csv"
    when = visits(10, change=6)
    price = np.random.default_rng(1).normal(size=len(when)).round(3)
    pyarrow.csv.write_csv(pa.table({"when": pa.array(when), "price": price}), path)
    answer = json.loads(CliRunner().invoke(app, ["drift", str(path), "--json"]).output)
    assert answer["window_days"] == 7
    assert [each["input"] for each in answer["changed"]] == ["when: time of day"]
    monkeypatch.setattr("sys.argv", ["thalweg", "drift"])
    by_rows = CliRunner().invoke(app, ["drift", str(path), "--window", "500"]).output
    assert "None of the 1 input changed" in by_rows and "--window week compares" in " ".join(by_rows.split())
