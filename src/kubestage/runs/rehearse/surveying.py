"""All rehearsals on one cluster: what an operator reads before a change."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from kubestage.objects import gvk
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.notebook import TableResult
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse import (
    conditions,
    draining,
    growing,
    growth,
    outages,
    pools,
    sections,
    spans,
    targets,
    upgrading,
)
from kubestage.runs.rehearse.drain_rules import DrainRules
from kubestage.runs.rehearse.draining import DrainPlan
from kubestage.runs.rehearse.findings import SEVERITIES, Severity
from kubestage.runs.rehearse.node_drain import DrainSettings
from kubestage.runs.rehearse.options import GrowOptions, SurveyOptions
from kubestage.runs.rehearse.outages import OutagePlan
from kubestage.runs.rehearse.replacement import ReplacementPlan
from kubestage.runs.rehearse.result import Rehearsed
from kubestage.stage import few_collections
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.runs.rehearse.sections import Section
    from kubestage.stage import Stage

_DEFAULT: Final = SurveyOptions()
_COLUMNS: Final = columns(
    severity=Kind.TEXT, rehearsal=Kind.TEXT, subject=Kind.TEXT, finding=Kind.TEXT
)
_RULES: Final = DrainRules(force=True, ignore_daemonsets=True, delete_emptydir_data=True)
_GROWTHS: Final = ("all=1.5x", "all=2x")


class SurveyFinding(msgspec.Struct, frozen=True):
    """A finding, and in which rehearsals it was made."""

    severity: Severity
    rehearsal: str
    subject: str
    text: str


class SurveyResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """The findings of all rehearsals, the worst first."""

    rehearsal: ClassVar[str] = "all"
    life: ClassVar[None] = None
    """There is one for each rehearsal, in `results`."""

    cluster: str
    answer: str
    results: Sequence[Rehearsed]
    findings: Sequence[SurveyFinding]
    notes: Sequence[str] = ()
    condition: str | None = None
    has_failed: bool = False

    @property
    def severity(self) -> Severity:
        """That of the worst finding; ``info`` if there is none."""
        return self.findings[0].severity if self.findings else "info"

    @property
    def subject(self) -> str:
        """What it is about: all of the cluster."""
        return self.cluster

    def headline(self) -> str:
        """How many findings there are of which severity."""
        return self.answer

    def table(self) -> Table:
        """A row for each finding."""
        rows: list[tuple[Any, ...]] = [
            (each.severity, each.rehearsal, each.subject, each.text) for each in self.findings
        ]
        return Table(_COLUMNS, rows)

    def sections(self) -> list[Section]:
        """All findings, and the answer of each rehearsal."""
        rows = [(each.severity, each.rehearsal, each.subject, each.text) for each in self.findings]
        answers = [(each.rehearsal, each.severity, each.answer) for each in self.results]
        found = (
            sections.section("Findings", ("SEVERITY", "REHEARSAL", "SUBJECT", "FINDING"), rows),
            sections.section("Rehearsals", ("REHEARSAL", "SEVERITY", "ANSWER"), answers),
        )
        return [each for each in found if each.rows]

    def to_dict(self) -> Json:
        """All findings, and every rehearsal with its own answer."""
        return {
            "rehearsal": self.rehearsal,
            "cluster": self.cluster,
            "answer": self.answer,
            "severity": self.severity,
            "findings": [msgspec.to_builtins(each) for each in self.findings],
            "rehearsals": [each.to_dict() for each in self.results],
            "notes": list(self.notes),
            "condition": self.condition,
            "failed": self.has_failed,
        }


@few_collections()
def survey(
    cluster: Files | Stage | Cluster | None,
    options: SurveyOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> SurveyResult:
    """Rehearse drains, outages, an upgrade and growth, each on a copy of a cluster."""
    condition = conditions.parse(options.fail_if, Rehearsed)
    lasts_ns = spans.parse(options.outage, "--outage")
    opened = clusters.open_cluster(cluster, options, observer=observer)
    condition.check(opened.stage)
    nodes = targets.nodes(opened.stage, [targets.ALL])
    drained = _sample(opened.stage, nodes, options.drains)
    steps = list(_steps(opened.stage, nodes, drained, lasts_ns))
    # NOTE: encoding a cluster takes as long as decoding it, and is done once.
    encoded = pickle.dumps(opened.stage, pickle.HIGHEST_PROTOCOL)
    results = []
    with observer.progress("rehearsing", len(steps), noticeable=2) as advance:
        for number, (what, step) in enumerate(steps):
            advance(number, what)
            copy = msgspec.structs.replace(opened, stage=pickle.loads(encoded), notes=())
            results.append(condition.applied(step(copy)))
    findings = list(_findings(results))
    notes = list(opened.notes)
    if len(drained) < len(nodes):
        notes.append(f"{len(drained):,} of {len(nodes):,} nodes were drained: --drains N for more")
    return SurveyResult(
        cluster=opened.origin,
        answer=_sentence(results, findings),
        results=results,
        findings=findings,
        notes=notes,
        condition=condition.text,
        has_failed=any(each.has_failed for each in results),
    )


def _steps(
    stage: Stage, nodes: Sequence[str], drained: Sequence[str], lasts_ns: int
) -> Iterator[tuple[str, Callable[[Cluster], Rehearsed]]]:
    settings = DrainSettings(rules=_RULES)
    known = stage.store.read(gvk.NODE)
    for name in drained:
        plan = DrainPlan(nodes=[name], subject=f"node {name}", settings=settings)
        yield f"drain {name}", functools.partial(draining.rehearse, plan=plan)
    zones = sorted({targets.zone_of(node) for node in known.values()} - {""})
    for zone in zones if len(zones) > 1 else ():
        mine = [name for name in nodes if targets.zone_of(known[name]) == zone]
        silent = OutagePlan(mine, targets.described(mine, [f"zone/{zone}"]), lasts_ns)
        yield f"outage zone/{zone}", functools.partial(outages.rehearse, plan=silent)
    busiest = upgrading.in_order(stage, nodes, "emptiest")[-1]
    alone = OutagePlan([busiest], f"node {busiest}", lasts_ns)
    yield f"outage node/{busiest}", functools.partial(outages.rehearse, plan=alone)
    replaced = ReplacementPlan(nodes=sorted(nodes), settings=settings)
    subject = targets.described(nodes, [targets.ALL])
    yield "upgrade all", functools.partial(upgrading.rehearse, plan=replaced, subject=subject)
    for text in _GROWTHS:
        yield f"grow {text}", functools.partial(_grow, text=text)


def _grow(cluster: Cluster, text: str) -> Rehearsed:
    return growing.rehearse(cluster, [growth.parse(text)], None, text, GrowOptions())


def _sample(stage: Stage, nodes: Sequence[str], most: int) -> list[str]:
    """Nodes of all pools and zones, as evenly as possible; those of one kind by name."""
    known = stage.store.read(gvk.NODE)
    if len(nodes) <= most:
        return list(nodes)
    by_place: dict[tuple[str, str], list[str]] = {}
    for name in nodes:
        place = (pools.pool_of(known[name]), targets.zone_of(known[name]))
        by_place.setdefault(place, []).append(name)
    found: list[str] = []
    turn = 0
    while len(found) < most:
        for names in by_place.values():
            if turn < len(names) and len(found) < most:
                found.append(names[turn])
        turn += 1
    return sorted(found)


def _findings(results: Sequence[Rehearsed]) -> list[SurveyFinding]:
    """Each finding once for all rehearsals of a kind, the worst first."""
    found: dict[tuple[str, Severity, str], list[tuple[str, str]]] = {}
    for result in results:
        for each in result.findings:
            key = (result.rehearsal, each.severity, each.subject)
            found.setdefault(key, []).append((result.subject, each.text))
    rows = []
    for (rehearsal, severity, subject), places in found.items():
        where, text = places[0]
        more = len(places) - 1
        others = f" (and in {plural(more, 'other')})" if more else ""
        rows.append(SurveyFinding(severity, f"{rehearsal} {where}", subject, f"{text}{others}"))
    return sorted(rows, key=lambda each: SEVERITIES.index(each.severity))


def _sentence(results: Sequence[Rehearsed], findings: Sequence[SurveyFinding]) -> str:
    counts = [sum(each.severity == severity for each in findings) for severity in SEVERITIES]
    bad = f"{plural(counts[0], 'critical finding')} and {plural(counts[1], 'warning')}"
    rehearsed = plural(len(results), "rehearsal")
    return f"{rehearsed}: {bad if counts[0] or counts[1] else 'nothing went wrong'}."
