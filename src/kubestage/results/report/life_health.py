"""What went wrong in a living run, as tables of its report, and the Events that were recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.life import health_rows, wording
from kubestage.results.report.life_tables import table
from kubestage.results.report.markup import Html, count, element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

_WORKLOADS: Final = 50
_OTHERS: Final = 100
_EVENTS: Final = 60


def health(life: Life) -> Html:
    """Workloads that were below their desired replicas, then all else that went wrong."""
    recorded = life.summary.get("health")
    if recorded is None:
        return Html("")
    below = [each for each in recorded["workloads"] if each["windows"] or not each["everReady"]]
    below.sort(key=lambda each: (each["everReady"], -each["belowDesiredSeconds"]))
    rest = others(life)
    parts = [
        _workloads(below[:_WORKLOADS]),
        _more(len(below) - _WORKLOADS, "workload", "health"),
        element("div", rest, class_="after") if rest else Html(""),
    ]
    return Html("".join(parts))


def others(life: Life) -> Html:
    """All that went wrong, except workloads below their desired replicas."""
    workloads = (health_rows.BELOW, health_rows.NEVER_READY)
    rows = [row for row in life.rows("health") if row["problem"] not in workloads]
    return Html(_others(rows[:_OTHERS]) + _more(len(rows) - _OTHERS, "row", "health"))


def _workloads(rows: Sequence[Json]) -> Html:
    head = ("Workload", "Lowest ready", "At", "Below desired for", "Times", "At the end")
    return table(
        head,
        (
            (
                each["workload"],
                f"{each['readyLowest']:,} of {each['desiredAtLowest'] or 0:,}",
                _moment(each["readyLowestAtSeconds"]),
                wording.span(each["belowDesiredSeconds"]) if each["everReady"] else "never ready",
                f"{len(each['windows']):,}",
                f"{each['readyAtEnd']:,} of {each['desired'] or 0:,}",
            )
            for each in rows
        ),
        words=(0,),
    )


def _others(rows: Sequence[Json]) -> Html:
    head = ("Problem", "Of", "From", "To", "For", "Number", "Reason")
    return table(
        head,
        (
            (
                each["problem"],
                each["subject"] or "–",
                _moment(each["fromSeconds"]),
                _moment(each["toSeconds"]),
                _moment(each["seconds"]),
                wording.count(each["number"]),
                each["reason"] or "–",
            )
            for each in rows
        ),
        words=(0, 1, 6),
    )


class _Folded(msgspec.Struct):
    """Events of one reason about one object, or about the pods of one workload."""

    first: Json
    subject: str
    count: int = 0
    objects: int = 0
    last_seconds: float = 0.0


def events(life: Life) -> Html:
    """Events, folded by reason and object; those of a workload's pods are one row."""
    folded: dict[tuple[str, str, str], _Folded] = {}
    for row in life.rows("events"):
        subject = f"pods of {row['workload']}" if row["workload"] else row["object"]
        key = (row["type"], row["reason"], subject)
        found = folded.setdefault(key, _Folded(row, subject))
        found.count += row["count"]
        found.objects += 1
        found.last_seconds = max(found.last_seconds, row["lastSeconds"])
    rows = sorted(
        folded.values(), key=lambda each: (each.first["type"] != "Warning", each.first["atSeconds"])
    )
    shown = table(
        ("First", "Last", "Type", "Reason", "Object", "Times", "Message"),
        (_event(each) for each in rows[:_EVENTS]),
        words=(2, 3, 4, 6),
    )
    left = sum(each.count for each in rows[_EVENTS:])
    unkept = (life.summary.get("events") or {}).get("leftOut", 0)
    notes = [f"and {count(left, 'more Event')}, in tables/events.csv"] if left else []
    if unkept:
        notes.append(f"{count(unkept, 'Event')} beyond the first thousands not kept")
    note = element("p", "; ".join(notes), class_="soft small") if notes else Html("")
    return Html(shown + note)


def _event(each: _Folded) -> tuple[str, ...]:
    message = each.first["message"]
    if each.objects > 1:
        message = f"{message} (the first of {each.objects:,})"
    return (
        _moment(each.first["atSeconds"]),
        _moment(each.last_seconds),
        each.first["type"],
        each.first["reason"],
        each.subject,
        f"{each.count:,}",
        message,
    )


def _moment(seconds: float | None) -> str:
    return "–" if seconds is None else wording.span(seconds)


def _more(number: int, noun: str, name: str) -> Html:
    if number <= 0:
        return Html("")
    return element("p", f"and {count(number, f'more {noun}')}, in tables/{name}.csv", class_="soft")
