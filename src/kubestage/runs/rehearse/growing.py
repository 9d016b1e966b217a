"""Rehearse growth: more replicas or more workloads, and how many nodes they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import groups
from kubestage.errors import ApiError, InputError
from kubestage.runs.inputs import stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import (
    capacity,
    catalog_templates,
    conditions,
    effects,
    grow_result,
    growth,
    node_search,
    node_templates,
    result,
    settling,
    stage_copies,
)
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse.grow_result import GrowResult
from kubestage.runs.rehearse.options import GrowOptions
from kubestage.runs.rehearse.recording import Recording
from kubestage.runs.rehearse.settling import Activity
from kubestage.runs.rehearse.stage_copies import Trials
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.inputs.sources import Files
    from kubestage.runs.observer import Observer
    from kubestage.runs.rehearse.cluster import Cluster
    from kubestage.runs.rehearse.growth import GrownWorkload, Growth
    from kubestage.runs.rehearse.node_search import EnoughNodes
    from kubestage.runs.rehearse.node_templates import NodeTemplate
    from kubestage.stage import Stage

_DEFAULT: Final = GrowOptions()
_EXPECTED_NS: Final = 10 * MINUTE_NS


def grow(
    cluster: Files | Stage | Cluster | None,
    growths: str | Sequence[str] = (),
    options: GrowOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> GrowResult:
    """Rehearse growth: ``deploy/web=2x``, ``all=2x``, ``sts/db=+3``, and files of `options.add`."""
    words = [growths] if isinstance(growths, str) else list(growths)
    condition = conditions.parse(options.fail_if, GrowResult)
    requests = [growth.parse(word) for word in words]
    if not requests and not options.add:
        fix = "write it as in deploy/web=2x, or add --add app.yaml"
        raise InputError("nothing is to grow", fix=fix)
    added = None
    if options.add:
        added = stage_inputs.load(list(options.add), options.config, observer)
    opened = clusters.open_cluster(cluster, options, observer=observer)
    condition.check(opened.stage)
    subject = " and ".join([*words, *options.add])
    return condition.applied(rehearse(opened, requests, added, subject, options))


@few_collections(RARELY)
def rehearse(
    cluster: Cluster,
    requests: Sequence[Growth],
    added: LoadedManifests | None,
    subject: str,
    options: GrowOptions,
) -> GrowResult:
    """Have a cluster grow, which is not the same afterwards."""
    stage = cluster.stage
    templates = node_templates.of(stage, options.template)
    before = capacity.headroom(stage.store)
    # What an autoscaler adds by itself would hide what is missing.
    static = stage.fork() if stage.store.read(groups.NODE_GROUP) else None
    recording = Recording(cluster, _EXPECTED_NS)
    recording.mark("action", subject, "scaled up" if requests else "applied")
    grown, set_aside = _carry_out(stage, requests, added)
    recording.settle()
    seconds = recording.seconds
    life = recording.end()
    found = effects.of(recording, life)
    after = capacity.headroom(stage.store)
    if static is not None:
        freeze(static)
        _carry_out(static, requests, added)
        _settle(static)
    base = stage if static is None else static
    missing, _ = node_search.shortfall(base)
    notes = list(cluster.notes)
    enough = _enough(base, templates, options, notes) if missing else []
    notes += [f"HPA {each} is disabled: it would undo the growth" for each in set_aside]
    autoscaled = after.nodes - before.nodes
    currency = life.summary["currency"]
    return GrowResult(
        cluster=cluster.origin,
        subject=subject,
        answer=grow_result.sentence(subject, missing, enough, autoscaled, currency),
        seconds=seconds,
        effects=found,
        findings=result.sorted_findings(found, list(grow_result.findings_of(enough, currency))),
        notes=notes,
        life=life,
        history=recording.history,
        grown=grown,
        added_objects=0 if added is None else len(added.documents),
        missing=missing,
        autoscaled=autoscaled,
        enough=enough,
        before=before,
        after=after,
    )


def _enough(
    base: Stage, templates: Sequence[NodeTemplate], options: GrowOptions, notes: list[str]
) -> list[EnoughNodes]:
    """How many nodes of each type are enough, the cheapest first where all have prices."""
    most = node_templates.MOST
    chosen: list[NodeTemplate] = []
    if options.template or not options.instance_type:
        chosen += templates if options.template else templates[:most]
        if len(chosen) < len(templates):
            tried = f"{most} of {len(templates)} types of nodes were tried"
            notes.append(f"{tried}, the most frequent ones")
    if options.instance_type:
        offered = catalog_templates.of(base, options.instance_type, options.prices)
        chosen += offered[:most]
        if len(offered) > most:
            tried = f"{most} of {len(offered):,} instance types were tried"
            notes.append(f"{tried}, the cheapest by the sum of what pods request")
    stage_copies.forget_history(base)
    trials = Trials(base)
    found = [node_search.enough(trials, each, options.most) for each in chosen]
    if any(each.cost_per_hour is not None for each in found):
        unknown = float("inf")
        found.sort(key=lambda each: unknown if each.cost_per_hour is None else each.cost_per_hour)
    return found


def _carry_out(
    stage: Stage, requests: Sequence[Growth], added: LoadedManifests | None
) -> tuple[list[GrownWorkload], list[str]]:
    done = growth.carry_out(stage, growth.plan(stage, requests))
    if added is not None:
        apply(stage, added)
    return done


def apply(stage: Stage, added: LoadedManifests) -> None:
    """Apply the objects of files; InputError with the place of one that is refused."""
    for document in added.documents:
        try:
            stage.apply([document.object])
        except ApiError as error:
            raise added.place(document, stage_inputs.refusal(error)) from error
        except InputError as error:
            raise added.place(document, error) from None


def freeze(stage: Stage) -> None:
    """Have no autoscaler add or remove nodes."""
    for name in tuple(stage.store.read(groups.NODE_GROUP)):
        stage.store.delete(groups.NODE_GROUP, name)


def _settle(stage: Stage) -> None:
    activity = Activity(stage)
    settling.settle(stage, activity)
    activity.close()
