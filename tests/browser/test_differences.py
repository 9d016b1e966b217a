"""Differences of texts, and the joining of two changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Cluster

# The base, two changes of it, and what they come to together.
CASES = [
    ("a\nb\nc", "a\nB\nc", "a\nb\nc\nd", "a\nB\nc\nd"),
    ("a\nb\nc", "b\nc", "a\nb\nC", "b\nC"),
    ("a\nb\nc", "a\nb\nc", "x\na\nc", "x\na\nc"),
    ("a\nb\nc", "a\nX\nc", "a\nX\nc", "a\nX\nc"),
    ("a\nb\nc", "a\nX\nc", "a\nY\nc", None),
    ("a\nb\nc", "a\nX\nc", "a\nc", None),
    ("a\nb", "a\nb\nx", "a\nb\ny", None),
    ("", "a", "", "a"),
]


@pytest.fixture
def compute(page: Page, cluster: Cluster) -> Any:
    page.goto(f"{cluster.address}/ui/css/page.css")

    def call(code: str, argument: Any) -> Any:
        module = "const it = await import('/ui/js/text/difference.js')"
        return page.evaluate(f"async (given) => {{ {module}; return {code}; }}", argument)

    return call


def test_two_changes_are_joined_unless_they_touch(compute: Any) -> None:
    found = compute("given.map(([base, mine, theirs]) => it.merge(base, mine, theirs))", CASES)
    assert found == [expected for *_, expected in CASES]
    swapped = compute("given.map(([base, mine, theirs]) => it.merge(base, theirs, mine))", CASES)
    assert swapped == found


def test_a_difference_has_all_lines_of_both(compute: Any) -> None:
    texts = [text.split("\n") for *both, _ in CASES for text in both]
    pairs = [[one, other] for one in texts for other in texts]
    for (before, after), lines in zip(
        pairs, compute("given.map(([a, b]) => it.compare(a, b))", pairs), strict=True
    ):
        assert [line["text"] for line in lines if line["kind"] != "+"] == before
        assert [line["text"] for line in lines if line["kind"] != "-"] == after
        if before == after:
            assert {line["kind"] for line in lines} == {" "}


def test_parts_of_a_line_are_the_line(page: Page, cluster: Cluster) -> None:
    page.goto(f"{cluster.address}/ui/css/page.css")
    lines = [
        'key: "a # b" # comment', "- name: web", "  - 1", "a: {b: true, c: [1, 2Gi]}", "# x", "---",
        "text: |", "  free: text", "url: http://x:1", "'quoted': ~", "", "   ", "- - a: b", "{}",
    ]  # fmt: skip
    kinds = page.evaluate(
        """async (lines) => {
          const { blockLines, parts } = await import("/ui/js/text/colours.js");
          const blocks = blockLines(lines);
          return lines.map((line, at) => parts(line, blocks[at]));
        }""",
        lines,
    )
    assert ["".join(part["text"] for part in found) for found in kinds] == lines
    assert [part["kind"] for part in kinds[0] if part["kind"]] == ["key", "string", "comment"]
    assert kinds[7] == [{"text": "  free: text", "kind": "string"}]
    assert {"text": "true", "kind": "word"} in kinds[3]
