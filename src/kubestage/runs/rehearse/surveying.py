"""All rehearsals on one cluster: what an operator reads before a change."""

from __future__ import annotations

import functools
import gc
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import msgspec

from kubestage.objects import gvk, node_pools
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.cost import evaluating
from kubestage.runs.inputs import node_words
from kubestage.runs.notebook import TableResult
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse import (
    conditions,
    draining,
    forks,
    growing,
    growth,
    outages,
    sections,
    spans,
    stage_copies,
    survey_findings,
    targets,
    upgrading,
)
from kubestage.runs.rehearse.drain_rules import DrainRules
from kubestage.runs.rehearse.draining import DrainPlan
from kubestage.runs.rehearse.findings import SEVERITIES
from kubestage.runs.rehearse.node_drain import DrainSettings
from kubestage.runs.rehearse.options import GrowOptions, SurveyOptions
from kubestage.runs.rehearse.outages import OutagePlan
from kubestage.runs.rehearse.recording import begin_history
from kubestage.runs.rehearse.replacement import ReplacementPlan
from kubestage.runs.rehearse.result import Rehearsed
from kubestage.runs.rehearse.stage_copies import StageCopies
from kubestage.runs.rehearse.survey_findings import SurveyFinding
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Advance, Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.runs.rehearse.findings import Severity
    from kubestage.runs.rehearse.sections import Section
    from kubestage.stage import Stage

_DEFAULT: Final = SurveyOptions()
_COLUMNS: Final = columns(
    severity=Kind.TEXT, rehearsal=Kind.TEXT, subject=Kind.TEXT, finding=Kind.TEXT
)
_RULES: Final = DrainRules(force=True, ignore_daemonsets=True, delete_emptydir_data=True)
_LARGE_BYTES: Final = 4 << 20
_GROWTHS: Final = ("all=1.5x", "all=2x")


class _Step(NamedTuple):
    """A rehearsal, or what is found out without one.

    `weight` is how long it takes in comparison with the others, roughly.
    """

    name: str
    work: Callable[[Cluster], Rehearsed | SurveyFinding]
    weight: int


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
        answers = [
            (f"{each.rehearsal} {each.subject}", each.severity, each.answer)
            for each in self.results
        ]
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


@few_collections(RARELY)
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
    if opened.keeps_history:
        # All rehearsals begin alike.
        opened = msgspec.structs.replace(opened, start_state=begin_history(opened))
    nodes = targets.nodes(opened.stage, [node_words.ALL])
    drained = _sample(opened.stage, nodes, options.drains)
    steps = list(_steps(opened.stage, nodes, drained, lasts_ns))
    jobs = _jobs(opened.stage, options.jobs)
    with observer.progress("rehearsing", len(steps), noticeable=2) as advance:
        done = list(_done(opened, steps, jobs, advance))
    results = [condition.applied(each) for each in done if isinstance(each, Rehearsed)]
    found = survey_findings.merged(results)
    bad = [each for each in found if each.severity != "info"]
    found[len(bad) : len(bad)] = [each for each in done if isinstance(each, SurveyFinding)]
    own = dict.fromkeys(f"{each.rehearsal}: {note}" for each in results for note in each.notes)
    notes = [*opened.notes, *own]
    if len(drained) < len(nodes):
        notes.append(f"{len(drained):,} of {len(nodes):,} nodes were drained: --drains N for more")
    return SurveyResult(
        cluster=opened.origin,
        answer=_sentence(results, found),
        results=results,
        findings=found,
        notes=notes,
        condition=condition.text,
        has_failed=any(each.has_failed for each in results),
    )


def _jobs(stage: Stage, requested: int | None) -> int:
    """How many rehearsals go on at a time: a small cluster is rehearsed before a fork pays."""
    if requested is not None:
        return requested if forks.is_supported() else 1
    return 1 if stage_copies.is_small(stage) else forks.possible()


