"""The record of decisions about nodes is bounded, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life import node_decisions
from kubestage.results.report import node_decisions as page
from tests.results.life.test_node_lives import grown_and_shrunk

if TYPE_CHECKING:
    import pytest


def test_verdicts_that_are_left_out_are_counted_in_table_and_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(node_decisions, "MOST_VERDICTS", 1)
    life = grown_and_shrunk()
    rows = life.rows("node-decisions")
    assert [row["decision"] for row in rows].count(node_decisions.LEFT_OUT) == 1
    assert rows[-1]["decision"] == node_decisions.LEFT_OUT
    assert rows[-1]["reason"].endswith("more verdicts on nodes, after the first 1")
    assert f"Left out: {rows[-1]['reason']}." in page.section(life)


def test_nothing_is_left_out_of_a_small_run() -> None:
    life = grown_and_shrunk()
    decisions = {row["decision"] for row in life.rows("node-decisions")}
    assert node_decisions.LEFT_OUT not in decisions
    assert "Left out" not in page.section(life)
