"""What may help a pod that did not get its devices."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.devices import pod_claims
from kubestage.scheduler.devices.allocated import allocation_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister


def of(lister: Lister) -> Sequence[EventHint]:
    """The events that DynamicResources waits for."""
    change = ActionType.ADD | ActionType.UPDATE
    node_change = ActionType.ADD | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_ALLOCATABLE
    generated = ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM
    after_claim_change = functools.partial(_after_claim_change, lister)
    after_pod_change = functools.partial(_after_pod_change, lister)
    return [
        EventHint(ClusterEvent(EventResource.NODE, node_change)),
        EventHint(ClusterEvent(EventResource.RESOURCE_CLAIM, change), after_claim_change),
        EventHint(ClusterEvent(EventResource.POD, generated), after_pod_change),
        EventHint(ClusterEvent(EventResource.DEVICE_CLASS, change)),
        EventHint(ClusterEvent(EventResource.RESOURCE_SLICE, change)),
    ]


def _after_claim_change(lister: Lister, pod: PodView, old: Json | None, new: Json | None) -> bool:
    """Devices came free, or the change is to a claim of the pod itself."""
    assert new is not None, "claims are waited for to come or to change"
    claims = pod_claims.find(lister, pod)
    if isinstance(claims, str):
        return False
    if old is not None and allocation_of(old) and not allocation_of(new):
        return True
    uid = new["metadata"].get("uid")
    if all(claim["metadata"].get("uid") != uid for claim in claims):
        return False
    return old is None or (old.get("status") or {}) != (new.get("status") or {})


def _after_pod_change(lister: Lister, pod: PodView, old: Json | None, new: Json | None) -> bool:
    """The claims that the pod waits for were made."""
    del old
    if new is None or new["metadata"].get("uid") != pod.uid:
        return False
    return not isinstance(pod_claims.find(lister, pod_views.of(new)), str)
