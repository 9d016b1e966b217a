"""What went wrong, on the page of a load: errors, then warnings, alike ones once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.report.markup import Html, element, join
from kubestage.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.clusterloader.result import LoadResult

_AT_ONCE: Final = 5
_MOST: Final = 200
_LONGEST: Final = 800


def problems(results: Sequence[LoadResult]) -> Html:
    """All of them, or as many as a person reads."""
    parts = [
        _listed("Errors", "callout failed", _texts(results, "errors")),
        _listed("Warnings", "callout", _texts(results, "warnings")),
    ]
    return join((each for each in parts if each), "\n")


def _texts(results: Sequence[LoadResult], which: str) -> list[str]:
    return [
        text if len(results) == 1 else f"{result.test_name}: {text}"
        for result in results
        for text in getattr(result, which)
    ]


def _listed(title: str, css: str, texts: Sequence[str]) -> Html:
    if not texts:
        return Html("")
    alike: dict[str, int] = {}
    for text in texts:
        alike[text] = alike.get(text, 0) + 1
    parts = [element("h3", f"{title} ({len(texts):,})")]
    paragraphs = _paragraphs(css, list(alike.items())[:_MOST])
    parts += paragraphs[:_AT_ONCE]
    if len(paragraphs) > _AT_ONCE:
        opens = element("summary", f"Show {len(paragraphs) - _AT_ONCE:,} more")
        parts.append(element("details", opens, *paragraphs[_AT_ONCE:], class_="problems"))
    if len(alike) > _MOST:
        more = f"and {len(alike) - _MOST:,} more, in load.sqlite"
        parts.append(element("p", more, class_="soft small"))
    return join(parts, "\n")


def _paragraphs(css: str, found: Iterable[tuple[str, int]]) -> list[Html]:
    return [
        element(
            "p",
            shortened(text, _LONGEST) + (f" ({times:,} times)" if times > 1 else ""),
            class_=css,
        )
        for text, times in found
    ]
