"""Pods that have no node at the end of a living run, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


NAMED: Final = 3
"""So many pods of one reason are named."""

_OVER: Final = ("Succeeded", "Failed")
_UNTRIED: Final = "no reason is given: it has not been tried yet, or is still being bound"


def of(store: Store) -> Json:
    """How many pods wait for a node, of how many that are there, and the reasons, by frequency."""
    total, groups = 0, dict[str, list[str]]()
    for key, pod in store.read(gvk.POD).items():
        if (pod.get("status") or {}).get("phase") in _OVER:
            continue
        total += 1
        if not pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"]:
            groups.setdefault(reason_of(pod), []).append(key)
    reasons = sorted(groups.items(), key=lambda each: -len(each[1]))
    return {
        "pods": sum(map(len, groups.values())),
        "of": total,
        "reasons": [
            {"reason": reason, "pods": len(keys), "named": keys[:NAMED]} for reason, keys in reasons
        ],
    }


def headline(pending: Json) -> str:
    """``5 of 8 pods are pending``; empty if none is."""
    number, total = pending["pods"], pending["of"]
    if not number:
        return ""
    if total == 1:
        return "The only pod is pending"
    return f"{number:,} of {total:,} pods {'is' if number == 1 else 'are'} pending"


def named(reason: Json) -> str:
    """``default/web-1, default/web-2 and 3 more``."""
    more = reason["pods"] - len(reason["named"])
    names = ", ".join(reason["named"])
    return f"{names} and {more:,} more" if more else names


def reason_of(pod: Json) -> str:
    """Why a pod has no node, as far as that is known."""
    gates = pod["spec"].get("schedulingGates") or ()
    if gates:
        return f"held back by its gates: {', '.join(str(each.get('name')) for each in gates)}"
    for condition in (pod.get("status") or {}).get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition.get("message"):
            return str(condition["message"])
    return _UNTRIED
