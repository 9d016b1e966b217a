"""Starts and stops the recording of attempts and of Scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life.node_decisions import NodeDecisionRecord
from kubestage.server.kubestage_api.attempts import RecordedAttempts
from kubestage.server.kubestage_api.run_records import RunRecords

if TYPE_CHECKING:
    import pathlib

    from kubestage.server.live import Live


def start_recording(live: Live, directory: pathlib.Path | None = None) -> RunRecords:
    """Keep attempts of a served stage, decisions about its nodes and records of its Scenarios.

    Records lie in the directory, or in a passing one that is gone when they are closed.
    """
    state = live.state
    if state.records is None:
        state.attempts = RecordedAttempts(live)
        state.records = RunRecords(live, directory)
        if live.stage.scenarios is not None:
            live.stage.scenarios.sink = state.records
            live.stage.scenarios.listener = state.attempts
        state.attempts.attach()
        if state.node_decisions is None:
            state.node_decisions = NodeDecisionRecord(live.stage.clock, forgets=True)
            runner = live.stage.controllers
            decisions = None if runner is None else runner.node_decisions
            state.node_decisions.follow(live.store, decisions)
    return state.records


def node_decisions(live: Live) -> NodeDecisionRecord:
    """What was decided about the nodes of a stage."""
    start_recording(live)
    decided = live.state.node_decisions
    assert decided is not None
    return decided


def attempts(live: Live) -> RecordedAttempts:
    """The attempts that are kept of a stage."""
    if live.state.attempts is None:
        start_recording(live)
    recorded = live.state.attempts
    assert recorded is not None
    return recorded


def close(live: Live) -> None:
    """Let go of all files."""
    state = live.state
    records, state.records, state.attempts = state.records, None, None
    if live.stage.scenarios is not None:
        live.stage.scenarios.sink = live.stage.scenarios.listener = None
    if records is not None:
        records.close()
