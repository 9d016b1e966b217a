from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.results import trace
from kubestage.sim import (
    ArrayStock,
    CountsOnly,
    Entity,
    Environment,
    GeneratingSource,
    SinkStock,
    Streams,
)
from tests.sim import relay

if TYPE_CHECKING:
    import pathlib


def record(path: pathlib.Path, seed: int = 3, batch_rows: int = 10_000) -> Environment:
    """A relay's run in the file, and the same run in memory to compare it with."""
    in_memory = relay.build(seed)
    in_memory.run()
    with trace.SqliteRecorder(path, name="relay", seed=seed, batch_rows=batch_rows) as recorder:
        environment = Environment(halt_time=200, recorder=recorder)
        relay.Relay(environment, Streams(seed))
        environment.run()
    return in_memory


def lines(rows: list[trace.TraceRow]) -> list[relay.TraceLine]:
    return [(row.occurs_at, row.kind, row.entity, row.from_stock, row.to_stock) for row in rows]


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "a trace?.sqlite"


@pytest.mark.parametrize("batch_rows", [1, 7, 10_000])
def test_the_file_tells_what_the_lists_in_memory_tell(path: pathlib.Path, batch_rows: int) -> None:
    in_memory = record(path, batch_rows=batch_rows)
    assert lines(list(trace.read_trace(path))) == relay.trace(in_memory)
    ignored = [
        (row.occurs_at, row.reason, row.noticed_at) for row in trace.read_trace(path, ignored=True)
    ]
    assert ignored == [
        (occurs_at, reason.value, noticed_at)
        for occurs_at, _, reason, noticed_at in in_memory.ignored_movements
    ]
    assert len(ignored) > 0


def test_completed_and_ignored_can_be_read_together_in_the_order_they_became_known(
    path: pathlib.Path,
) -> None:
    in_memory = record(path)
    rows = list(trace.read_trace(path, ignored=None))
    assert [row.position for row in rows] == list(range(1, len(rows) + 1))
    known = [row.occurs_at if row.noticed_at is None else row.noticed_at for row in rows]
    assert known == sorted(known)
    assert len(rows) == in_memory.completed_count + in_memory.ignored_count


def test_filters_narrow_what_is_read_and_all_must_pass(path: pathlib.Path) -> None:
    everything = relay.trace(record(path))
    assert lines(list(trace.read_trace(path, kind="set_out"))) == [
        line for line in everything if line[1] == "set_out"
    ]
    assert lines(list(trace.read_trace(path, entity="wanderer-2"))) == [
        line for line in everything if line[2] == "wanderer-2"
    ]
    assert lines(list(trace.read_trace(path, stock="place-1"))) == [
        line for line in everything if "place-1" in line[3:]
    ]
    assert lines(list(trace.read_trace(path, entity="wanderer-2", since_ns=20, until_ns=40))) == [
        line for line in everything if line[2] == "wanderer-2" and 20 <= line[0] <= 40
    ]
    assert list(trace.read_trace(path, entity="nobody")) == []


def test_a_file_holds_many_runs_and_the_newest_is_read_unless_told(path: pathlib.Path) -> None:
    first, second = record(path, seed=1), record(path, seed=2)
    runs = trace.read_runs(path)
    assert [(run.id, run.name, run.seed) for run in runs] == [(1, "relay", "1"), (2, "relay", "2")]
    assert [(run.completed, run.ignored) for run in runs] == [
        (run.completed_count, run.ignored_count) for run in (first, second)
    ]
    assert lines(list(trace.read_trace(path))) == relay.trace(second)
    assert lines(list(trace.read_trace(path, run=1))) == relay.trace(first)


def test_the_tables_can_be_asked_in_sql(path: pathlib.Path) -> None:
    record(path)
    connection = sqlite3.connect(path)
    entities = connection.execute("SELECT name, kind FROM entities ORDER BY name").fetchall()
    stocks = connection.execute(
        "SELECT name FROM stocks WHERE kind_stocked = 'Scenario'"
    ).fetchall()
    connection.close()
    assert ("wanderer-4", "Wanderer") in entities
    assert ("scenario-1", "Scenario") in entities
    assert {name for (name,) in stocks} == {"BeforeScenario", "RunningScenario", "HaltedScenario"}


def test_notes_and_the_entity_named_by_an_ignored_movement_are_kept(path: pathlib.Path) -> None:
    with trace.SqliteRecorder(path) as recorder:
        environment = Environment(halt_time=10, recorder=recorder)
        empty: ArrayStock[Entity] = ArrayStock("Empty", "Thing")
        sink: SinkStock[Entity] = SinkStock("Sink", "Thing")
        environment.schedule("go", 1, GeneratingSource("Source", "Thing", Entity), sink, notes="hi")
        environment.schedule("go", 2, empty, sink, Entity("ghost", "Thing"))
        environment.schedule("go", 10**30, empty, sink)
        environment.schedule("go", -(10**30), empty, sink)
        environment.run()
    assert [row.notes for row in trace.read_trace(path, kind="go")] == ["hi"]
    far, past, ghost = trace.read_trace(path, ignored=True)
    assert (far.occurs_at, past.occurs_at) == (2**63 - 1, -(2**63) + 1)
    assert (ghost.entity, ghost.reason) == ("ghost", "entity was not in the from-stock")


