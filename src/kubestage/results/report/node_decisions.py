"""The section of a report on nodes: why each was bought, was kept, or left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.life import node_decisions, wording
from kubestage.results.report.life_tables import table
from kubestage.results.report.markup import Html, count, element

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

_MOST: Final = 500
_MOVES: Final = frozenset(
    {node_decisions.BOUGHT, node_decisions.LAUNCHED, node_decisions.NOT_LAUNCHED,
     node_decisions.LEAVES}
)  # fmt: skip


def section(life: Life) -> Html:
    """Nodes that come and go first, then why the others stayed."""
    rows = life.rows("node-decisions")
    if not rows:
        return Html("")
    moves = [row for row in rows if row["decision"] in _MOVES]
    verdicts = [
        row for row in rows if row["decision"] in (node_decisions.KEPT, node_decisions.CHOSEN)
    ]
    missing = [row for row in rows if row["decision"] == node_decisions.LEFT_OUT]
    hint = element(
        "p",
        "All that is known of one node: ",
        element("code", "kubestage explain RUN node/NAME"),
        class_="soft",
    )
    parts = [hint, _moves(moves[:_MOST]), _more(len(moves) - _MOST)]
    if verdicts:
        parts.append(element("h3", "Why nodes stayed, whenever the reason changed", class_="over"))
        parts += [_verdicts(verdicts[:_MOST]), _more(len(verdicts) - _MOST)]
    parts += [element("p", f"Left out: {row['reason']}.", class_="soft") for row in missing]
    return Html("".join(parts))


def _moves(rows: Iterable[Json]) -> Html:
    return table(
        ("Time", "Decision", "Node", "Pool", "By", "Price", "Why"),
        (
            (
                wording.moment(each["atSeconds"]),
                each["decision"],
                each["node"] or each["nodeClaim"],
                each["pool"] or "–",
                each["by"],
                _number(each["price"]),
                each["reason"],
            )
            for each in rows
        ),
        words=(1, 2, 3, 4, 6),
    )


def _verdicts(rows: Iterable[Json]) -> Html:
    return table(
        ("Time", "Node", "Price", "Disruption cost", "Ratio", "Method", "Why"),
        (
            (
                wording.moment(each["atSeconds"]),
                each["node"],
                _number(each["price"]),
                _number(each["disruptionCost"]),
                _number(each["savingsRatio"]),
                each["method"],
                each["reason"],
            )
            for each in rows
        ),
        words=(1, 5, 6),
    )


def _more(number: int) -> Html:
    if number <= 0:
        return Html("")
    text = f"and {count(number, 'more decision')}, in tables/node-decisions.csv"
    return element("p", text, class_="soft small")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
