"""DynamicResources: which nodes can meet a pod's claims, and what pods are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.scheduler.devices.allocated import allocation_of
from kubestage.scheduler.diagnosis import Diagnosis
from kubestage.scheduler.status import SKIP, SUCCESS, error, unresolvable, unschedulable
from tests.reference import dynamic_resources as reference
from tests.scheduler.devices import machines, worlds
from tests.scheduler.plugins import clusters
from tests.scheduler.plugins.device_stages import (
    CANNOT_ALLOCATE,
    NOT_AVAILABLE,
    allocated,
    gpus,
    pod,
    stage,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json


@settings(max_examples=60)
@given(st.data())
def test_verdicts_are_those_of_the_reference(data: st.DataObject) -> None:
    nodes = machines.nodes(3)
    slices = data.draw(worlds.slices(len(nodes)))
    claims = data.draw(worlds.claims())
    old = data.draw(worlds.allocated(slices))
    names = [claim["metadata"]["name"] for claim in claims]
    there = stage(*worlds.CLASSES[1:], *slices, *claims, *old, pod(*names), nodes=nodes)
    results = [each for claim in old for each in (allocation_of(claim) or {})["devices"]["results"]]
    classes = {each["metadata"]["name"]: each for each in worlds.CLASSES}
    cluster = reference.Cluster(slices, classes, results, worlds.matches)
    verdicts = clusters.verdicts(there.plugin, there.pod(), there.columns)
    for node, verdict in zip(nodes, verdicts, strict=True):
        expected = reference.allocate(cluster, claims, node)
        if not isinstance(expected, str):
            assert verdict == SUCCESS
        elif expected == "error":
            assert verdict.code is error().code
        else:
            assert verdict == unresolvable(expected)


def test_a_pod_without_claims_is_none_of_its_business() -> None:
    there = stage(gpus(), pod())
    assert there.filter() == SKIP
    assert there.scores() == ([0, 0], [0, 0])
    assert there.post_filter() == unschedulable("no new claims to deallocate")
    assert there.bind() == SUCCESS
    there.plugin.unreserve(there.state, there.pod(), "n0")
    assert there.plugin.pre_enqueue(there.pod()) == SUCCESS


def test_without_a_look_at_the_pod_there_is_nothing_to_say() -> None:
    there = stage(pod())
    assert there.post_filter() == error("not found")
    assert there.bind() == SUCCESS
    assert there.scores() == ([0, 0], [0, 0])
    there.plugin.unreserve(there.state, there.pod(), "n0")


def test_a_claim_goes_where_devices_are() -> None:
    there = stage(gpus("n1"), machines.claim(), pod("claim"))
    assert there.filter() == {"n0": CANNOT_ALLOCATE, "n1": ""}


def test_an_allocated_claim_keeps_its_pods_together() -> None:
    there = stage(gpus(), allocated(users=["other"]), pod("claim"))
    assert there.filter() == {"n0": "", "n1": NOT_AVAILABLE}


def test_a_claim_that_cannot_be_allocated_speaks_before_one_that_is_elsewhere() -> None:
    there = stage(gpus(), allocated(), machines.claim("new"), pod("claim", "new"))
    assert there.filter() == {"n0": CANNOT_ALLOCATE, "n1": CANNOT_ALLOCATE}


def test_invalid_pools_are_told_only_where_nothing_else_helps() -> None:
    twice = [
        machines.resource_slice(name, machines.devices(1), node="n0", pool="p", count=2)
        for name in "ab"
    ]
    there = stage(*twice, machines.claim(), pod("claim"))
    assert there.filter() == {
        "n0": "invalid resource pools were encountered",
        "n1": CANNOT_ALLOCATE,
    }


def test_an_error_in_a_claim_is_an_error_on_the_node() -> None:
    broken = machines.request("r0", 1, "gpu", "device.attributes['a'].b")
    there = stage(gpus(), machines.claim("claim", broken), pod("claim"))
    verdict, _ = clusters.verdicts(there.plugin, there.pod(), there.columns)
    assert verdict == error("claim default/claim: selector #0: CEL runtime error: no such key: b")


def test_the_filter_timeout_is_counted_in_steps() -> None:
    hopeless = machines.claim("claim", machines.request("r0", 9))
    there = stage(gpus("n0", 8), hopeless, pod("claim"), filterTimeout="20us")
    found = there.filter()
    assert isinstance(found, dict)
    assert found["n0"] == "node n0: timed out trying to allocate devices"


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        (
            machines.claim("claim", machines.request("r0", 1, "gone")),
            unresolvable("request r0: device class gone does not exist"),
        ),
        (
            machines.claim(
                "claim", machines.first_of("r0", a=machines.wish(), b=machines.wish(1, "x"))
            ),
            unresolvable("request r0/b: device class x does not exist"),
        ),
        (
            machines.claim("claim", {"name": "r0"}),
            unresolvable("resource claim default/claim, request r0: unknown request type"),
        ),
        (
            machines.claim("claim", machines.request("r0", 1, "")),
            error("request r0: unsupported request type"),
        ),
        (
            machines.claim("claim", metadata={"deletionTimestamp": "2026-06-01T00:00:00Z"}),
            unresolvable('resourceclaim "claim" is being deleted'),
        ),
        (
            machines.claim("other"),
            unresolvable('could not find ResourceClaim "default/claim"'),
        ),
    ],
)  # fmt: skip
def test_what_keeps_a_pod_from_all_nodes(claim: Json, told: Any) -> None:
    there = stage(gpus(), claim, pod("claim"))
    assert there.filter() == told
    assert there.post_filter() == unschedulable("no new claims to deallocate")


def test_a_malformed_selector_in_an_allocation_is_an_error() -> None:
    claim = allocated()
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "Near"}]}]
    claim["status"]["allocation"]["nodeSelector"] = {"nodeSelectorTerms": terms}
    found = stage(claim, pod("claim")).filter()
    assert not isinstance(found, dict)
    assert found.code is error().code


def templated(**status: Any) -> Json:
    """A pod whose claim is made from a template."""
    claims = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
    return pod(resourceClaims=claims, status=status)


def owned(uid: str) -> Json:
    """A claim that was made for a pod."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "incoming", "uid": uid, "controller": True}
    return machines.claim("made", metadata={"ownerReferences": [owner]})


