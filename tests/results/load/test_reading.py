"""Rows of a load, written and read again."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from kubestage.clusterloader.result import Measured, StepResult
from kubestage.errors import InputError
from kubestage.measure.results import MeasurementResult
from kubestage.results.load import database_rows, reading
from kubestage.results.load.reading import MetricRow, Observation, Reading, VerdictRow
from tests.results.load.loads import ABOUT, SECOND, make_calls, make_latencies, make_result

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

ERROR = "measurement call PodStartupLatency - Pods error: too high"


@pytest.fixture
def report(tmp_path: pathlib.Path) -> Iterator[Reading]:
    """Two tests, the second of them another time and place."""
    second = make_result(identifier="again", errors=[ERROR, "no namespaces"], began_ns=0)
    path = tmp_path / "load.sqlite"
    files = [("junit.xml", None, None), ("S.json", 1, "PodStartupLatency_Pods")]
    database_rows.write(path, [make_result(), second], ABOUT, files)
    with reading.open_report(tmp_path) as found:
        yield found


def test_what_the_run_depends_on_is_there(report: Reading) -> None:
    assert report.facts["seed"] == "7"
    assert report.facts["command"] == "kubestage load c.yaml"
    assert [(each["test"], each["identifier"], each["passed"]) for each in report.tests()] == [
        (1, "", 0),
        (2, "again", 0),
    ]
    assert report.rows("SELECT name, test FROM files WHERE test = 1") == [
        {"name": "S.json", "test": 1}
    ]


def test_verdicts_come_back_as_they_were_given(report: Reading) -> None:
    assert report.verdicts()[:2] == [
        VerdictRow(
            1, "PodStartupLatency", "Pods", "pod_startup p99", 6.5, 5.0, "s", 4, False, True, False
        ),
        VerdictRow(
            1,
            "PodStartupLatency",
            "Pods",
            "Stateful pod_startup p99",
            None,
            5.0,
            "s",
            0,
            True,
            True,
            True,
        ),
    ]
    assert report.verdicts()[0].passed is False


def test_percentiles_are_nearest_ranks(report: Reading) -> None:
    metric = report.metrics()[1]
    assert metric == MetricRow(
        2,
        1,
        "PodStartupLatency",
        "Pods",
        "pod_startup",
        4,
        2 * SECOND,
        6_500_000_000,
        6_500_000_000,
        6_500_000_000,
    )
    assert report.latencies(metric)[-1] == Observation("ns-1/pod-3", 5 * SECOND, 6_500_000_000)
    assert len(report.latencies("pod_startup")) == 2 * len(report.latencies(metric))


def test_each_percentile_has_its_own_rank(tmp_path: pathlib.Path) -> None:
    latencies = make_latencies("m", [float(at) for at in range(200, 0, -1)])
    measured = [Measured("M", "M", 1, MeasurementResult(latencies=(latencies,)))]
    database_rows.write(tmp_path / "load.sqlite", [make_result(measured=measured)], ABOUT, [])
    with reading.open_report(tmp_path) as found:
        [metric] = found.metrics()
        assert [each // SECOND for each in metric[-4:] if each] == [100, 180, 198, 200]
        assert found.rows("SELECT min_ns FROM metrics") == [{"min_ns": SECOND}]


def test_the_slowest_pods_are_asked_for_by_name(report: Reading) -> None:
    found = report.rows("SELECT * FROM slowest_pods WHERE test = 1 LIMIT 2")
    assert [(row["pod"], row["seconds"], row["created_at_seconds"]) for row in found] == [
        ("ns-1/pod-3", 6.5, 4.0),
        ("ns-1/pod-2", 3.0, 3.0),
    ]


def test_a_call_knows_its_step_unless_it_is_of_none(report: Reading) -> None:
    found = report.rows("SELECT step, verb, name, code FROM calls WHERE test = 1 ORDER BY rowid")
    assert [row["step"] for row in found] == [None, 1, 1, None]
    assert found[2]["code"] == 409


def test_calls_are_counted_by_the_second_in_which_they_were_sent(report: Reading) -> None:
    found = report.rows("SELECT * FROM calls_per_second WHERE test = 1")
    assert [(row["second"], row["verb"], row["calls"], row["failed"]) for row in found] == [
        (0, "create", 1, 0),
        (3, "create", 2, 1),
        (98, "delete", 1, 0),
    ]
    worst = report.rows("SELECT name, waited_seconds, seconds FROM slowest_calls LIMIT 1")
    assert worst == [{"name": "pod-2", "waited_seconds": 1.0, "seconds": 2.0}]


def test_errors_are_told_once_where_they_belong(report: Reading) -> None:
    found = report.rows("SELECT test, step, substep, message FROM errors")
    assert [tuple(row.values()) for row in found] == [
        (1, 2, 0, ERROR),
        (2, 2, 0, ERROR),
        (2, None, None, "no namespaces"),
    ]


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT count(*) AS n FROM steps WHERE named", [{"n": 4}]),
        (
            "SELECT name FROM substeps WHERE NOT passed AND test = 1",
            ["[step: 02] Gather [00] - Pods"],
        ),
        ("SELECT message FROM warnings WHERE test = 1", ["a step has no name"]),
        ("SELECT reason FROM skipped WHERE test = 1", ["needs prober pods"]),
        ("SELECT value FROM series WHERE test = 1 ORDER BY at_ns", [3.0, 1.5]),
        ("SELECT metric FROM latencies WHERE took_ns = 6500000000 AND test = 1", ["pod_startup"]),
    ],
)
def test_everything_can_be_asked_for(report: Reading, query: str, rows: list[object]) -> None:
    found = report.rows(query)
    assert (
        found if isinstance(rows[0], dict) else [next(iter(each.values())) for each in found]
    ) == rows


def test_an_empty_load_is_a_report_too(tmp_path: pathlib.Path) -> None:
    empty = make_result(steps=[], measured=[], errors=[], warnings=[], calls=make_calls([]))
    path = tmp_path / "load.sqlite"
    database_rows.write(path, [empty], ABOUT, [])
    with reading.open_report(path) as found:
        assert found.metrics() == []
        assert found.verdicts() == []
        assert found.tests()[0]["passed"] == 1


def test_texts_that_no_file_can_hold_are_mended(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "load.sqlite"
    database_rows.write(path, [make_result(errors=["half \ud800"], steps=[])], ABOUT, [])
    with reading.open_report(path) as found:
        assert found.rows("SELECT message FROM errors") == [{"message": "half ?"}]


def test_what_is_no_report_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="is not the report of a load"):
        reading.open_report(tmp_path)
    other = tmp_path / "load.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(InputError, match="is not the report of a load"):
        reading.open_report(other)
    other.write_text("this is no database, however long it may be")
    with pytest.raises(InputError, match="not a database"):
        reading.open_report(tmp_path)


def test_what_cleans_up_is_of_no_step_though_it_begins_as_the_last_one_ends() -> None:
    steps = database_rows.StepFinder(make_result())
    last = make_result().steps[-1]
    end_ns = last.began_ns + last.took_ns
    assert (steps.at(end_ns - 1), steps.at(end_ns)) == (last.number, None)
    alone = StepResult(1, "instant", SECOND, 0, is_named=False, substeps=())
    assert database_rows.StepFinder(make_result(steps=[alone])).at(SECOND) == 1
