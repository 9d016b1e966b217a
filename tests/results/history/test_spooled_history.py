from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from kubestage.results.history import history_recorder
from kubestage.results.history.history_recorder import HistoryRecorder
from kubestage.results.history.spooled_history import SpooledHistory, SpooledRecorder
from kubestage.stage import Stage
from kubestage.testing import make_deployment, make_node

if TYPE_CHECKING:
    from kubestage.results.history.history_file import HistoryBytes


def _lived() -> tuple[HistoryBytes, SpooledHistory]:
    """The history of a stage, recorded in memory and in a file."""
    stage = Stage()
    stage.add_controllers()
    stage.apply([make_node("a")])
    start = history_recorder.beginning(stage.store, stage.clock, None, stage.seed)
    held = HistoryRecorder(stage.store, stage.clock, None, start)
    spooled = SpooledRecorder(stage.store, stage.clock, None, start)
    for each in (held, spooled):
        each.start()
    stage.apply([make_deployment(f"web-{number}", replicas=30) for number in range(20)])
    stage.run("2h")
    return held.end(), spooled.end_spooled()


def test_what_waits_in_a_file_is_what_waits_in_memory() -> None:
    held, spooled = _lived()
    assert len(held.changes) > 1 << 14
    assert b"".join(held.pieces()) == held.beginning + held.changes
    for _ in range(2):
        assert b"".join(spooled.pieces()) == held.beginning + held.changes


def test_a_history_that_is_sent_elsewhere_takes_all_of_it_along() -> None:
    held, spooled = _lived()
    assert pickle.loads(pickle.dumps(spooled)) == held


def test_events_that_are_gone_are_not_remembered() -> None:
    stage = Stage()
    stage.add_controllers()
    start = history_recorder.beginning(stage.store, stage.clock, None, stage.seed)
    recorder = HistoryRecorder(stage.store, stage.clock, None, start)
    recorder.start()
    stage.apply([make_deployment("web", replicas=3)])
    stage.run("1m")
    assert recorder._known_events == set(stage.store.read(("v1", "Event"))) != set()
    stage.run("2h")
    assert recorder._known_events == set()
