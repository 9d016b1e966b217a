"""A comparison as the documents that a verdict has: Markdown and JUnit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cli import compare_report, life_compare
from kubestage.errors import InputError
from kubestage.results.comparison.verdicts import MeasureWords
from kubestage.results.verdict import junit as junit_xml
from kubestage.results.verdict import markdown as markdown_text
from kubestage.runs.compare import ComparedLives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.comparison import Measure
    from kubestage.results.verdict.verdict import Verdict
    from kubestage.runs.compare import ComparedRuns


def markdown(compared: ComparedRuns | ComparedLives, metrics: Sequence[str]) -> str:
    """For a pull request: what got worse first, all figures folded."""
    return markdown_text.render(_verdict(compared, metrics))


def junit(compared: ComparedRuns | ComparedLives, metrics: Sequence[str]) -> str:
    """A test for each measure, which has failed if a run is worse in it than the first."""
    return junit_xml.render(_verdict(compared, metrics))


def _verdict(compared: ComparedRuns | ComparedLives, metrics: Sequence[str]) -> Verdict:
    try:
        if isinstance(compared, ComparedLives):
            return compared.verdict(MeasureWords(life_compare.label, _of_life), metrics)
        words = MeasureWords(compare_report.label, compare_report.shown)
        return compared.verdict(words, metrics)
    except InputError as error:
        error.path = "--metric"
        raise


def _of_life(measure: Measure, at: int) -> str:
    value = measure.values[at]
    return "-" if value is None else life_compare.shown(measure, value)
