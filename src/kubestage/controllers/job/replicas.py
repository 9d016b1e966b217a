"""Making and deleting a Job's pods until as many run as should."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers import pods
from kubestage.controllers.job import indexes, intervals
from kubestage.controllers.job.job_pods import TRACKING, is_tracked, replaces_only_failed
from kubestage.controllers.pod_control import PodControl, from_template, is_namespace_ending
from kubestage.errors import ApiError, NotFound
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.job.context import JobContext
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store

_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}


def least_useful_first(active: Iterable[Json]) -> list[Json]:
    """Unassigned, pending, unready, lately ready, often restarted and young pods go first."""
    return sorted(active, key=_usefulness)


def _usefulness(pod: Json) -> tuple[Any, ...]:
    status = pod.get("status") or {}
    ready = pods.condition(status, "Ready")
    is_ready = ready is not None and ready["status"] == "True"
    ready_since = ready.get("lastTransitionTime") if ready is not None and is_ready else None
    restarts, sidecar_restarts = _restarts(pod, status)
    return (
        bool(pod["spec"].get("nodeName")),
        _PHASES.get(status.get("phase", ""), 0),
        is_ready,
        _age(ready_since),
        -restarts,
        -sidecar_restarts,
        _age(pod["metadata"].get("creationTimestamp")),
    )


def _age(since: str | None) -> tuple[bool, int]:
    """Orders moments so that none comes first, then the latest."""
    return (True, -timestamps.parse_time(since)) if since else (False, 0)


def _restarts(pod: Json, status: Json) -> tuple[int, int]:
    """The most restarts of any container, and of any sidecar."""
    sidecars = {
        container["name"]
        for container in pod["spec"].get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    regular = [each.get("restartCount", 0) for each in status.get("containerStatuses") or ()]
    beside = [
        each.get("restartCount", 0)
        for each in status.get("initContainerStatuses") or ()
        if each["name"] in sidecars
    ]
    return max(regular, default=0), max(beside, default=0)


MOST_AT_ONCE: Final = 500
"""How many pods one sync of a Job creates or deletes at most."""

_LONGEST_BASE: Final = 58
"""How long what names are generated from may be."""


@dataclasses.dataclass(slots=True)
class ReplicasResult:
    """How many pods are active then; how long to wait before others may be made; what failed."""

    active: int
    wait_ns: int = 0
    error: ApiError | None = None


class Replicas:
    """Creates and deletes pods on behalf of Jobs."""

    def __init__(
        self, store: Store, events: EventRecorder, allowance: Callable[[int], int]
    ) -> None:
        self._store = store
        self._control = PodControl(store, events)
        self._allowance = allowance

    def manage(self, context: JobContext, now_unix_ns: int) -> ReplicasResult:
        """Delete the pods that are too many, or else create those that are missing."""
        active = len(context.active)
        if context.is_suspended:
            return self._shrink(context, context.active)
        missing_indexes = _desired(context, active)
        leaving = for_removal(context, max(0, active - missing_indexes))[:MOST_AT_ONCE]
        if leaving:
            return self._shrink(context, leaving[: self._allowance(len(leaving))])
        missing = missing_indexes - active
        if replaces_only_failed(context.spec):
            missing -= context.terminating
        if missing <= 0:
            return ReplicasResult(active)
        return self._grow(context, missing, now_unix_ns)

    def delete_active(self, context: JobContext) -> ReplicasResult:
        """Delete all active pods of a Job that is over; their finalizers go once they count."""
        return self._delete(context, context.active)

    def release(self, pod: Json) -> None:
        """Take the finalizer from a pod; it may be gone with it, or be gone already."""
        metadata = pod["metadata"]
        key = f"{metadata['namespace']}/{metadata['name']}"
        stored = self._store.read(pods.POD).get(key)
        if stored is None or not is_tracked(stored):
            return
        metadata = dict(stored["metadata"])
        awaiting = [each for each in metadata.pop("finalizers") if each != TRACKING]
        if awaiting:
            metadata["finalizers"] = awaiting
        self._store.record_metadata(pods.POD, key, metadata)

    def _shrink(self, context: JobContext, leaving: Sequence[Json]) -> ReplicasResult:
        for pod in leaving:
            self.release(pod)
        return self._delete(context, leaving)

    def _delete(self, context: JobContext, leaving: Sequence[Json]) -> ReplicasResult:
        outcome = ReplicasResult(len(context.active))
        for pod in leaving:
            try:
                self._control.delete(pod, context.job)
            except NotFound:
                pass
            except ApiError as error:
                outcome.error = outcome.error or error
                continue
            outcome.active -= 1
            context.terminating += 1
            context.ready -= pods.is_ready(pod)
        return outcome

    def _grow(self, context: JobContext, missing: int, now_unix_ns: int) -> ReplicasResult:
        active = len(context.active)
        if not context.limits_each_index:
            wait_ns = context.backoff.remaining_ns(now_unix_ns)
            if wait_ns:
                return ReplicasResult(active, wait_ns)
        missing = min(missing, MOST_AT_ONCE)
        if not context.is_indexed:
            return self._create(context, [indexes.UNKNOWN] * self._allowance(missing))
        missing_indexes = _first_pending(context, missing)
        if context.limits_each_index:
            awaiting = context.awaiting_replacement
            waits = [
                indexes.index_backoff(awaiting.get(index)).remaining_ns(now_unix_ns)
                for index in missing_indexes
            ]
            missing_indexes = [
                index for index, wait_ns in zip(missing_indexes, waits, strict=True) if not wait_ns
            ]
            if waits and not missing_indexes:
                return ReplicasResult(active, min(waits))
        return self._create(context, missing_indexes[: self._allowance(len(missing_indexes))])

    def _create(self, context: JobContext, missing_indexes: Sequence[int]) -> ReplicasResult:
        """Create pods in batches of growing size: what refuses one would refuse them all."""
        outcome = ReplicasResult(len(context.active))
        template = _template(context)
        done, batch = 0, 1
        while done < len(missing_indexes) and outcome.error is None:
            for index in missing_indexes[done : done + batch]:
                try:
                    self._control.create(_pod(context, template, index), context.job)
                except ApiError as error:
                    if not is_namespace_ending(error):
                        outcome.error = outcome.error or error
                else:
                    outcome.active += 1
            done += batch
            batch *= 2
        return outcome


def _desired(context: JobContext, active: int) -> int:
    """How many pods should run: no more than completions are missing."""
    parallelism: int = context.spec["parallelism"]
    completions: int | None = context.spec.get("completions")
    if completions is None:
        return active if context.succeeded else parallelism
    return max(0, min(parallelism, completions - context.succeeded))


def for_removal(context: JobContext, at_least: int) -> list[Json]:
    """Active pods that are too many: those without an index of their own, then the least useful."""
    leaving: list[Json] = []
    staying = context.active
    if context.is_indexed:
        leaving, staying = _superfluous(staying, context.spec["completions"])
    missing = at_least - len(leaving)
    if missing > 0:
        leaving += least_useful_first(staying)[:missing]
    return leaving


def _superfluous(active: Sequence[Json], completions: int) -> tuple[list[Json], list[Json]]:
    """Pods whose index is none of the Job's or that of a more useful pod, and the others."""
    groups: dict[int, list[Json]] = {}
    for pod in active:
        groups.setdefault(indexes.completion_index(pod), []).append(pod)
    leaving: list[Json] = []
    staying: list[Json] = []
    for index in sorted(groups):
        group = groups[index]
        if indexes.is_valid(index, completions):
            *group, best = least_useful_first(group) if len(group) > 1 else group
            staying.append(best)
        leaving += group
    return leaving, staying


