"""Mutations of failures: a node is lost or cordoned, and may be back later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scenario.resource import CREATE, DELETE, PATCH
from kubestage.sweep.worst import case as cases
from kubestage.sweep.worst import pod_specs
from kubestage.sweep.worst.case import APPLY, CaseEvent

if TYPE_CHECKING:
    import random

    from kubestage.aliases import Json
    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits

FAILS_AFTER: Final = "kubestage.dev/fails-after"
RECOVERS_AFTER: Final = "kubestage.dev/recovers-after"
_CORDON, _UNCORDON = ('{"spec": {"unschedulable": true}}', '{"spec": {"unschedulable": false}}')


class Fail:
    """A node that nothing has happened to fails."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:
        """Have one fail."""
        if len(failing(case)) >= limits.failures or not limits.outages:
            return None
        touched = {each.target for each in case.events if _is_touching(each)}
        known = [
            (place, node)
            for place, node in case.nodes()
            if node["metadata"]["name"] in limits.failing
            and case.events[place].target not in touched
            and FAILS_AFTER not in (node["metadata"].get("annotations") or {})
            and case.events[place].at < limits.end
        ]
        if not known:
            return None
        place, node = stream.choice(known)
        first = max(case.events[place].at + 1, limits.times.low)
        at = stream.randint(first, max(first, limits.end))
        back = None
        if limits.returns and at < limits.end and stream.random() < 0.5:
            back = stream.randint(at + 1, limits.end)
        kind = stream.choice(limits.outages)
        if kind == "lost" and limits.is_living:
            return case.replaced(place, case.events[place].with_object(_failing(node, at, back)))
        body = case.events[place].body
        events = _cordon(node, at, back, limits) if kind == "cordoned" else _lose(body, at, back)
        return cases.arranged((*case.events, *events))


class Recover:
    """A node that fails does not, after all."""

    def __call__(self, case: Case, stream: random.Random, limits: Limits) -> Case | None:  # noqa: ARG002
        """Have one recover."""
        found = failing(case)
        if not found:
            return None
        chosen = stream.choice(found)
        for place, node in case.nodes():
            annotations = node["metadata"].get("annotations") or {}
            if node["metadata"]["name"] == chosen and FAILS_AFTER in annotations:
                return case.replaced(place, case.events[place].with_object(sound(node)))
        return case.without([at for at, each in enumerate(case.events) if each.tag == chosen])


def failing(case: Case) -> list[str]:
    """The nodes that fail."""
    tagged = [each.tag for each in case.events if each.tag]
    marked = [
        str(node["metadata"]["name"])
        for _, node in case.nodes()
        if FAILS_AFTER in (node["metadata"].get("annotations") or {})
    ]
    return list(dict.fromkeys([*tagged, *marked]))


def sound(node: Json) -> Json:
    """The node without the annotations by which it fails."""
    annotations = node["metadata"].get("annotations") or {}
    kept = {
        key: value for key, value in annotations.items() if key not in (FAILS_AFTER, RECOVERS_AFTER)
    }
    return pod_specs.changed(node, ("metadata", "annotations"), lambda _: kept)


def _is_touching(event: CaseEvent) -> bool:
    """Whether something is done to a node that is there."""
    is_later = event.operation in (PATCH, DELETE, APPLY) or bool(event.tag)
    return event.target.kind == "Node" and is_later


def _failing(node: Json, at: int, back: int | None) -> Json:
    """A node of a living run that fails; without a time to recover it does not."""
    notes = {FAILS_AFTER: f"{at}s"}
    notes |= {} if back is None else {RECOVERS_AFTER: f"{back - at}s"}
    return pod_specs.changed(
        node, ("metadata", "annotations"), lambda before: {**(before or {}), **notes}
    )


def _lose(body: Json, at: int, back: int | None) -> list[CaseEvent]:
    """A node that is deleted, and may be created again as it was."""
    name = str(body["object"]["metadata"]["name"])
    events = [CaseEvent(at, DELETE, _reference(name), name)]
    if back is not None:
        events.append(CaseEvent(back, CREATE, body, name))
    return events


def _cordon(node: Json, at: int, back: int | None, limits: Limits) -> list[CaseEvent]:
    name = str(node["metadata"]["name"])
    times = [(at, True)] if back is None else [(at, True), (back, False)]
    if limits.is_living:
        return [CaseEvent(when, APPLY, {"object": _cordoned(node, is_on)}, name)
                for when, is_on in times]  # fmt: skip
    return [
        CaseEvent(when, PATCH, {**_reference(name), "patch": _CORDON if is_on else _UNCORDON}, name)
        for when, is_on in times
    ]


def _cordoned(node: Json, is_on: bool) -> Json:
    """What is applied to cordon a node, or to end that."""
    metadata = {"name": node["metadata"]["name"], "labels": node["metadata"].get("labels") or {}}
    spec = {**(node.get("spec") or {}), "unschedulable": is_on}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec}


def _reference(name: str) -> Json:
    return {"typeMeta": {"apiVersion": "v1", "kind": "Node"}, "objectMeta": {"name": name}}
