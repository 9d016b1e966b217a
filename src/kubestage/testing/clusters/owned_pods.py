"""The pods of an object: of a workload, of whatever owns workloads, or behind a Service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk, labels

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store

# Owners come before what they own.
_OWNED: Final = (
    gvk.CRON_JOB, gvk.DEPLOYMENT, gvk.STATEFUL_SET, gvk.DAEMON_SET, ("batch/v1", "Job"),
    gvk.REPLICA_SET, ("v1", "ReplicationController"),
)  # fmt: skip


def of(store: Store, obj: Json, selector: str = "") -> list[Json]:
    """The pods that an object owns, directly or through others, with these labels."""
    if (obj["apiVersion"], obj["kind"]) == gvk.POD:
        return [obj]
    if (obj["apiVersion"], obj["kind"]) == gvk.SERVICE:
        required = labels.selector_from_set(obj["spec"].get("selector") or {})
        here = obj["metadata"]["namespace"]
        found = [
            pod
            for pod in store.read(gvk.POD).values()
            if pod["metadata"]["namespace"] == here
            and required.matches(pod["metadata"].get("labels") or {})
        ]
    else:
        found = _owned(store, obj["metadata"]["uid"])
    chosen = labels.parse(selector)
    return [pod for pod in found if chosen.matches(pod["metadata"].get("labels") or {})]


def _owned(store: Store, uid: str) -> list[Json]:
    uids = {uid}
    for kind in _OWNED:
        for each in store.read(kind).values():
            if uids & _owners(each):
                uids.add(each["metadata"]["uid"])
    return [pod for pod in store.read(gvk.POD).values() if uids & _owners(pod)]


def _owners(obj: Json) -> set[str]:
    return {each["uid"] for each in obj["metadata"].get("ownerReferences") or ()}
