"""Keeping the answer of ``kubestage cost``: for programs, for people, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

import kubestage
from kubestage.results import run_directory
from kubestage.results.report import cost_page
from kubestage.results.report.cost_page import CostPage
from kubestage.runs.rehearse import documents, sections

if TYPE_CHECKING:
    from kubestage.runs.cost.result import CostResult


def markdown(result: CostResult) -> str:
    """The answer, then its tables."""
    found = [sections.section(each.title, each.head, each.rows) for each in result.tables()]
    parts = [f"## {result.answer}", *(documents.table(each) for each in found)]
    parts += [f"Note: {note}" for note in result.notes]
    return "\n\n".join(parts) + "\n"


def claim(path: str | None) -> None:
    """InputError if nothing could be kept there: that is to be known before anything runs."""
    if path is not None:
        run_directory.RunDirectory(path).discard()


def save(result: CostResult, path: str) -> None:
    """Write the answer and the report into a directory, new or of an earlier run."""
    answer = msgspec.json.format(msgspec.json.encode(result.to_dict()), indent=2).decode()
    texts = {
        run_directory.COST: f"{answer}\n",
        "cost.md": markdown(result),
        run_directory.REPORT: cost_page.render(_page(result)),
    }
    with run_directory.RunDirectory(path) as directory:
        directory.write_rehearsal(texts, None)


def _page(result: CostResult) -> CostPage:
    return CostPage(
        cluster=result.cluster,
        answer=result.answer,
        version=kubestage.__version__,
        packing=result.packing,
        nodes=list(result.nodes),
        tables=result.tables(),
        notes=list(result.notes),
    )
