from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.devices.samples import resource_slice
from tests.objects.validation.judging import changes, problems

DEVICE = {"name": "d0"}
ONE_WAY = (
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
)


def test_a_slice_offers_devices_of_a_node() -> None:
    attributes = {"model": {"string": "a"}, "d.x/cores": {"int": 4}, "v": {"version": "1.2.3-a+b"}}
    device = {**DEVICE, "attributes": attributes, "capacity": {"memory": {"value": "1Gi"}}}
    assert problems(resource_slice(device)) == []


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"driver": ""}, "spec.driver: Required value"),
        (
            {"pool": {"name": "p", "generation": -1}},
            "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
        ),
        ({"nodeName": None}, f"spec: Required value: {ONE_WAY}"),
        (
            {"allNodes": True},
            (
                f'spec: Invalid value: "{{`nodeName`, `allNodes`}}": {ONE_WAY}, but multiple '
                "fields are set"
            ),
        ),
        (
            {"allNodes": False},
            "spec.allNodes: Invalid value: false: must be either unset or set to true",
        ),
        (
            {
                "nodeName": None,
                "nodeSelector": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
                        {"matchExpressions": [{"key": "b", "operator": "Exists"}]},
                    ]
                },
            },
            'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":[{"Key":"a"',
        ),
        (
            {"sharedCounters": [{"name": "c", "counters": {"m": {"value": "1"}}}]},
            'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
        ),
    ],
)
def test_what_is_wrong_with_a_slice(spec: dict[str, Any], text: str) -> None:
    assert problems(resource_slice(DEVICE, **spec))[0].startswith(text)


def test_whose_devices_these_are_and_where_stays() -> None:
    old = resource_slice(DEVICE)
    pool = {"name": "q", "generation": 2, "resourceSliceCount": 1}
    assert changes(resource_slice(), old) == []
    assert changes(resource_slice(pool=pool, driver="e.x", nodeName="m"), old) == [
        'spec.pool.name: Invalid value: "q": field is immutable',
        'spec.driver: Invalid value: "e.x": field is immutable',
        'spec.nodeName: Invalid value: "m": field is immutable',
    ]


def test_there_are_128_devices_at_most_and_64_where_they_are_special() -> None:
    plain = [{"name": f"d{number}"} for number in range(129)]
    assert problems(resource_slice(*plain[:128])) == []
    assert problems(resource_slice(*plain)) == [
        "spec.devices: Too many: 129: must have at most 128 items"
    ]
    tainted = {"name": "t", "taints": [{"key": "k", "effect": "NoSchedule"}]}
    assert problems(resource_slice(*plain[:64], tainted)) == [
        "spec.devices: Too many: 65: must have at most 64 items"
    ]


def test_devices_differ_in_their_names() -> None:
    assert problems(resource_slice(DEVICE, DEVICE)) == ['spec.devices[1]: Duplicate value: "d0"']


def test_counters_have_names_and_there_are_some() -> None:
    counters = [{"name": "c"}, {"name": "", "counters": {"?": {"value": "1"}}}]
    first, second, third = problems(resource_slice(devices=None, sharedCounters=counters))
    assert first == "spec.sharedCounters[0].counters: Required value"
    assert second == "spec.sharedCounters[1].name: Required value"
    assert third.startswith('spec.sharedCounters[1].counters: Invalid value: "?": a lowercase')