def run_into_an_error(path: pathlib.Path) -> None:
    with trace.SqliteRecorder(path) as recorder:
        Environment(halt_time=10, recorder=recorder).run()
        raise RuntimeError


def test_what_happened_before_an_error_is_in_the_file(path: pathlib.Path) -> None:
    with pytest.raises(RuntimeError):
        run_into_an_error(path)
    assert [row.kind for row in trace.read_trace(path)] == ["start_to_running", "running_to_halted"]


def test_a_fork_does_not_write_to_the_file_until_it_gets_a_recorder_of_its_own(
    path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    with trace.SqliteRecorder(path) as recorder:
        environment = Environment(halt_time=200, recorder=recorder)
        relay.Relay(environment, Streams(3))
        environment.run(until_ns=50)
        fork, silent = environment.fork(), environment.fork()
        assert isinstance(fork.recorder, CountsOnly)
        environment.run()
    other = tmp_path / "fork.sqlite"
    with trace.SqliteRecorder(other) as recorder:
        fork.recorder = recorder
        fork.run()
        silent.run()
    whole, rest = lines(list(trace.read_trace(path))), lines(list(trace.read_trace(other)))
    assert whole[-len(rest) :] == rest
    assert rest == [line for line in whole if line[0] > 50]
    assert silent.completed_count == fork.completed_count == len(whole)


class TestBadFiles:
    def test_a_file_that_is_not_there_cannot_be_read(self, path: pathlib.Path) -> None:
        with pytest.raises(InputError, match="unable to open"):
            list(trace.read_trace(path))

    def test_a_file_of_another_sort_is_refused_and_left_alone(self, path: pathlib.Path) -> None:
        path.write_text("no database at all, but long enough to be looked at" * 20)
        with pytest.raises(InputError, match="not a database"):
            trace.SqliteRecorder(path)
        with pytest.raises(InputError, match="not a database"):
            trace.read_runs(path)
        assert path.read_text().startswith("no database")

    def test_a_database_that_holds_something_else_is_refused(self, path: pathlib.Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE recipes (name TEXT)")
        connection.close()
        for use in (trace.SqliteRecorder, trace.read_runs):
            with pytest.raises(InputError, match="no trace that this version can read"):
                use(path)

    def test_a_file_without_any_run_says_so(self, path: pathlib.Path) -> None:
        trace.SqliteRecorder(path).close()
        connection = sqlite3.connect(path)
        connection.execute("DELETE FROM scenario_runs")
        connection.commit()
        connection.close()
        with pytest.raises(InputError, match="holds no run"):
            list(trace.read_trace(path))


class TestFormatting:
    def test_times_are_seconds_with_nine_places(self) -> None:
        assert trace.format_time(0) == "0.000000000"
        assert trace.format_time(61_000_000_001) == "61.000000001"
        assert trace.format_time(-1_500_000_000) == "-1.500000000"

    def test_a_row_has_a_cell_for_each_column(self) -> None:
        row = trace.TraceRow(1, 5, "go", "ann", "Here", "There", "fast", None, None)
        assert trace.format_row(row) == ("0.000000005", "go", "ann", "Here", "There", "fast")
        assert len(trace.COLUMNS) == 6

    def test_an_ignored_row_adds_the_reason_and_when_it_was_known_if_not_then(self) -> None:
        row = trace.TraceRow(1, 5, "go", "", "Here", "There", "", "scheduled in the past", 9)
        assert trace.format_row(row)[-1] == "scheduled in the past, known at 0.000000009"
        row = trace.TraceRow(1, 5, "go", "", "Here", "There", "", "from-stock was empty", 5)
        assert trace.format_row(row)[-1] == "from-stock was empty"
        assert len(trace.format_row(row)) == len(trace.IGNORED_COLUMNS)


class TestTimers:
    def test_timers_are_left_out_unless_they_are_asked_for(self, path: pathlib.Path) -> None:
        for internal in (False, True):
            with trace.SqliteRecorder(path, internal=internal) as recorder:
                environment = Environment(halt_time=200, recorder=recorder)
                environment.timer("Bell", _nothing).set(5)
                environment.timer("LateBell", _nothing).set(300)
                environment.run()
        bounds = ["start_to_running", "running_to_halted"]
        kinds = [row.kind for row in trace.read_trace(path, run=1, ignored=None)]
        assert kinds == bounds
        kinds = [row.kind for row in trace.read_trace(path, run=2)]
        assert kinds == [bounds[0], "ring", bounds[1]]
        late = [row.from_stock for row in trace.read_trace(path, run=2, ignored=True)]
        assert late == ["LateBell"]
        assert [row.kind for row in trace.read_trace(path, run=2, internal=False)] == bounds


def _nothing() -> None:
    """Nobody is called."""


class TestNames:
    def test_what_a_filter_can_ask_for_is_known(self, path: pathlib.Path) -> None:
        record(path)
        assert trace.read_names(path, "stock")[0] == "BeforeScenario"
        assert "scenario-1" in trace.read_names(path, "entity")
        assert "running_to_halted" in trace.read_names(path, "kind")

    def test_a_run_that_is_not_there_is_named_with_those_that_are(self, path: pathlib.Path) -> None:
        record(path)
        with pytest.raises(InputError, match=r"holds no run 7 \(it holds 1\)"):
            list(trace.read_trace(path, run=7))