def _done(
    opened: Cluster, steps: Sequence[_Step], jobs: int, advance: Advance
) -> Iterator[Rehearsed | SurveyFinding]:
    """The result of each step, in order."""
    found: dict[int, Rehearsed | SurveyFinding] = {}
    if jobs > 1:
        own = msgspec.structs.replace(opened, notes=())
        # NOTE: the last ones are started first. If the longest one begins when others have ended,
        # the other processes wait for it at the end.
        order = sorted(range(len(steps)), key=lambda number: steps[number].weight)
        by_weight = [steps[number] for number in order]
        works = [functools.partial(step.work, own) for step in by_weight]
        done = forks.results(works, jobs, lambda count, at: advance(count, by_weight[at].name))
        found = {order[at]: each for at, each in done.items()}
    copies: StageCopies | None = None
    for number, step in enumerate(steps):
        if number in found:
            yield found[number]
            continue
        advance(number, step.name)
        copies = copies or StageCopies(opened.stage)
        copy = msgspec.structs.replace(opened, stage=copies.one_more(), notes=())
        yield step.work(copy)
        # NOTE: a stage is full of cycles. Of 1,000 nodes and 10,000 pods, each that is not
        # collected takes 200 MB, and a survey has thirty.
        del copy
        if len(copies) >= _LARGE_BYTES:
            gc.collect()


def _cost_finding(cluster: Cluster) -> SurveyFinding:
    """What the cluster costs, and which nodes it could do without."""
    return SurveyFinding("info", "cost", "all nodes", evaluating.of_cluster(cluster).answer)


def _steps(
    stage: Stage, nodes: Sequence[str], drained: Sequence[str], lasts_ns: int
) -> Iterator[_Step]:
    settings = DrainSettings(rules=_RULES)
    known = stage.store.read(gvk.NODE)
    for name in drained:
        plan = DrainPlan(nodes=[name], subject=f"node {name}", settings=settings)
        yield _Step(f"drain {name}", functools.partial(draining.rehearse, plan=plan), 1)
    zones = sorted({node_words.zone_of(node) for node in known.values()} - {""})
    for zone in zones if len(zones) > 1 else ():
        mine = [name for name in nodes if node_words.zone_of(known[name]) == zone]
        silent = OutagePlan(mine, targets.described(mine, [f"zone/{zone}"]), lasts_ns)
        away = functools.partial(outages.rehearse, plan=silent)
        yield _Step(f"outage zone/{zone}", away, len(mine))
    busiest = upgrading.in_order(stage, nodes, "emptiest")[-1]
    alone = OutagePlan([busiest], f"node {busiest}", lasts_ns)
    yield _Step(f"outage node/{busiest}", functools.partial(outages.rehearse, plan=alone), 1)
    replaced = ReplacementPlan(nodes=sorted(nodes), settings=settings)
    subject = targets.described(nodes, [node_words.ALL])
    upgraded = functools.partial(upgrading.rehearse, plan=replaced, subject=subject)
    yield _Step("upgrade all", upgraded, 2 * len(nodes))
    for text in _GROWTHS if growth.has_workloads(stage) else ():
        yield _Step(f"grow {text}", functools.partial(_grow, text=text), len(nodes))
    yield _Step("cost", _cost_finding, 1)


def _grow(cluster: Cluster, text: str) -> Rehearsed:
    return growing.rehearse(cluster, [growth.parse(text)], None, text, GrowOptions())


def _sample(stage: Stage, nodes: Sequence[str], most: int) -> list[str]:
    """Nodes of all pools and zones, as evenly as possible; those of one kind by name."""
    known = stage.store.read(gvk.NODE)
    if len(nodes) <= most:
        return list(nodes)
    by_place: dict[tuple[str, str], list[str]] = {}
    for name in nodes:
        place = (node_pools.of(known[name]), node_words.zone_of(known[name]))
        by_place.setdefault(place, []).append(name)
    found: list[str] = []
    turn = 0
    while len(found) < most:
        for names in by_place.values():
            if turn < len(names) and len(found) < most:
                found.append(names[turn])
        turn += 1
    return sorted(found)


def _sentence(results: Sequence[Rehearsed], found: Sequence[SurveyFinding]) -> str:
    counts = [sum(each.severity == severity for each in found) for severity in SEVERITIES]
    critical = plural(counts[0], "critical finding") if counts[0] else ""
    warnings = plural(counts[1], "warning") if counts[1] else ""
    bad = " and ".join(each for each in (critical, warnings) if each)
    return f"{plural(len(results), 'rehearsal')}: {bad or 'nothing went wrong'}."
