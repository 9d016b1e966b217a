"""What happened to a container, in the order in which it happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import gvk, timestamps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.store.store import Store

_STARTED: Final = "Started"
# Within one second, lines come in the order in which things happen.
_ORDER: Final = ("Scheduled", "Pulling", "Pulled", "Created", _STARTED, "Ready", "Unhealthy")


class HistoryLine(NamedTuple):
    """Something that happened."""

    unix_ns: int
    rank: int
    text: str
    end: str = "\n"


def lines_of_container(
    store: Store, pod: dict[str, Any], container: str, status: dict[str, Any]
) -> list[HistoryLine]:
    """All that happened to a container; `status` is its status in the pod."""
    lines = set(_events(store, pod, container))
    has_start_event = any(line.rank == _ORDER.index(_STARTED) for line in lines)
    return sorted(lines | {*_states(status, has_start_event=has_start_event), *_conditions(pod)})


def _events(store: Store, pod: dict[str, Any], container: str) -> Iterator[HistoryLine]:
    """The Events about the pod, but for those about its other containers."""
    metadata = pod["metadata"]
    selector = f"involvedObject.uid={metadata['uid']}"
    found = store.list(gvk.EVENT, metadata["namespace"], field_selector=selector)
    for event in found.items:
        about = event["involvedObject"].get("fieldPath") or ""
        if about and not about.endswith(f"{{{container}}}"):
            continue
        reason, message = event.get("reason") or "", event.get("message") or ""
        text = f"{reason}: {message}"
        first = event.get("firstTimestamp") or event.get("eventTime")
        if not first:
            continue
        yield _line(first, reason, text)
        count, last = event.get("count") or 1, event.get("lastTimestamp")
        if count > 1 and last and last != first:
            yield _line(last, reason, f"{text} (x{count})")


def _states(status: dict[str, Any], *, has_start_event: bool) -> Iterator[HistoryLine]:
    """When the container ran, now and before; the kubelet remembers one life only.

    `has_start_event` is whether there is an Event of its first start.
    """
    for part in ("lastState", "state"):
        state = status.get(part) or {}
        ended = state.get("terminated")
        if ended and ended.get("finishedAt"):
            reason = ended.get("reason") or "Terminated"
            text = f"{reason}: exit code {ended.get('exitCode', 0)}"
            if ended.get("message"):
                text = f"{text}: {ended['message']}"
            yield _line(ended["finishedAt"], reason, text)
        began = state.get("running") or ended
        restarts = status.get("restartCount") or 0
        if part == "lastState" or not began or not began.get("startedAt"):
            continue
        if restarts:
            yield _line(began["startedAt"], _STARTED, f"Restarted: restart {restarts}")
        elif not has_start_event:
            yield _line(began["startedAt"], _STARTED, "Started: Container started")


def _conditions(pod: dict[str, Any]) -> Iterator[HistoryLine]:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        at = condition.get("lastTransitionTime")
        if at and condition["type"] == "Ready" and condition["status"] == "True":
            yield _line(at, "Ready", "Ready: the pod is ready")


def _line(at: str, reason: str, text: str) -> HistoryLine:
    rank = _ORDER.index(reason) if reason in _ORDER else len(_ORDER)
    parse = timestamps.parse_micro_time if "." in at else timestamps.parse_time
    return HistoryLine(parse(at), rank, text.replace("\n", " "))
