"""What would make pending pods fit, as a part of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Sequence


class FitParagraph(NamedTuple):
    """Which pods wait, and the lines of the advice on them."""

    title: str
    lines: list[str]


def section(found: Sequence[FitParagraph]) -> Html:
    """All of them, one below the other; nothing if no pod waits."""
    if not found:
        return Html("")
    return element("div", *map(_paragraph, found), class_="card fits")


def _paragraph(each: FitParagraph) -> Html:
    return element(
        "div",
        element("div", each.title, class_="text name"),
        *(element("div", line, class_=_class_of(line)) for line in each.lines),
        class_="fit",
    )


def _class_of(line: str) -> str:
    """A change is set in under the sentence that introduces it."""
    return "change" if line.startswith(" ") else "line"