def _first_pending(context: JobContext, count: int) -> list[int]:
    """The lowest indexes that no pod works on and that are not done."""
    taken = indexes.indexes_of(context.active)
    if replaces_only_failed(context.spec):
        taken |= indexes.indexes_of(pod for pod in context.others if not pods.is_terminal(pod))
    occupied = intervals.with_indexes(context.settled_indexes(), sorted(taken))
    return intervals.first_missing(occupied, count, context.spec["completions"])


def _template(context: JobContext) -> Json:
    """The Job's template with what tracking and indexes need."""
    template = context.spec["template"]
    metadata, pod_spec = template.get("metadata") or {}, template["spec"]
    finalizers = metadata.get("finalizers") or []
    if TRACKING not in finalizers:
        finalizers = [*finalizers, TRACKING]
    if context.is_indexed:
        pod_spec = indexes.with_index_variable(pod_spec)
    return {"metadata": {**metadata, "finalizers": finalizers}, "spec": pod_spec}


def _pod(context: JobContext, template: Json, index: int) -> Json:
    pod = from_template(template, context.job)
    if index == indexes.UNKNOWN:
        return pod
    name, number = context.job["metadata"]["name"], str(index)
    metadata = pod["metadata"]
    annotations = {**metadata.get("annotations", {}), indexes.COMPLETION_INDEX: number}
    if context.limits_each_index:
        replaced = context.awaiting_replacement.get(index)
        counted, ignored = indexes.next_failure_counts(context.spec, replaced)
        annotations[indexes.FAILURE_COUNT] = str(counted)
        if ignored:
            annotations[indexes.IGNORED_FAILURE_COUNT] = str(ignored)
    ending = f"-{number}-"
    metadata["generateName"] = name[: _LONGEST_BASE - len(ending)] + ending
    metadata["labels"] = {**metadata.get("labels", {}), indexes.COMPLETION_INDEX: number}
    metadata["annotations"] = annotations
    pod["spec"] = {**pod["spec"], "hostname": f"{name}-{number}"}
    return pod
