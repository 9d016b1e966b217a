"""How far a replay agrees with its recording, in the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.results import agreement_rows
from kubestage.results.report import drawings, life_tables
from kubestage.results.report.markup import Html, count, element, join

with lazy.imports():
    from kubestage.results.charts import agreement as charts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.results.agreement import Agreement, Decisions, Miss, ReplayAgreement


def section(found: ReplayAgreement, seconds: float) -> Html:
    """The shares, both side by side, what differs most, and the nodes over time."""
    parts = [element("p", _lead(found), class_="soft")]
    if found.agreement.placements:
        parts.append(_cards(found))
    if found.decisions is not None and found.decisions.placements:
        parts.append(_misses(found.decisions))
    if found.agreement.placements:
        parts.append(_figures(found))
        parts.append(_elsewhere(found.agreement))
    counts = found.agreement.node_counts
    if drawings.can_draw() and counts.recorded and counts.replayed:
        parts.append(drawings.figures(drawings.drawn({"agreement": charts.nodes(counts, seconds)})))
    return join((each for each in parts if each), "\n")


def _lead(found: ReplayAgreement) -> str:
    kind = "other settings than the recorded ones" if found.is_what_if else "the recorded settings"
    text = (
        f"{found.recording}, {found.begin} to {found.end}, replayed under {kind}: "
        f"{count(found.actions, 'action')} done again, {count(found.consequences, 'change')} left "
        "to controllers."
    )
    if not found.agreement.placements:
        text += " The recording has no placements to compare with."
    return text


def _cards(found: ReplayAgreement) -> Html:
    cards = [
        element(
            "div",
            element("div", what, class_="what"),
            element("div", number, class_="number"),
            element("div", of, class_="of"),
            class_="figure card",
        )
        for what, number, of in _shares(found)
    ]
    return element("div", *cards, class_="figures")


def _shares(found: ReplayAgreement) -> Iterator[tuple[str, str, str]]:
    if found.baseline is not None:
        before = agreement_rows.share(found.baseline.same_node_share)
        yield "Replay, recorded settings", before, "of pods on the same node"
    now = agreement_rows.share(found.agreement.same_node_share)
    yield "This replay", now, "of pods on the same node"
    if found.decisions is not None and found.decisions.predicted:
        for name, share, number in agreement_rows.shares(found.decisions):
            of = f"{number} of {count(found.decisions.predicted, 'decision')}"
            yield name.capitalize(), share, of


def _misses(found: Decisions) -> Html:
    lead = element("p", agreement_rows.scope(found), class_="soft")
    if not found.misses:
        return lead
    head = ("Time", "Pod", "Recorded", "Predicted", "As good", "Why")
    rows = (_row(each) for each in found.misses)
    title = element("h3", "Decisions that ties do not explain", class_="over")
    return Html(lead + title + life_tables.table(head, rows, words=(1, 2, 3, 5)))


def _row(each: Miss) -> Sequence[str]:
    return (
        each.at, each.pod, each.recorded, each.predicted or "none", f"{each.equally_good:,}",
        each.explanation,
    )  # fmt: skip


def _figures(found: ReplayAgreement) -> Html:
    rows = [
        (name.capitalize() if name[:3] != "HPA" else name, *both)
        for name, *both in agreement_rows.figures(found.agreement)
    ]
    title = element("h3", "Recorded and replayed", class_="over")
    return Html(title + life_tables.table(("", "Recorded", "Replayed"), rows, words=(0,)))


def _elsewhere(found: Agreement) -> Html:
    if not found.disagreements:
        return Html("")
    rows = [
        (each.workload, f"{each.pods:,}", agreement_rows.nodes(each.recorded),
         agreement_rows.nodes(each.replayed))
        for each in found.disagreements
    ]  # fmt: skip
    title = element("h3", "Pods on other nodes", class_="over")
    head = ("Workload", "Pods", "Recorded", "Replayed")
    return Html(title + life_tables.table(head, rows, words=(0, 2, 3)))
