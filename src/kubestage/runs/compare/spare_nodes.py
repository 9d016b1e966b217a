"""What runs leave over on their nodes, which is found out on the cluster as it was at their end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import KubestageError
from kubestage.objects import timestamps
from kubestage.results.analysis import walking
from kubestage.results.comparison import packed_ends
from kubestage.runs.cost import removable
from kubestage.runs.rehearse import kept_run
from kubestage.scenario import recorded_times
from kubestage.sources import owners
from kubestage.stage import Stage, few_collections

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.analysis.pod_state import PodState
    from kubestage.results.comparison.packed_ends import PackedEnd
    from kubestage.runs.observer import Observer

    Place = tuple[str, str, str, str]


def of_stage(stage: Stage, observer: Observer) -> PackedEnd:
    """What is left over in a cluster; nodes that could go are tried by its scheduler's filters."""
    return packed_ends.of_store(stage.store, len(removable.search(stage, observer)))


def of_life(path: str, observer: Observer) -> PackedEnd:
    """The same of a living run that was kept; it is run again for that."""
    repeated = kept_run.repeat(path, observer)
    assert repeated.stage is not None, "a living run has a stage at its end"
    return of_stage(repeated.stage, observer)


def of_scenario(scenario: Json, observer: Observer) -> PackedEnd | None:
    """The same of a Scenario, by its timeline; None if that cannot be put on a stage.

    Its status does not have the configuration of the scheduler: the filters are the default ones.
    """
    objects = _at_end(scenario)
    newest_ns = recorded_times.newest_ns(objects)
    start = timestamps.format_time(newest_ns) if newest_ns else None
    try:
        with few_collections():
            stage = Stage(start=start)
            stage.load([*objects, *owners.complete(objects).added])
            return of_stage(stage, observer)
    except KubestageError:
        return None


def _at_end(scenario: Json) -> list[Json]:
    """All objects at the end of a Scenario, pods with the node that they have."""
    others: dict[Place, Json] = {}
    state = None
    for moment in walking.walk(scenario):
        state = moment.state
        _follow(others, moment.event)
    if state is None:
        return []
    nodes = [each.object for each in state.nodes.values() if each.object is not None]
    pods = [_placed(each) for each in state.pods.values() if each.finished is None]
    return [*nodes, *others.values(), *pods]


def _follow(others: dict[Place, Json], event: Json) -> None:
    """Take in an event about an object that is neither a node nor a pod."""
    for name in ("create", "patch"):
        change = event.get(name)
        if not isinstance(change, dict):
            continue
        operation = change.get("operation") or {}
        obj = change.get("result") or operation.get("object")
        if isinstance(obj, dict) and isinstance(obj.get("metadata"), dict):
            place = _place(obj, obj["metadata"])
            if place[1] not in ("Node", "Pod"):
                others[place] = obj
    deletion = event.get("delete")
    if isinstance(deletion, dict):
        operation = deletion.get("operation") or {}
        meta = operation.get("objectMeta") or {}
        others.pop(_place(operation.get("typeMeta") or {}, meta), None)


def _place(kind: Json, metadata: Json) -> Place:
    def text(value: Any) -> str:
        return str(value or "")

    namespace = text(metadata.get("namespace")) or "default"
    return (
        text(kind.get("apiVersion")),
        text(kind.get("kind")),
        namespace,
        text(metadata.get("name")),
    )


def _placed(pod: PodState) -> Json:
    obj = pod.object
    return {**obj, "spec": {**(obj.get("spec") or {}), "nodeName": pod.node}} if pod.node else obj
