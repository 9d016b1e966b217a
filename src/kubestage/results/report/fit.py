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


def paragraphs(found: Sequence[FitParagraph]) -> Html:
    """All of them, one below the other; nothing if no pod waits."""
    if not found:
        return Html("")
    return element("div", *map(_paragraph, found), class_="card fit")


def _paragraph(each: FitParagraph) -> Html:
    return element(
        "div",
        element("div", each.title, class_="text"),
        element("pre", "\n".join(each.lines), class_="small") if each.lines else "",
        class_="reason",
    )
