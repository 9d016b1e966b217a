"""Tables of answers: amounts at the right, sentences as text, severities and links."""

from __future__ import annotations

import re

from kubestage.results.report import answer_table
from kubestage.results.report.answer_table import AnswerTable

HEAD = ("POD", "TOOK", "WHY NOT")


def _cells(rows: list[tuple[str, ...]]) -> list[str]:
    return re.findall(r"<td[^>]*>", answer_table.html(AnswerTable("Pods", HEAD, rows)))


def test_amounts_are_at_the_right_and_sentences_are_not() -> None:
    rows: list[tuple[str, ...]]
    rows = [("a", "14m17s", "0/6 nodes are available"), ("b", "-", "2 pods are in the way")]
    assert _cells(rows[:1]) == ["<td>", '<td class="figure-cell">', "<td>"]
    assert _cells(rows)[3:] == ["<td>", '<td class="figure-cell">', "<td>"]


def test_a_severity_has_its_colour_and_a_name_leads_to_its_place() -> None:
    table = AnswerTable("Findings", ("SEVERITY", "REHEARSAL"), [("critical", "drain node a")], 3)
    page = answer_table.html(table, {"drain node a": "rehearsal-1"})
    assert '<span class="dot critical">critical</span>' in page
    assert '<a href="#rehearsal-1">drain node a</a>' in page
    assert "and 3 more, in rehearsal.json" in page
