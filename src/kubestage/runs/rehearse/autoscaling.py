"""What an autoscaler would do about a load: some objects, in virtual time, on a cluster of their
own or on a copy of one that is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

import kubestage
from kubestage.errors import ApiError, InputError
from kubestage.objects import gvk
from kubestage.results.life import recorder
from kubestage.runs import living
from kubestage.runs.inputs import node_shape, plain_nodes
from kubestage.runs.rehearse import request_budget
from kubestage.stage import Stage, few_collections
from kubestage.store.restoring import Past
from kubestage.traffic.traffics import TRAFFIC
from kubestage.units import DAY_NS, SECOND_NS
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.runs.fit.cluster_image import ClusterImage
    from kubestage.store.restoring import ObjectKey

LONGEST_NS: Final = DAY_NS
MOST_OBJECTS: Final = 50
_MOST_COPIED: Final = 20_000
_PIECES: Final = 100
_SETTLING_NS: Final = 1_000_000
_LONGEST_START_NS: Final = 60 * SECOND_NS
_LATER: Final = frozenset({"HorizontalPodAutoscaler", "Traffic", "VerticalPodAutoscaler"})
"""Kinds that come when the pods of workloads have started."""
# Enough for every replica that a form can ask for, as Skenario has no nodes at all.
_ROOM: Final = {"cpu": "1000", "memory": "4000Gi", "pods": "10000"}
_ROOM_NODES: Final = 3
_ALONE: Final = frozenset({"traffics", "horizontalpodautoscalers", "verticalpodautoscalers"})
"""Kinds of which a copy has only those that are rehearsed: others would cost time and explain
nothing.
"""


class AutoscalingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be rehearsed, and for how long."""

    objects: Sequence[Json]
    duration_ns: int
    seed: int = 0
    settings: Mapping[str, str] = {}
    """Settings of components, as those of ``--setting``."""

    def check(self) -> None:
        """Refuse what would take too long, before anything is done."""
        if not self.objects:
            fix = "send a workload, a HorizontalPodAutoscaler and a Traffic"
            raise InputError("there is nothing to rehearse", path="objects", fix=fix)
        if len(self.objects) > MOST_OBJECTS:
            problem = f"{len(self.objects)} objects are more than a rehearsal takes: {MOST_OBJECTS}"
            raise InputError(problem, path="objects", fix="use kubestage run")
        if self.duration_ns > LONGEST_NS:
            fix = "rehearse at most 24h, or use kubestage run"
            raise InputError("is more than a rehearsal takes", path="duration", fix=fix)
        request_budget.check(self.objects, self.duration_ns)


class AutoscalingRehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """What happened; `is_complete` is false if it took too long and was ended early."""

    life: Life
    is_complete: bool
    notes: list[str]


def rehearse(
    plan: AutoscalingPlan,
    image: ClusterImage | None = None,
    must_end: Callable[[], bool] = lambda: False,
) -> AutoscalingRehearsal:
    """Let the objects live, and stop early if `must_end` returns true.

    Without an `image` of a cluster there is room for everything.
    """
    plan.check()
    stage = _with_room(plan) if image is None else _copied(image, plan.objects)
    if image is None:
        stage.add_scheduler()
    else:
        stage.add_scheduler(
            image.configuration,
            plugins=image.plugins,
            tie_break=image.tie_break,
            transport=image.transport,
        )
    stage.add_controllers(living.controller_settings(plan.settings))
    stage.run(_SETTLING_NS)
    _apply(stage, plan.objects, later=False)
    _start_pods(stage, must_end)
    # Half as often as in other runs: it is drawn small, and people wait for it.
    resolution_ns = 2 * recorder.resolution_ns(plan.duration_ns)
    watched = recorder.LifeRecorder(stage.store, stage.environment, resolution_ns, stage)
    watched.start()
    _apply(stage, plan.objects, later=True)
    is_complete = _pass(stage, plan.duration_ns, must_end)
    assert stage.traffic is not None
    stage.traffic.report()
    life = watched.end(version=kubestage.__version__, seed=plan.seed)
    return AutoscalingRehearsal(life=life, is_complete=is_complete, notes=list(_notes(stage)))


