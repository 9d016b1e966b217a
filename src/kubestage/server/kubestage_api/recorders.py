"""Starts and stops the recording of attempts and of Scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server.kubestage_api.attempts import RecordedAttempts
from kubestage.server.kubestage_api.run_records import RunRecords

if TYPE_CHECKING:
    import pathlib

    from kubestage.server.live import Live


def start_recording(live: Live, directory: pathlib.Path | None = None) -> RunRecords:
    """Keep attempts of a served stage and records of its Scenarios from now on.

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
    return state.records


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
