"""Begins to keep what schedulers and Scenarios tell of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server.kubestage_api import states
from kubestage.server.kubestage_api.attempts import Attempts
from kubestage.server.kubestage_api.run_records import RunRecords

if TYPE_CHECKING:
    import pathlib

    from kubestage.server.live import Live


def keep(live: Live, directory: pathlib.Path | None = None) -> RunRecords:
    """Keep attempts of a served stage and records of its Scenarios from now on.

    Records lie in the directory, or in a passing one that is gone when they are closed.
    """
    state = states.of(live)
    if state.records is None:
        state.attempts = Attempts(live)
        state.records = RunRecords(live, directory)
        if live.stage.scenarios is not None:
            live.stage.scenarios.sink = state.records
            live.stage.scenarios.listener = state.attempts
        state.attempts.attach()
    return state.records


def attempts(live: Live) -> Attempts:
    """The attempts that are kept of a stage."""
    keep(live)
    kept = states.of(live).attempts
    assert kept is not None
    return kept


def close(live: Live) -> None:
    """Let go of all files."""
    state = states.of(live)
    records, state.records, state.attempts = state.records, None, None
    if live.stage.scenarios is not None:
        live.stage.scenarios.sink = live.stage.scenarios.listener = None
    if records is not None:
        records.close()