def _with_room(plan: AutoscalingPlan) -> Stage:
    """A cluster whose nodes have all labels that the workloads select."""
    stage = Stage(plan.seed)
    shape = node_shape.NodeShape(**_ROOM)
    selected = [_node_selector(each) for each in plan.objects]
    for index in range(_ROOM_NODES):
        node = plain_nodes.node(index, shape)
        for labels in selected:
            node["metadata"]["labels"] |= labels
        try:
            stage.store.create(node)
        except ApiError as error:
            raise InputError(error.message, path="nodeSelector") from None
    return stage


def _node_selector(workload: Json) -> Json:
    """What a workload selects; nothing where its shape is wrong, which is refused later."""
    part: object = workload
    for field in ("spec", "template", "spec", "nodeSelector"):
        part = part.get(field) if isinstance(part, dict) else None
    labels = part if isinstance(part, dict) else {}
    return {key: value for key, value in labels.items() if isinstance(value, str)}


def _copied(image: ClusterImage, objects: Iterable[Json]) -> Stage:
    named = {_name(each) for each in objects}
    kept = [each for each in image.objects if _is_kept(*each, named)]
    if len(kept) > _MOST_COPIED:
        fix = "rehearse without the cluster, or use kubestage run with an export of it"
        raise InputError(f"{len(kept)} objects are too many to copy", path="cluster", fix=fix)
    past = Past(image.revision, image.unix_ns, 1, kept)
    return Stage(image.seed, past=past, implicit_namespaces=False)


def _is_kept(place: ObjectKey, obj: Json, named: set[tuple[str, str, str]]) -> bool:
    return place.plural not in _ALONE or _name(obj) in named


def _name(obj: Json) -> tuple[str, str, str]:
    metadata = obj.get("metadata") or {}
    return str(obj.get("kind")), metadata.get("namespace") or "default", metadata.get("name") or ""


def _apply(stage: Stage, objects: Sequence[Json], *, later: bool) -> None:
    """Apply those that come later, or the others."""
    for number, obj in enumerate(objects):
        if (obj.get("kind") in _LATER) is not later:
            continue
        try:
            stage.apply([obj])
        except ApiError as error:
            raise InputError(error.message, path=f"objects[{number}]") from None
        except InputError as error:
            error.path = f"objects[{number}]" + (f".{error.path}" if error.path else "")
            raise


def _start_pods(stage: Stage, must_end: Callable[[], bool]) -> None:
    """Let the pods of workloads start, as they have in a cluster to which traffic comes."""
    end_ns = stage.clock.now_ns + _LONGEST_START_NS
    while stage.clock.now_ns < end_ns and not must_end():
        pods = stage.store.read(gvk.POD).values()
        if pods and all(_is_ready(pod) for pod in pods):
            return
        stage.run(SECOND_NS)


def _is_ready(pod: Json) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _pass(stage: Stage, duration_ns: int, must_end: Callable[[], bool]) -> bool:
    """Let time pass; False if it was ended early."""
    begin_ns = stage.clock.now_ns
    with few_collections():
        for piece in range(1, _PIECES + 1):
            stage.environment.run(until_ns=begin_ns + duration_ns * piece // _PIECES)
            if piece < _PIECES and must_end():
                return False
    return True


def _notes(stage: Stage) -> Iterable[str]:
    for key, traffic in stage.store.read(TRAFFIC).items():
        for condition in (traffic.get("status") or {}).get("conditions") or ():
            if condition["status"] == "False":
                yield f"traffic {key}: {condition['message']}"
    waiting = [
        condition["message"]
        for pod in stage.store.read(gvk.POD).values()
        for condition in (pod.get("status") or {}).get("conditions") or ()
        if condition["type"] == "PodScheduled" and condition["status"] == "False"
    ]
    if waiting:
        yield f"{plural(len(waiting), 'pod')} without a node at the end: {waiting[0]}"
