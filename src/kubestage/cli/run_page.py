"""``kubestage run --open``: the run that has just ended, on the page."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

from kubestage.cli import opening, screen
from kubestage.runs.opening import RunRecorder
from kubestage.runs.run_result import LivingResult, ScenariosResult
from kubestage.server.launch import opening as page_server
from kubestage.server.launch.open_options import OpenOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.opening import RunKind
    from kubestage.runs.run_result import RunResult


def recorder() -> RunRecorder:
    """What records a run that is to be shown; InputError if it could not be."""
    page_server.check()
    return RunRecorder()


def show(recorder: RunRecorder, result: RunResult, files: Sequence[str]) -> None:
    """Show a run until Ctrl-C; its own output may be read by a program."""
    title = ", ".join(pathlib.Path(each).name or each for each in files)
    titles = [title]
    if isinstance(result, ScenariosResult):
        titles = [str(each["metadata"]["name"]) for each in result.scenarios]
    kind: RunKind = "living" if isinstance(result, LivingResult) else "scenario"
    runs = recorder.opened(kind, titles)
    opening.show(runs, OpenOptions(), screen.note, opening.in_browser)
