"""Brings a cluster into the state of each side of a change, and lets it come to rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import ApiError, InputError, NotFound
from kubestage.objects import gvk
from kubestage.runs.check.side import Side
from kubestage.runs.inputs import manifests, plain_nodes, price_files, stage_inputs
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse import settling, stage_copies
from kubestage.runs.rehearse.options import ClusterOptions
from kubestage.runs.rehearse.settling import Activity
from kubestage.stage import few_collections, rank
from kubestage.stage.collections import RARELY
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from kubestage.objects.manifest import Document
    from kubestage.runs.check.configuration import ClusterSection
    from kubestage.runs.check.sides import SideFiles
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.runs.observer import Advance, Observer
    from kubestage.stage import Stage


class BothSides(NamedTuple):
    """The cluster before and after a change; None if there is nothing before."""

    base: Side | None
    head: Side
    notes: list[str]


@few_collections(RARELY)
def build(
    section: ClusterSection,
    base: SideFiles | None,
    head: SideFiles,
    *,
    rollout: bool,
    observer: Observer,
) -> BothSides:
    """Both sides, each on a copy of the cluster."""
    with observer.progress("running both sides", 2, noticeable=2) as advance:
        advance(0, "the cluster before the change")
        return _built(section, base, head, rollout, observer, advance)


def _built(
    section: ClusterSection,
    base: SideFiles | None,
    head: SideFiles,
    rollout: bool,
    observer: Observer,
    advance: Advance,
) -> BothSides:
    has_cluster = bool(section.files) or section.nodes is not None
    if not has_cluster:
        return _whole(section, base, head, observer)
    schedulers = {each.scheduler for each in (base, head) if each is not None}
    if len(schedulers) > 1 or schedulers - {None}:
        # Another configuration means another scheduler from the start.
        return _apart(section, base, head, observer)
    cluster = _cluster(section, section.scheduler, observer)
    notes = list(cluster.notes)
    if base is None:
        # The cluster as it is, is what the head is measured by.
        before = Side("the cluster", cluster.stage)
        after = cluster.stage.fork()
    else:
        clean = None if rollout else cluster.stage.fork()
        _apply(cluster.stage, base.loaded)
        _settle(cluster.stage, base.name, notes)
        before = Side(base.name, cluster.stage, base.places)
        after = clean or cluster.stage.fork()
        if rollout:
            _prune(after, base.loaded, head.loaded)
    advance(1, "the cluster after the change")
    _apply(after, head.loaded)
    _settle(after, head.name, notes)
    return _checked(BothSides(before, Side(head.name, after, head.places), notes))


def _whole(
    section: ClusterSection, base: SideFiles | None, head: SideFiles, observer: Observer
) -> BothSides:
    """Sides that are whole clusters themselves: nodes are among their objects."""
    notes: list[str] = []
    found = []
    for each in (base, head):
        if each is None:
            continue
        loaded = each.loaded
        stage_inputs.complete(loaded)
        notes += [f"{each.name}: {note}" for note in loaded.notes]
        notes += [f"{each.name}: {note}" for note in price_files.add(loaded, section.prices)]
        options = _options(section, each.scheduler or section.scheduler)
        stage = clusters.stage_of(loaded, clusters.read_settings(options, loaded), observer)
        _settle(stage, each.name, notes)
        found.append(Side(each.name, stage, each.places))
    return _checked(BothSides(found[0] if len(found) > 1 else None, found[-1], notes))


def _apart(
    section: ClusterSection, base: SideFiles | None, head: SideFiles, observer: Observer
) -> BothSides:
    """Sides with a scheduler of their own, each on the cluster from its start."""
    notes = ["the scheduler's configuration is part of the change: both sides start afresh"]
    found = []
    for each in (base, head):
        if each is None:
            continue
        cluster = _cluster(section, each.scheduler or section.scheduler, observer)
        notes += [note for note in cluster.notes if note not in notes]
        _apply(cluster.stage, each.loaded)
        _settle(cluster.stage, each.name, notes)
        found.append(Side(each.name, cluster.stage, each.places))
    return _checked(BothSides(found[0] if len(found) > 1 else None, found[-1], notes))


def _checked(sides: BothSides) -> BothSides:
    if not sides.head.stage.store.read(gvk.NODE):
        fix = 'name the cluster: files = ["cluster/"] in [cluster], -f cluster/, or --nodes 5'
        raise InputError("there is no node to run anything on", fix=fix)
    return sides


def _cluster(
    section: ClusterSection, scheduler: str | None, observer: Observer
) -> clusters.Cluster:
    options = _options(section, scheduler)
    if section.files:
        return clusters.open_cluster(section.files, options, observer=observer)
    loaded = manifests.LoadedManifests()
    plain_nodes.add(loaded, section.nodes, section.node)
    notes = price_files.add(loaded, section.prices)
    stage = clusters.stage_of(loaded, clusters.read_settings(options, loaded), observer)
    return clusters.Cluster(stage, "nodes that are all alike", notes)


def _options(section: ClusterSection, scheduler: str | None) -> ClusterOptions:
    return ClusterOptions(
        nodes=section.nodes,
        node=section.node,
        prices=section.prices,
        config=scheduler,
        plugins=tuple(section.plugins),
        seed=section.seed,
        settings=tuple(f"{name}={_text(value)}" for name, value in section.settings.items()),
    )


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _apply(stage: Stage, loaded: LoadedManifests) -> None:
    """Apply objects as ``kubectl apply`` does, infrastructure first."""
    first, rest = stage_inputs.split(loaded)
    for documents in (first, rest):
        for document in sorted(documents, key=lambda each: rank(each.object)):
            _apply_one(stage, loaded, document)
        stage.run(MILLISECOND_NS)


def _apply_one(stage: Stage, loaded: LoadedManifests, document: Document) -> None:
    try:
        stage.apply([document.object])
    except ApiError as error:
        raise loaded.place(document, stage_inputs.refusal(error)) from error
    except InputError as error:
        raise loaded.place(document, error) from None


def _prune(stage: Stage, base: LoadedManifests, head: LoadedManifests) -> None:
    """Delete what the head no longer has."""
    kept = {_key(head, each) for each in head.documents}
    for document in reversed(base.documents):
        key = _key(base, document)
        if key in kept or not key[3]:
            continue
        _, _, namespace, name = key
        row = base.table.of(document.object)
        try:
            stage.store.delete(row, name, namespace or None)
        except NotFound:
            continue
        except ApiError as error:
            raise base.place(document, stage_inputs.refusal(error)) from error


def _key(loaded: LoadedManifests, document: Document) -> tuple[str, str, str, str]:
    row = loaded.table.of(document.object)
    namespace, name = manifests.named(document.object)
    return row.group, row.kind, (namespace or "default") if row.namespaced else "", name


def _settle(stage: Stage, name: str, notes: list[str]) -> None:
    activity = Activity(stage)
    activity.expect()
    rests = settling.settle(stage, activity)
    activity.close()
    stage_copies.forget_history(stage)
    if not rests:
        notes.append(f"{name}: the cluster was still changing after 2h, and is taken as it was")
