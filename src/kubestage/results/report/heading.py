"""The head of the page: what was run, how it ended, and how to run it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.report import reasons, units
from kubestage.results.report.markup import Html, count, element, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.analysis import PodState, Summary
    from kubestage.results.repeat import Repeat


def heading(
    scenario: Json, summary: Summary, repeat: Repeat | None, pods: Sequence[PodState] = ()
) -> Html:
    """Title, outcome in one sentence, and the facts that the run depends on."""
    phase = summary.phase or "Unknown"
    waiting = summary.pending + summary.gated
    pills = [element("span", phase, class_=f"pill {phase}")]
    if waiting:
        # Succeeded means that all events were carried out, not that all pods have a node.
        css = phase if phase == "Failed" else "Unknown"
        pills = [
            element("span", f"{count(waiting, 'pod')} pending", class_="pill alert"),
            element("span", phase, class_=f"pill {css}"),
        ]
    titled = element("div", element("h1", summary.name or "Scenario"), *pills, class_="titled")
    parts = [element("p", "Scenario report", class_="over"), titled]
    parts.append(element("p", lead(summary), class_="lead"))
    if waiting:
        parts.append(reasons.callout(pods))
    if summary.message:
        css = "callout failed" if phase == "Failed" else "callout"
        parts.append(element("p", summary.message, class_=css))
    facts = [
        element("div", element("dt", name), element("dd", value))
        for name, value in _facts(scenario, repeat)
    ]
    parts.append(element("dl", *facts, class_="facts"))
    if repeat is not None and repeat.configuration:
        parts.append(
            element(
                "details",
                element("summary", "Scheduler configuration"),
                element("pre", repeat.configuration.rstrip()),
            )
        )
    return join(parts, "\n")


def lead(summary: Summary) -> str:
    """The outcome for those who read no more than this."""
    return " ".join(each for each in (_stopped(summary), _outcome(summary)) if each)


def _stopped(summary: Summary) -> str:
    """A warning that a run is not complete: its figures are not those of a whole one."""
    if summary.last_step is None:
        return ""
    if summary.phase == "Failed":
        return f"The Scenario failed in step {summary.last_step:,}."
    if summary.phase == "Paused":
        return f"The Scenario is paused after step {summary.last_step:,}, as no event was Done."
    return ""


def _outcome(summary: Summary) -> str:
    placed = summary.scheduled + summary.finished
    total = placed + summary.pending + summary.gated
    if not summary.pods:
        return f"No pods took part in {count(summary.steps, 'step')}."
    if not total:
        sentence = f"None of {count(summary.pods, 'pod')} is left."
    elif total == 1:
        fate = "has a node" if placed else "is pending" if summary.pending else "is gated"
        sentence = f"The only pod {fate}."
    elif placed == total:
        sentence = f"All {total:,} pods have a node."
    else:
        counts = {"pending": summary.pending, "gated": summary.gated}
        waiting = {what: number for what, number in counts.items() if number}
        (what, number), *rest = waiting.items()
        sentence = f"{number:,} of {total:,} pods {_are(number)} {what}"
        sentence += "".join(f", {other:,} {_are(other)} {which}" for which, other in rest)
        sentence += f"; {placed or 'none'} {'have' if placed > 1 else 'has'} a node."
    if summary.preempted:
        sentence += (
            f" {summary.preempted:,} {'was' if summary.preempted == 1 else 'were'} preempted."
        )
    rates = [
        f"{units.percent(found.rate)} of the {'CPU' if name == 'cpu' else name}"
        for name, found in summary.resources.items()
        if name in ("cpu", "memory") and found.rate is not None
    ]
    return f"{sentence} Requested: {' and '.join(rates)}." if rates else sentence


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _facts(scenario: Json, repeat: Repeat | None) -> list[tuple[str, str]]:
    result = (scenario.get("status") or {}).get("scenarioResult") or {}
    if repeat is None:
        version = result.get("simulatorVersion")
        return [("Simulator", str(version))] if version else []
    facts = {
        "kubestage": repeat.version,
        "Seed": str(repeat.seed),
        "Start": repeat.start or "",
        "Scheduler": "configured" if repeat.configuration else "kube-scheduler's defaults",
        "Flags": ", ".join(f"{name}={value}" for name, value in repeat.flags.items()),
        "Tie break": repeat.tie_break,
        "Controllers": "running" if repeat.controllers else "off",
        "Detail": repeat.detail,
        "Results written": repeat.strategy,
        "Plugins": ", ".join(f"{each.reference} ({each.sha256[:12]})" for each in repeat.plugins),
    }
    return [(name, value) for name, value in facts.items() if value]
