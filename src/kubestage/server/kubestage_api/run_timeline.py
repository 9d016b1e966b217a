"""What happened in a Scenario, in a few words for each event of its timeline."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest
from kubestage.server.kubestage_api import runs
from kubestage.server.kubestage_api.editing_shapes import Timeline, TimelineRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.server.kubestage_api.call import ApiCall

_USUAL: Final = 1000
_MOST: Final = 10_000
_POD_FIELDS: Final = {
    "PodScheduled": "podScheduled",
    "PodUnscheduled": "podUnscheduled",
    "PodPreempted": "podPreempted",
}


async def get(call: ApiCall) -> Timeline:
    """The timeline of a Scenario as it is now; empty while there is no result."""
    step = _number(call, "step", None)
    limit = _number(call, "limit", _USUAL)
    scenario = runs.find_scenario(call)
    result = ((scenario or {}).get("status") or {}).get("scenarioResult") or {}
    # Large ones take a while, and nothing of what is stored ever changes.
    rows = await asyncio.to_thread(_rows, result.get("timeline") or {}, step)
    return Timeline(rows=rows[: min(limit or _USUAL, _MOST)], total=len(rows))


def _number(call: ApiCall, name: str, default: int | None) -> int | None:
    text = call.request.parameter(name)
    if not text:
        return default
    if not text.isascii() or not text.isdigit():
        raise BadRequest(f'{name}: "{text}" is not a whole number')
    return int(text)


def _rows(timeline: Json, step: int | None) -> list[TimelineRow]:
    steps = sorted(timeline, key=int)
    chosen = [each for each in steps if step is None or int(each) == step]
    return [_row(event) for each in chosen for event in timeline[each]]


def _row(event: Json) -> TimelineRow:
    operation = event["operation"]
    field = _POD_FIELDS.get(operation)
    if field is not None:
        return _pod_row(event, event[field])
    done = event.get(operation.lower()) or {}
    return TimelineRow(
        step=event["step"],
        id=event["id"],
        operation=operation,
        object=_object(done),
        pod=_pod_key(done),
    )


def _pod_row(event: Json, result: Json) -> TimelineRow:
    metadata = result["pod"]["metadata"]
    attempts = result.get("scheduleResult") or []
    by = result.get("preemptedBy")
    last = attempts[-1].get("message") or "" if attempts else ""
    return TimelineRow(
        step=event["step"],
        id=event["id"],
        operation=event["operation"],
        object=f"Pod {metadata['namespace']}/{metadata['name']}",
        pod=f"{metadata['namespace']}/{metadata['name']}",
        node=result.get("boundTo"),
        attempts=len(attempts),
        message=f"preempted by {by}" if by else last if not result.get("boundTo") else "",
    )


def _object(done: Json) -> str:
    """Kind and name of what an operation was about; nothing for the end."""
    return " ".join(part for part in _names(done) if part)


def _names(done: Json) -> Iterator[str]:
    operation = done.get("operation") or {}
    obj = done.get("result") or operation.get("object") or {}
    metadata = obj.get("metadata") or operation.get("objectMeta") or {}
    yield str(obj.get("kind") or (operation.get("typeMeta") or {}).get("kind") or "")
    namespace, name = metadata.get("namespace"), metadata.get("name") or ""
    yield f"{namespace}/{name}" if namespace else name


def _pod_key(done: Json) -> str | None:
    kind, _, key = _object(done).partition(" ")
    if kind != "Pod":
        return None
    return key if "/" in key else f"default/{key}"
