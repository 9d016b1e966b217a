"""Walks through a timeline, event by event, with the cluster as it is after each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.results.analysis import pod_state, pricing, timeline
from kubestage.results.analysis.state import ClusterState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.analysis.timeline import Operation, PodResult, TimelineEvent


_NODE: Final = "Node"
_POD: Final = "Pod"
# What an object may do wrong that is read only as far as it is needed here.
_UNREADABLE: Final = (ValueError, TypeError, AttributeError, msgspec.ValidationError)


class Moment(NamedTuple):
    """An event from the status, its step, and the cluster just after it."""

    step: int
    event: Json
    state: ClusterState


def walk(run: Json) -> Iterator[Moment]:
    """Every event of a run, in order: the way to values of your own.

    `run` is a Scenario or its status. The state is one and the same all along and changes with
    each event.
    """
    state = ClusterState()
    for step, events in timeline.timeline_of(run).items():
        yield from _walk_step(state, step, events)


def step_ends(run: Json) -> Iterator[tuple[int, ClusterState]]:
    """Every step of a run with the cluster at its end; nothing need happen in a step."""
    state = ClusterState()
    for step, events in timeline.timeline_of(run).items():
        for _ in _walk_step(state, step, events):
            pass
        yield step, state


def _walk_step(state: ClusterState, step: int, events: list[Any]) -> Iterator[Moment]:
    for position, (written, event) in enumerate(timeline.read(events, step)):
        try:
            _apply(state, event, step)
        except KeyError as error:
            missing = ValueError(f"there is no field {error}")
            raise timeline.refused(missing, step, position) from None
        except _UNREADABLE as error:
            raise timeline.refused(error, step, position) from None
        yield Moment(step, written, state)


def _apply(state: ClusterState, event: TimelineEvent, step: int) -> None:
    change = event.create or event.patch or event.delete
    if change is not None and change.operation is not None and change.operation.is_dry:
        return
    if event.pod_scheduled is not None:
        _scheduled(state, event.pod_scheduled, step)
    elif event.pod_unscheduled is not None:
        _unscheduled(state, event.pod_unscheduled, step)
    elif event.pod_preempted is not None:
        _preempted(state, event.pod_preempted, step)
    elif event.create is not None:
        operation = event.create.operation
        stored = event.create.result or (operation.object if operation is not None else None)
        _stored(state, stored, step, is_new=True)
    elif event.patch is not None:
        _stored(state, event.patch.result, step)
    elif event.delete is not None and event.delete.operation is not None:
        _deleted(state, event.delete.operation, step)


def _stored(state: ClusterState, obj: Any, step: int, *, is_new: bool = False) -> None:
    if not isinstance(obj, dict):
        return
    kind = _kind(obj.get("apiVersion"), obj.get("kind"))
    if kind == _NODE:
        state.set_node(obj)
    elif kind == _POD:
        state.set_pod(state.pod(obj, step, is_new=is_new), obj, step)
    elif (key := (obj.get("apiVersion"), obj.get("kind"))) in pricing.KINDS:
        state.set_prices(key, pod_state.name_of(obj), obj)
    else:
        state.set_owner(obj)


def _deleted(state: ClusterState, operation: Operation, step: int) -> None:
    what, which = operation.type_meta, operation.object_meta
    if what is None or which is None or not which.name:
        return
    kind = _kind(what.api_version, what.kind)
    if kind == _NODE:
        state.remove_node(which.name)
    elif kind == _POD:
        pod = state.pods.get(f"{which.namespace or 'default'}/{which.name}")
        if pod is not None:
            state.remove_pod(pod, step)
    elif (key := (what.api_version, what.kind)) in pricing.KINDS:
        state.set_prices(key, which.name, None)


def _scheduled(state: ClusterState, result: PodResult, step: int) -> None:
    if isinstance(result.pod, dict):
        pod = _first_seen(state, result, step)
        state.set_pod(pod, result.pod, step, result.bound_to)
        if result.bound_at is not None:
            pod.bound = result.bound_at


def _unscheduled(state: ClusterState, result: PodResult, step: int) -> None:
    if isinstance(result.pod, dict):
        # Its requests are known: being looked at does not change what a pod asks for.
        _first_seen(state, result, step).object = result.pod


def _preempted(state: ClusterState, result: PodResult, step: int) -> None:
    if isinstance(result.pod, dict):
        pod = _first_seen(state, result, step)
        if pod.is_gone:
            return
        state.set_pod(pod, result.pod, step, result.bound_to)
        state.remove_pod(pod, step, preempted=True)
        pod.preempted_by = result.preempted_by
        if result.preempted_at is not None:
            pod.preempted = result.preempted_at


def _first_seen(state: ClusterState, result: PodResult, step: int) -> pod_state.PodState:
    """The pod of a result, with the attempts at it that are new."""
    pod = state.pod(result.pod, step, created=result.created_at)
    pod.attempts += timeline.read_attempts(result, len(pod.attempts))
    return pod


def _kind(api_version: str | None, kind: str | None) -> str | None:
    """The kind, if it is one of the core group."""
    return kind if api_version in ("v1", "", None) else None
