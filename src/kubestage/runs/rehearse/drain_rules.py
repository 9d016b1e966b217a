"""Which pods of a node ``kubectl drain`` evicts, which it leaves, and which keep it from starting.

The rules and their order are kubectl's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.controllers.ownership import controller_of
from kubestage.objects import gvk

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store

DAEMON_SET: Final = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)"
LOCAL_STORAGE: Final = "Pods with local storage (use --delete-emptydir-data to override)"
UNMANAGED: Final = "Pods that declare no controller (use --force to override)"
_MIRROR: Final = "kubernetes.io/config.mirror"
_OVER: Final = ("Succeeded", "Failed")

Verdict = Literal["evict", "leave", "refuse"]


class DrainRules(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of ``kubectl drain`` that decide about pods."""

    force: bool = False
    ignore_daemonsets: bool = False
    delete_emptydir_data: bool = False
    pod_selector: str = ""


class PodVerdict(msgspec.Struct, frozen=True):
    """What a drain does with one pod."""

    key: str
    uid: str
    verdict: Verdict
    reason: str = ""
    """Why a pod keeps the drain from starting."""
    loses_data: bool = False
    """Whether it has emptyDir volumes that go with it."""
    is_unowned: bool = False
    """Whether it is not replaced."""


def verdicts(store: Store, node: str, rules: DrainRules) -> list[PodVerdict]:
    """What becomes of each pod on a node, in the order of their names."""
    found = store.list(
        gvk.POD, label_selector=rules.pod_selector, field_selector=f"spec.nodeName={node}"
    ).items
    return [_verdict(store, pod, rules) for pod in found]


def loses_data(pod: Json) -> bool:
    """Whether a pod has an emptyDir volume."""
    return any("emptyDir" in each for each in pod["spec"].get("volumes") or ())


def _verdict(store: Store, pod: Json, rules: DrainRules) -> PodVerdict:
    metadata = pod["metadata"]
    key, uid = f"{metadata['namespace']}/{metadata['name']}", metadata["uid"]
    is_orphan = False
    is_over = (pod.get("status") or {}).get("phase") in _OVER
    owner = controller_of(pod)
    if owner is not None and _is_daemon(owner) and not is_over:
        if f"{metadata['namespace']}/{owner['name']}" in store.read(gvk.DAEMON_SET):
            if rules.ignore_daemonsets:
                return PodVerdict(key, uid, "leave")
            return PodVerdict(key, uid, "refuse", DAEMON_SET)
        if not rules.force:
            why = f'daemonsets.apps "{owner["name"]}" not found'
            return PodVerdict(key, uid, "refuse", why)
        is_orphan = True
    if _MIRROR in (metadata.get("annotations") or {}):
        return PodVerdict(key, uid, "leave")
    if is_over:
        return PodVerdict(key, uid, "evict")
    if loses_data(pod) and not rules.delete_emptydir_data:
        return PodVerdict(key, uid, "refuse", LOCAL_STORAGE)
    if owner is None and not rules.force:
        return PodVerdict(key, uid, "refuse", UNMANAGED)
    is_unowned = owner is None or is_orphan
    return PodVerdict(key, uid, "evict", loses_data=loses_data(pod), is_unowned=is_unowned)


def _is_daemon(owner: Json) -> bool:
    return (owner["apiVersion"], owner["kind"]) == gvk.DAEMON_SET


def refusals(found: list[PodVerdict]) -> list[str]:
    """Why a drain does not start, as kubectl words it: each reason once, with its pods."""
    reasons: dict[str, list[str]] = {}
    for each in found:
        if each.verdict == "refuse":
            reasons.setdefault(each.reason, []).append(each.key)
    return [f"cannot delete {reason}: {', '.join(keys)}" for reason, keys in reasons.items()]
