"""The part of a page that each of several rehearsals has: its answer, and what its run was like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results import charts
from kubestage.results.life.life import Life  # noqa: TC001 - msgspec reads it
from kubestage.results.report import answer_table, drawings
from kubestage.results.report.answer_table import AnswerTable  # noqa: TC001 - msgspec reads it
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_CHARTED: Final = {"drain": 3}
"""Of so many rehearsals of a kind there are charts, those with the worst findings."""

_MOST: Final = 8

_TITLES: Final = {"drain": "Drains", "outage": "Outages", "upgrade": "Upgrade", "grow": "Growth"}
_DRAIN: Final = "drain"
_INFO: Final = "info"


class RehearsalPart(msgspec.Struct, frozen=True, kw_only=True):
    """One rehearsal of several."""

    rehearsal: str
    subject: str
    severity: str
    answer: str
    findings: AnswerTable | None
    life: Life

    @property
    def name(self) -> str:
        """What tables call it: ``drain node a``."""
        return f"{self.rehearsal} {self.subject}"


def anchors(parts: Sequence[RehearsalPart]) -> dict[str, str]:
    """The anchor of each rehearsal, by name."""
    return {part.name: f"rehearsal-{number}" for number, part in enumerate(parts, 1)}


def sections(parts: Sequence[RehearsalPart]) -> list[tuple[str, str, Html]]:
    """Anchor, title and body of each kind of rehearsal."""
    by_kind: dict[str, list[RehearsalPart]] = {}
    for part in parts:
        by_kind.setdefault(part.rehearsal, []).append(part)
    known = anchors(parts)
    return [
        (f"{kind}s", _TITLES.get(kind, kind.capitalize()), _of_kind(mine, known))
        for kind, mine in by_kind.items()
    ]


def _of_kind(parts: Sequence[RehearsalPart], known: dict[str, str]) -> Html:
    charted = _charted(parts) if drawings.can_draw() else []
    shown = "".join(
        _part(part, known[part.name], is_charted=any(part is each for each in charted))
        for part in parts
    )
    notable = sum(_is_notable(part) for part in parts)
    if not charted or notable <= len(charted):
        return Html(shown)
    kind = parts[0].rehearsal
    more = (
        f"Charts are drawn of the {len(charted)} rehearsals with the worst findings, of "
        f"{notable:,}: kubestage rehearse {kind} NAME --out DIR draws those of another."
    )
    return Html(shown + element("p", more, class_="soft small"))


def _charted(parts: Sequence[RehearsalPart]) -> list[RehearsalPart]:
    """The rehearsals whose charts are drawn; a drain without consequences has nothing to show."""
    notable = [part for part in parts if _is_notable(part)]
    ordered = sorted(notable, key=lambda part: answer_table.SEVERITIES.index(part.severity))
    return ordered[: MOST_CHARTED.get(parts[0].rehearsal, _MOST)]


def _is_notable(part: RehearsalPart) -> bool:
    return part.rehearsal != _DRAIN or part.severity != _INFO


def _part(part: RehearsalPart, anchor: str, *, is_charted: bool) -> Html:
    title = element("h3", part.name, " ", answer_table.severity(part.severity))
    body = [title, element("p", part.answer)]
    if part.findings is not None:
        body.append(answer_table.html(part.findings))
    if is_charted:
        named = charts.main_of_life(part.life)
        drawn = drawings.drawn({f"{anchor}-{name}": chart for name, chart in named.items()})
        body.append(drawings.figures(drawn))
    return element("article", *body, id=anchor, class_="part")
