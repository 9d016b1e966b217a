"""The table of Kubernetes' end-to-end suite: what passes, and the reason for all that does not."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import pytest
from tools import conformance_suite, conformance_table
from tools.conformance_table import Reason, SpecResult

ROOT = pathlib.Path(__file__).parents[2]
REASONS = [
    Reason("A container has to run", re.compile("container")),
    Reason("Other", re.compile("x")),
]
RESULTS = {
    "jump": [
        SpecResult("[sig-apps] ok [Conformance]", "passed", 1.0),
        SpecResult("[sig-node] a container [Conformance]", "failed", 300.0, "no  answer\nat all"),
        SpecResult("[sig-node] slow [Conformance]", "hung", 1800.0, "did not end"),
    ],
    "realtime": [
        SpecResult("[sig-apps] ok [Conformance]", "passed", 1.0),
        SpecResult("[sig-node] a container [Conformance]", "failed", 300.0),
        SpecResult("[sig-node] slow [Conformance]", "passed", 3.0),
    ],
}


def spec(text: str, state: str = "passed", kind: str = "It") -> dict[str, Any]:
    return {
        "ContainerHierarchyTexts": ["[sig-apps] Job"],
        "LeafNodeText": text,
        "LeafNodeType": kind,
        "State": state,
        "RunTime": 2_500_000_000,
        "Failure": {"Message": "timed out"} if state == "failed" else {},
    }


def test_a_report_has_the_specs_that_ran(tmp_path: pathlib.Path) -> None:
    report = tmp_path / "report.json"
    specs = [spec("a"), spec("b", "failed"), spec("c", "skipped"), spec("d", kind="BeforeSuite")]
    report.write_text(json.dumps([{"SpecReports": specs}]))
    assert conformance_table.read_report(report) == [
        SpecResult("[sig-apps] Job a", "passed", 2.5),
        SpecResult("[sig-apps] Job b", "failed", 2.5, "timed out"),
    ]


def test_failures_without_a_reason_and_passes_with_one_are_listed() -> None:
    assert conformance_table.unexplained(RESULTS, REASONS) == [
        "jump: hung: [sig-node] slow [Conformance]: did not end"
    ]
    passing = {"jump": [SpecResult("[sig-node] a container", "passed", 1.0)]}
    [line] = conformance_table.unexplained(passing, REASONS)
    assert line.startswith("jump: passes though it has a reason not to: ")
    in_jump = [Reason("Time leaps", re.compile("slow"), ("jump",)), *REASONS]
    assert conformance_table.unexplained(RESULTS, in_jump) == []
    assert conformance_table.reason_of("slow", in_jump) == in_jump[0]
    at_times = [Reason("Other", re.compile("container"), sometimes=True)]
    assert conformance_table.unexplained(passing, at_times) == []
    assert conformance_table.reason_of("slow", in_jump, "realtime") is None


def test_the_table_counts_by_group_and_lists_the_rest_by_reason() -> None:
    text = conformance_table.table(RESULTS, REASONS)
    assert "| apps | 1 | 1 | 1 |" in text
    assert "| node | 2 | 0 | 1 |" in text
    assert "| **all** | **3** | **1** | **2** |" in text
    assert '??? note "A container has to run (1)"' in text
    assert "- \\[sig-node\\] slow (passes in the pace realtime)" in text


def test_only_the_table_of_a_page_is_replaced(tmp_path: pathlib.Path) -> None:
    page = tmp_path / "page.md"
    begin, end = conformance_table.BEGIN.format("one"), conformance_table.END
    page.write_text(f"# Page\n\n{begin}\nold\n{end}\n\nMore.\n")
    conformance_table.write(RESULTS, REASONS, page, "one")
    text = page.read_text()
    assert text.startswith("# Page\n")
    assert text.endswith("\n\nMore.\n")
    assert "old" not in text
    page.write_text("# Page\n")
    with pytest.raises(SystemExit, match="has no place for the table"):
        conformance_table.write(RESULTS, REASONS, page, "one")


@pytest.mark.parametrize(("suite", "specs"), [("conformance", 446), ("beyond", 177)])
def test_the_published_page_has_a_reason_for_every_spec_that_does_not_pass(
    suite: str, specs: int
) -> None:
    text = (ROOT / "docs" / "conformance.md").read_text()
    begin = conformance_table.BEGIN.format(suite)
    table = text.partition(begin)[2].partition(conformance_table.END)[0]
    assert f"| **all** | **{specs}** |" in table
    assert "Not explained yet" not in table
    titles = {each.title for each in conformance_table.load_reasons()}
    shown = set(re.findall(r'\?\?\? note "(.*) \(\d+\)"', table))
    assert shown <= titles


def test_names_are_found_by_the_regular_expressions_of_go() -> None:
    name = "[sig-network] a.b (c) $ {d} | e^f+g*h?"
    pattern = conformance_suite.focused(name)
    assert re.search(pattern, f"Kubernetes e2e suite {name}")
    assert not re.search(pattern, f"{name} and more")
    assert "\\ " not in pattern
