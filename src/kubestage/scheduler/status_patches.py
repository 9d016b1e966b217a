"""Small changes of a pod's status, written as what a patch would make of it.

A scheduler writes again and again why pods are pending, where room is being made for them, and
which pods are preempted for that. A patch would default, validate and compare the whole pod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.store import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.store.store import Store


_SCHEDULER_CONDITIONS: Final = ("PodScheduled", "DisruptionTarget")
_TIMES: Final = ("lastProbeTime", "lastTransitionTime")
_AS_STORED: Final = (
    "type", "status", "lastTransitionTime", "reason", "message", "observedGeneration",
    "lastProbeTime",
)  # fmt: skip
_FIELDS: Final = frozenset({"type", "observedGeneration", "status", *_TIMES, "reason", "message"})


def reword(store: Store, pod: PodView, reason: str, message: str) -> bool:
    """Change only the message of the condition that a pod waits for a node, and why.

    Whether that was possible; what is stored is then what `merge` would make of the condition.

    NOTE: this happens at each attempt that fails, and takes a third of the time of `merge`
    (benchmarks/karpenter_day.py).
    """
    key, found = pod.key, pod.raw
    metadata, status = found["metadata"], found.get("status") or {}
    conditions: list[Json] = status.get("conditions") or []
    if len(conditions) != 1 or not message or not store.uses_templates:
        return False
    old = conditions[0]
    if (
        tuple(old) != _AS_STORED
        or old["message"] == message
        or (old["type"], old["status"], old["reason"]) != ("PodScheduled", "False", reason)
        or old["observedGeneration"] != metadata.get("generation")
        or old["lastProbeTime"] is not None
        or store.pods.objects.get(key) is not found
        or "nodeName" in found["spec"]
        or "deletionTimestamp" in metadata
    ):
        return False
    new = old.copy()
    new["message"] = message
    replacing.record_message(store, key, {**status, "conditions": [new]})
    store.settle()
    return True


def merge(store: Store, pod: PodView, changes: Json) -> None:
    """Merge into a pod's status: conditions, and its nominated node; else patch.

    NOTE: a patch takes nine times as long (63 us, not 7), and for each preemption there are four.
    """
    key = f"{pod.namespace}/{pod.name}"
    found = store.read(gvk.POD).get(key)
    merged = None
    if found is not None and store.uses_templates and "deletionTimestamp" not in found["metadata"]:
        merged = _merged(store, found, changes)
    if found is None or merged is None:
        store.patch(gvk.POD, pod.name, {"status": changes}, pod.namespace, subresource="status")
    else:
        is_reworded = len(changes) == 1 and _is_reworded(found, merged)
        row = store.kind(gvk.POD)
        replacing.record_status(store, row, key, merged, is_reworded=is_reworded)
        store.settle()


def _merged(store: Store, pod: Json, changes: Json) -> Json | None:
    """The status with the changes; None if these are others than the scheduler's own."""
    merged = dict(pod.get("status") or {})
    for key, value in changes.items():
        if key == "conditions":
            conditions = _conditions(merged.get(key) or (), value)
            if conditions is None:
                return None
            merged[key] = conditions
        elif key != "nominatedNodeName":
            return None
        elif value is None:
            merged.pop(key, None)
        elif value not in store.read(gvk.NODE) or pod["spec"].get("nodeName"):
            return None
        else:
            merged[key] = value
    return merged


def _is_reworded(pod: Json, status: Json) -> bool:
    """Whether a pod waits as before, and only the message of one condition is another."""
    before = (pod.get("status") or {}).get("conditions") or ()
    after = status.get("conditions") or ()
    if len(before) != len(after) or "nodeName" in pod["spec"]:
        return False
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old is not new]
    if len(changed) != 1:
        return False
    old, new = changed[0]
    return {**old, "message": ""} == {**new, "message": ""}


def _conditions(old: Sequence[Json], new: Sequence[Json]) -> list[Json] | None:
    """Conditions as they are stored; None if there is more to them than meets the eye."""
    known = set(map(id, old))
    observed = {each.get("type"): each.get("observedGeneration") for each in old}
    found = []
    for each in new:
        kind = each.get("type")
        if observed.get(kind) and not each.get("observedGeneration"):
            # What a condition was about is not forgotten.
            return None
        if id(each) in known:
            found.append(each)
        elif kind in _SCHEDULER_CONDITIONS and each.keys() <= _FIELDS:
            found.append(_stored(each))
        else:
            return None
    return found or None


def _stored(condition: Json) -> Json:
    """A condition without what is empty, but with its times, which are always there."""
    stored = {key: value for key, value in condition.items() if value}
    for key in _TIMES:
        stored.setdefault(key, None)
    return stored
