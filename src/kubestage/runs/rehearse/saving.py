"""Keeping the answer of a rehearsal in a directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.surveying import SurveyResult


def save(result: Rehearsed | SurveyResult, path: str) -> None:
    """Write it."""
    raise NotImplementedError
