"""Containers that were killed for lack of memory, by the statuses of their pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.vpa import container_resources
from kubestage.objects import quantity, timestamps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json


KILLED: Final = "OOMKilled"


class Oom(NamedTuple):
    """Which container was killed, when, and how much memory it had requested."""

    namespace: str
    pod: str
    container: str
    requested: int
    at_ns: int


def observed(old: Json, new: Json) -> Iterator[Oom]:
    """The kills in a change of a pod.

    A container either ends, or is found running again with one restart more: then it is the last
    state with the reason of its end, and what it had before counts.
    """
    before = {each["name"]: each for each in _statuses(old)}
    for status in _statuses(new):
        was = before.get(status["name"])
        if was is None:
            continue
        restarted = (status.get("restartCount") or 0) > (was.get("restartCount") or 0)
        ended, had_ended = _state(status, "terminated"), _state(was, "terminated")
        if ended is not None and ended.get("reason") == KILLED and (not had_ended or restarted):
            yield _oom(new, new, status["name"], ended)
            continue
        last = (status.get("lastState") or {}).get("terminated")
        runs = _state(status, "running") is not None and _state(was, "running") is not None
        if runs and restarted and last is not None and last.get("reason") == KILLED:
            yield _oom(new, old, status["name"], last)


def _statuses(pod: Json) -> list[Json]:
    statuses: list[Json] = (pod.get("status") or {}).get("containerStatuses") or []
    return statuses


def _state(status: Json, name: str) -> Json | None:
    state: Json | None = (status.get("state") or {}).get(name)
    return state


def _oom(pod: Json, had: Json, container: str, ended: Json) -> Oom:
    requests, _ = container_resources.resources_of(had, container)
    finished = ended.get("finishedAt")
    return Oom(
        pod["metadata"]["namespace"],
        pod["metadata"]["name"],
        container,
        quantity.value_of(requests.get("memory")),
        timestamps.parse_time(finished) if finished else 0,
    )
