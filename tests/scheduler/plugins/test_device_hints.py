"""What brings a pod back that did not get its devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource
from tests.scheduler.devices import machines
from tests.scheduler.plugins.device_stages import Stage, pod, stage

if TYPE_CHECKING:
    from kubestage.aliases import Json

GIVEN = {"allocation": machines.allocation(machines.result("gpu-0"))}


def hint(there: Stage, resource: EventResource, old: Json | None, new: Json | None) -> bool:
    """Whether a change to an object of a sort brings the pod back."""
    (found,) = [
        each for each in there.plugin.events_to_register() if each.event.resource is resource
    ]
    return found.hint is None or found.hint(there.pod(), old, new)


def claim_hint(there: Stage, old: Json | None, new: Json) -> bool:
    return hint(there, EventResource.RESOURCE_CLAIM, old, new)


@pytest.mark.parametrize(
    ("resource", "action"),
    [
        (EventResource.NODE, ActionType.ADD),
        (EventResource.NODE, ActionType.UPDATE_NODE_LABEL),
        (EventResource.NODE, ActionType.UPDATE_NODE_ALLOCATABLE),
        (EventResource.DEVICE_CLASS, ActionType.ADD),
        (EventResource.RESOURCE_SLICE, ActionType.UPDATE),
    ],
)
def test_new_nodes_classes_and_slices_always_help(
    resource: EventResource, action: ActionType
) -> None:
    there = stage(machines.claim(), pod("claim"))
    events = [each for each in there.plugin.events_to_register() if each.hint is None]
    assert any(each.event.matches(ClusterEvent(resource, action)) for each in events)


def test_taints_of_nodes_do_not_help() -> None:
    events = stage(pod()).plugin.events_to_register()
    taint = ClusterEvent(EventResource.NODE, ActionType.UPDATE_NODE_TAINT)
    assert not any(each.event.matches(taint) for each in events)


def test_devices_of_any_claim_that_come_free_help() -> None:
    there = stage(machines.claim(), pod("claim"))
    assert claim_hint(there, machines.claim("other", status=GIVEN), machines.claim("other"))


def test_other_changes_to_other_claims_do_not_help() -> None:
    there = stage(machines.claim(), pod("claim"))
    assert not claim_hint(there, None, machines.claim("other"))
    assert not claim_hint(there, machines.claim("other"), machines.claim("other", status=GIVEN))


def test_the_pods_own_claim_helps_when_it_comes_or_its_status_changes() -> None:
    there = stage(machines.claim(), pod("claim"))
    assert claim_hint(there, None, machines.claim())
    assert claim_hint(there, machines.claim(), machines.claim("claim", status=GIVEN))
    relabelled = machines.claim("claim", metadata={"labels": {"a": "b"}})
    assert not claim_hint(there, machines.claim(), relabelled)


def test_nothing_helps_while_one_of_the_claims_is_missing() -> None:
    there = stage(machines.claim(), pod("claim", "missing"))
    assert not claim_hint(there, None, machines.claim())
    assert not claim_hint(there, machines.claim("other", status=GIVEN), machines.claim("other"))


def test_a_pod_comes_back_when_its_claims_are_named() -> None:
    claims = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
    owner = {"kind": "Pod", "name": "incoming", "uid": "incoming", "controller": True}
    made = machines.claim("made", metadata={"ownerReferences": [owner]})
    waiting = pod(resourceClaims=claims)
    there = stage(made, waiting)
    named = {
        **waiting,
        "status": {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "made"}]},
    }
    assert hint(there, EventResource.POD, waiting, named)
    assert not hint(there, EventResource.POD, waiting, waiting)
    stranger = {**named, "metadata": {**named["metadata"], "uid": "stranger"}}
    assert not hint(there, EventResource.POD, waiting, stranger)
