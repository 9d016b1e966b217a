"""Resources as integers, and whether a pod fits a node: recorded cases and rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import host_ports, resource_totals
from kubestage.objects.resource_totals import Insufficient, Resource
from tests.golden import vectors

SMALL = st.integers(0, 5)
SCALARS = st.dictionaries(st.sampled_from(("example.com/gpu", "hugepages-2Mi")), SMALL)
RESOURCES = st.builds(Resource, SMALL, SMALL, SMALL, SMALL, SCALARS)


def _show(total: Resource) -> dict[str, Any]:
    return {
        "milliCPU": total.milli_cpu,
        "memory": total.memory,
        "ephemeralStorage": total.ephemeral_storage,
        "allowedPodNumber": total.allowed_pod_number,
        "scalarResources": total.scalars,
    }


def _describe(given_in: dict[str, Any]) -> dict[str, Any]:
    pods = given_in["nodePods"] or []
    usages = [resource_totals.usage(pod) for pod in pods]
    requested = sum((usage.resource for usage in usages), resource_totals.ZERO)
    allocatable = resource_totals.total_of(given_in["node"]["status"].get("allocatable"))
    request = resource_totals.fit_request(given_in["pod"])
    lacking = resource_totals.fits(request, allocatable, requested, len(pods))
    used_ports = {port for pod in pods for port in host_ports.of(pod["spec"])}
    cpu = sum(usage.non_zero_milli_cpu for usage in usages)
    memory = sum(usage.non_zero_memory for usage in usages)
    return {
        "fits": not lacking,
        "insufficient": [item._asdict() for item in sorted(lacking)],
        "nodeAllocatable": _show(allocatable),
        "nodeRequested": _show(requested),
        "nodeNonZeroRequested": _show(Resource(cpu, memory)),
        "usedPorts": sorted(map(str, used_ports)),
    }


def test_recorded_fits_agree_with_the_scheduler() -> None:
    entries = vectors.load("podresources", "fits")
    assert entries
    assert not [entry["id"] for entry in entries if _describe(entry["in"]) != entry["out"]]


@given(RESOURCES, RESOURCES)
def test_addition_commutes_and_leaves_both_alone(left: Resource, right: Resource) -> None:
    before = dict(left.scalars), dict(right.scalars)
    assert left + right == right + left
    assert (left.scalars, right.scalars) == before
    assert (left + right).milli_cpu == left.milli_cpu + right.milli_cpu


@given(RESOURCES, RESOURCES, RESOURCES, SMALL)
def test_a_pod_fits_exactly_when_nothing_is_exceeded(
    request: Resource, allocatable: Resource, requested: Resource, count: int
) -> None:
    together = dict((request + requested).items())
    limits = dict(allocatable.items())
    exceeded = {
        name for name, amount in request.items() if amount and together[name] > limits.get(name, 0)
    }
    if count >= allocatable.allowed_pod_number:
        exceeded.add("pods")
    lacking = resource_totals.fits(request, allocatable, requested, count)
    assert {item.resource for item in lacking} == exceeded


def test_a_request_larger_than_the_node_is_beyond_preemption() -> None:
    node = Resource(milli_cpu=1000, allowed_pod_number=10)
    full = Resource(milli_cpu=800)
    resolvable = resource_totals.fits(Resource(milli_cpu=500), node, full, 1)
    hopeless = resource_totals.fits(Resource(milli_cpu=1500), node, full, 1)
    assert resolvable == [Insufficient("cpu", "Insufficient cpu", 500, 800, 1000)]
    assert hopeless == [Insufficient("cpu", "Insufficient cpu", 1500, 800, 1000, True)]


def test_ignored_resources_and_groups_are_not_checked() -> None:
    request = Resource(scalars={"a.io/x": 1, "b.io/y": 1, "hugepages-2Mi": 1})
    node = Resource(allowed_pod_number=1)
    lacking = resource_totals.fits(request, node, resource_totals.ZERO, 0, {"a.io/x"}, {"b.io"})
    assert [item.resource for item in lacking] == ["hugepages-2Mi"]


@pytest.mark.parametrize(
    ("name", "extended", "scalar"),
    [
        ("cpu", False, False),
        ("pods", False, False),
        ("foo", False, False),
        ("example.com/gpu", True, True),
        ("hugepages-2Mi", False, True),
        ("attachable-volumes-csi", False, True),
        ("kubernetes.io/batch-cpu", False, True),
        ("requests.example.com/gpu", False, False),
        ("exa mple.com/gpu", False, False),
    ],
)
def test_counted_resources_are_told_by_their_names(name: str, extended: bool, scalar: bool) -> None:
    assert resource_totals.is_extended(name) == extended
    assert resource_totals.is_scalar(name) == scalar


def test_request_and_usage_agree_with_the_single_functions() -> None:
    for entry in vectors.load("podresources", "pod"):
        pod = {"spec": entry["in"]["spec"]}
        expected = (resource_totals.fit_request(pod), resource_totals.usage(pod))
        assert resource_totals.request_and_usage(pod) == expected, entry["id"]
