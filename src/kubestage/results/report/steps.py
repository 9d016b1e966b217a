"""The timeline, step by step: operations, and pods that are scheduled, preempted or pending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.results.report.rows import PageTexts


_POD_EVENTS: Final = {
    "podScheduled": "scheduled",
    "podPreempted": "preempted",
    "podUnscheduled": "pending",
}
_CHANGES: Final = {"create": "created", "patch": "patched", "delete": "deleted"}
_ORDER: Final = (*_CHANGES.values(), *_POD_EVENTS.values())


def happened(scenario: Json, texts: PageTexts) -> list[Json]:
    """What happened in each step, as numbers of texts, by sort of event.

    Created, patched, deleted: kind and name. Scheduled: pod and node. Preempted: pod, node and
    preemptor. Pending: pod and reason. The step in which the Scenario failed has the reason.
    """
    status = scenario["status"]
    result = status["scenarioResult"]
    timeline = sorted((result.get("timeline") or {}).items(), key=lambda item: int(item[0]))
    steps = []
    for step, events in timeline:
        groups: Json = {}
        for event in _without_evictions(events or ()):
            for sort, row in _rows(event, texts):
                groups.setdefault(sort, []).append(row)
        is_done = any("done" in event for event in events or ())
        steps.append({"step": int(step), "done": is_done, **groups})
    if steps and status.get("phase") == "Failed":
        steps[-1]["failed"] = texts.number(status.get("message") or "failed")
    return steps


def _without_evictions(events: Iterable[Json]) -> Iterator[Json]:
    """The events of a step without the deletions of the victims of a preemption."""
    victims: set[tuple[str, str]] = set()
    for event in events:
        if event.get("podPreempted"):
            pod = event["podPreempted"].get("pod") or {}
            victims.add(("Pod", _name(pod.get("metadata") or {})))
        elif event.get("delete") and _subject(event["delete"]) in victims:
            victims.remove(_subject(event["delete"]))
            continue
        yield event


def _rows(event: Json, texts: PageTexts) -> Iterator[tuple[str, list[int | None]]]:
    for field, sort in _CHANGES.items():
        if event.get(field):
            kind, name = _subject(event[field])
            yield sort, [texts.number(kind), texts.number(name)]
    for field, sort in _POD_EVENTS.items():
        if event.get(field):
            yield sort, _pod_row(sort, event[field], texts)


def _pod_row(sort: str, result: Json, texts: PageTexts) -> list[int | None]:
    pod = texts.number(_name((result.get("pod") or {}).get("metadata") or {}))
    node = texts.number(result.get("boundTo"))
    if sort == "scheduled":
        return [pod, node]
    if sort == "preempted":
        return [pod, node, texts.number(result.get("preemptedBy"))]
    attempts = result.get("scheduleResult") or [{}]
    return [pod, texts.number(attempts[-1].get("message") or _condition(result["pod"]))]


def _condition(pod: Json) -> str:
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "PodScheduled":
            return str(condition.get("message") or "")
    return ""


def _subject(change: Json) -> tuple[str, str]:
    operation = change.get("operation") or {}
    obj = change.get("result") or operation.get("object")
    if obj:
        return str(obj.get("kind") or ""), _name(obj.get("metadata") or {})
    kind = (operation.get("typeMeta") or {}).get("kind") or ""
    return str(kind), _name(operation.get("objectMeta") or {})


def _name(metadata: Json) -> str:
    namespace, name = metadata.get("namespace"), str(metadata.get("name") or "")
    return f"{namespace}/{name}" if namespace else name


def outline(steps: list[Json]) -> Html:
    """Each step in a line; what is below is laid out when it is opened."""
    if not steps:
        return element("div", "Nothing happened.", class_="fine card")
    sorts = [sort for sort in _ORDER if any(sort in step for step in steps)]
    lines = [_line(step, at, sorts) for at, step in enumerate(steps)]
    return element("div", *lines, class_="card")


def _line(step: Json, at: int, sorts: list[str]) -> Html:
    """A step with a place for each sort of event, so that those of all steps line up."""
    tallies = [
        element("span", element("b", f"{len(step[sort]):,}"), f" {sort}", class_=f"tally {sort}")
        if sort in step
        else element("span", class_="tally")
        for sort in sorts
    ]
    if step["done"]:
        tallies.append(element("span", "done", class_="tally"))
    if "failed" in step:
        tallies.append(element("span", "failed", class_="tally failed"))
    summary = element("summary", element("b", f"Step {step['step']:,}"), *tallies)
    return element("details", summary, element("div", class_="happened"), class_="step", data_at=at)
