"""Keeping the answer of a rehearsal: for programs, for people, and with all that was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

import kubestage
from kubestage.results import run_directory
from kubestage.results.history import history_directory
from kubestage.results.report import rehearsal_page
from kubestage.results.report.answer_table import AnswerTable
from kubestage.results.report.rehearsal_page import AnswerPage
from kubestage.results.report.survey_page import RehearsalPart
from kubestage.runs.rehearse import documents, sections
from kubestage.runs.rehearse.surveying import SurveyResult

if TYPE_CHECKING:
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.sections import Section


def save(result: Rehearsed | SurveyResult, path: str) -> None:
    """Write the answer, the report and the record into a directory, new or of an earlier run."""
    answer = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    texts = {
        run_directory.REHEARSAL: f"{answer}\n",
        "rehearsal.md": documents.markdown(result),
        "junit.xml": documents.junit(result),
        run_directory.REPORT: rehearsal_page.render(_page(result)),
    }
    with run_directory.RunDirectory(path) as directory:
        directory.write_rehearsal(texts, result.life, _histories(result))


def claim(path: str | None) -> None:
    """InputError if nothing could be kept there: that is to be known before anything runs."""
    if path is not None:
        run_directory.RunDirectory(path).discard()


def _histories(result: Rehearsed | SurveyResult) -> dict[str, bytes]:
    """Histories by file name: one, or one for each rehearsal and the beginning of all."""
    if not isinstance(result, SurveyResult):
        return history_directory.files(result.history)
    return history_directory.files_of_many([each.history for each in result.results])


def _page(result: Rehearsed | SurveyResult) -> AnswerPage:
    verdict = ""
    if result.condition is not None:
        verdict = f"{result.condition}: {'holds' if result.has_failed else 'does not hold'}"
    return AnswerPage(
        rehearsal=result.rehearsal,
        subject=result.subject,
        answer=result.answer,
        severity=result.severity,
        verdict=verdict,
        version=kubestage.__version__,
        tables=[_table(each) for each in result.sections()],
        notes=list(result.notes),
        facts={"Cluster": result.cluster, "kubestage": kubestage.__version__},
        life=result.life,
        parts=[_part(each) for each in result.results] if isinstance(result, SurveyResult) else [],
    )


def _table(section: Section) -> AnswerTable:
    return AnswerTable(section.title, section.head, section.rows, section.more)


def _part(result: Rehearsed) -> RehearsalPart:
    return RehearsalPart(
        rehearsal=result.rehearsal,
        subject=result.subject,
        severity=result.severity,
        answer=result.answer,
        findings=_table(sections.findings(result.findings)) if result.findings else None,
        life=result.life,
    )
