"""The answer of a rehearsal on a terminal, or as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cli import printing
from kubestage.objects.tables import text

if TYPE_CHECKING:
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.rehearse.sections import Section
    from kubestage.runs.rehearse.surveying import SurveyResult

FORMATS: Final = ("table", "markdown", "json", "yaml", "junit")


def formatted(result: Rehearsed | SurveyResult, output: str) -> str:
    """The answer in one of the formats."""
    if output == "json":
        return printing.as_json(result.to_dict())
    if output == "yaml":
        return printing.as_yaml(result.to_dict())
    from kubestage.runs.rehearse import documents

    if output == "markdown":
        return documents.markdown(result)
    if output == "junit":
        return documents.junit(result)
    tables = [_table(each) for each in result.sections()]
    return "\n".join([f"{result.answer}\n", *tables])


def _table(section: Section) -> str:
    lines = [line.rstrip() for line in text.align([section.head, *section.rows])]
    if section.more:
        lines.append(f"and {section.more:,} more: -o json has all")
    return "".join(f"{line}\n" for line in lines)