@pytest.mark.parametrize(
    ("waiting", "told"),
    [
        (templated(), 'pod "default/incoming": ResourceClaim not created yet'),
        (
            templated(resourceClaimStatuses=[{"name": "gpu", "resourceClaimName": "made"}]),
            (
                "ResourceClaim default/made was not created for Pod default/incoming "
                "(Pod is not owner)"
            ),
        ),
        (
            pod(resourceClaims=[{"name": "gpu"}]),
            (
                'pod "default/incoming", spec.resourceClaim "gpu": '
                "none of the supported fields are set"
            ),
        ),
        (pod("gone"), 'could not find ResourceClaim "default/gone"'),
    ],
)
def test_a_pod_waits_for_its_claims_before_it_is_queued(waiting: Json, told: str) -> None:
    there = stage(gpus(), owned("somebody"), waiting)
    assert there.plugin.pre_enqueue(there.pod()) == unresolvable(told)
    assert there.filter() == unresolvable(told)


def test_a_claim_that_nobody_owns_was_not_made_for_the_pod() -> None:
    made = [{"name": "gpu", "resourceClaimName": "made"}]
    there = stage(machines.claim("made"), templated(resourceClaimStatuses=made))
    assert "(Pod is not owner)" in there.plugin.pre_enqueue(there.pod()).message


def test_a_claim_made_from_a_template_is_used() -> None:
    made = [{"name": "gpu", "resourceClaimName": "made"}]
    there = stage(gpus(), owned("incoming"), templated(resourceClaimStatuses=made))
    assert there.plugin.pre_enqueue(there.pod()) == SUCCESS
    assert there.filter() == {"n0": "", "n1": CANNOT_ALLOCATE}


def test_a_claim_that_was_deliberately_not_made_is_left_out() -> None:
    there = stage(templated(resourceClaimStatuses=[{"name": "gpu"}]))
    assert there.filter() == SKIP


def test_an_unused_claim_in_the_wrong_place_is_freed() -> None:
    there = stage(gpus(), allocated(node="gone"), pod("claim"))
    assert there.filter() == {"n0": NOT_AVAILABLE, "n1": NOT_AVAILABLE}
    assert there.post_filter() == unschedulable("deallocation of ResourceClaim completed")
    assert "allocation" not in there.cluster.claim()["status"]
    assert there.filter() == {"n0": "", "n1": CANNOT_ALLOCATE}


def test_a_claim_that_only_the_pod_itself_uses_is_freed_too() -> None:
    there = stage(gpus(), allocated(node="gone", users=["incoming"]), pod("claim"))
    there.filter()
    assert there.post_filter() == unschedulable("deallocation of ResourceClaim completed")


@pytest.mark.parametrize("users", [["other"], ["incoming", "other"]])
def test_a_claim_that_others_use_is_not_freed(users: list[str]) -> None:
    there = stage(gpus(), allocated(node="gone", users=users), pod("claim"))
    there.filter()
    assert there.post_filter() == unschedulable("still not schedulable")


def test_a_claim_is_not_freed_for_nodes_that_another_plugin_rejects() -> None:
    there = stage(gpus(), allocated(node="n0"), pod("claim"))
    there.filter()
    diagnosis = Diagnosis(there.columns)
    diagnosis.add(np.array([0, 1]), unresolvable("full").by("NodeResourcesFit"))
    _, status = there.plugin.post_filter(there.state, there.pod(), diagnosis)
    assert status == unschedulable("still not schedulable")


def test_freeing_a_claim_may_be_refused() -> None:
    there = stage(gpus(), allocated(node="gone"), pod("claim"))
    there.filter()
    there.cluster.refused = {"claim"}
    assert there.post_filter() == error("claim is locked")


def test_nodes_score_by_how_good_the_alternative_is() -> None:
    listed = machines.first_of(
        "r0", three=machines.wish(3), two=machines.wish(2), one=machines.wish(1)
    )
    there = stage(
        gpus("n0", 1), gpus("n1", 2), gpus("n2", 3),
        machines.claim("claim", listed), pod("claim"), nodes=3,
    )  # fmt: skip
    there.filter()
    assert there.scores() == ([6, 7, 8], [75, 87, 100])


def test_alternatives_of_claims_that_are_allocated_count_too() -> None:
    listed = machines.first_of("r0", two=machines.wish(2), one=machines.wish(1))
    given = machines.allocation(machines.result("nic", "p", request="r0/one"))
    old = machines.claim("old", listed, status={"allocation": given})
    there = stage(gpus(), gpus("n1"), old, machines.claim(), pod("old", "claim"))
    there.filter()
    assert there.scores()[0] == [7, 7]


def test_states_of_trials_share_what_was_found() -> None:
    there = stage(gpus(), machines.claim(), pod("claim"))
    there.filter()
    trial = there.state.clone()
    codes = there.plugin.filter(trial, there.pod(), there.columns.take([1]), np.array([0]))
    assert codes is not None
    assert there.plugin.status(there.state, there.pod(), int(codes[0])).message == CANNOT_ALLOCATE
