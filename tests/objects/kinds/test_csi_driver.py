from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.judging import changes, make, problems

STORAGE = "storage.k8s.io/v1"


def driver(**spec: Any) -> dict[str, Any]:
    return make(STORAGE, "CSIDriver", spec=spec)


def csi_node(*drivers: dict[str, Any]) -> dict[str, Any]:
    return make(STORAGE, "CSINode", spec={"drivers": list(drivers)})


def test_a_driver_that_says_nothing_is_complete_by_its_defaults() -> None:
    assert problems(driver()) == []


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (
            {"fsGroupPolicy": "x"},
            (
                'spec.fsGroupPolicy: Unsupported value: "x": supported values: "File", "None", '
                '"ReadWriteOnceWithFSType"'
            ),
        ),
        (
            {"volumeLifecycleModes": ["Persistent", "x"]},
            (
                'spec.volumeLifecycleModes: Unsupported value: "x": supported values: '
                '"Persistent", "Ephemeral"'
            ),
        ),
        (
            {"nodeAllocatableUpdatePeriodSeconds": 9},
            (
                "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than "
                "or equal to 10 seconds"
            ),
        ),
        (
            {"serviceAccountTokenInSecrets": True},
            (
                "spec.serviceAccountTokenInSecrets: Invalid value: true: "
                "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
            ),
        ),
        (
            {"tokenRequests": [{"audience": "a"}, {"audience": "a", "expirationSeconds": 1}]},
            'spec.tokenRequests[1].audience: Duplicate value: "a"',
        ),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 599}]},
            (
                "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a "
                "duration less than 10 minutes"
            ),
        ),
        (
            {"tokenRequests": [{"audience": "a", "expirationSeconds": 2**32 + 1}]},
            (
                "spec.tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may not "
                "specify a duration larger than 2^32 seconds"
            ),
        ),
    ],
)
def test_what_a_driver_may_not_say(spec: dict[str, Any], text: str) -> None:
    assert problems(driver(**spec)) == [text]


def test_how_a_drivers_volumes_are_attached_and_live_does_not_change() -> None:
    assert changes(driver(podInfoOnMount=True), driver()) == []
    assert changes(driver(attachRequired=False, volumeLifecycleModes=["Ephemeral"]), driver()) == [
        "spec.attachedRequired: Invalid value: false: field is immutable",
        'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"name": "", "nodeID": "n"}, "spec.drivers[0].name: Required value"),
        ({"name": "d.x"}, "spec.drivers[0].nodeID: Required value"),
        (
            {"name": "d.x", "nodeID": "n" * 257},
            (
                f'spec.drivers[0].nodeID: Invalid value: "{"n" * 257}": must be 256 characters or '
                "less"
            ),
        ),
        (
            {"name": "d.x", "nodeID": "n", "allocatable": {"count": -1}},
            (
                "spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or "
                "equal to 0"
            ),
        ),
        (
            {"name": "d.x", "nodeID": "n", "topologyKeys": ["a", "a"]},
            'spec.drivers[0]: Duplicate value: "a"',
        ),
    ],
)
def test_what_a_node_must_say_of_a_driver(entry: dict[str, Any], text: str) -> None:
    assert problems(csi_node(entry)) == [text]


def test_a_driver_is_named_once_and_its_topology_keys_are_not_empty() -> None:
    entry = {"name": "d.x", "nodeID": "n"}
    assert problems(csi_node(entry, entry)) == [
        'spec.drivers[1].name: Duplicate value: "d.x"',
    ]
    first, *rest = problems(csi_node({**entry, "topologyKeys": [""]}))
    assert first == "spec.drivers[0]: Required value"
    assert len(rest) == 2


def test_of_a_driver_on_a_node_only_the_number_of_volumes_changes() -> None:
    old = csi_node({"name": "d.x", "nodeID": "n", "allocatable": {"count": 1}})
    assert changes(csi_node({"name": "d.x", "nodeID": "n"}), old) == []
    assert changes(csi_node({"name": "e.x", "nodeID": "m"}), old) == []
    assert changes(csi_node({"name": "d.x", "nodeID": "m", "topologyKeys": ["k"]}), old) == [
        (
            'spec.drivers: Invalid value: {"Name":"d.x","NodeID":"m","TopologyKeys":["k"],'
            '"Allocatable":null}: field is immutable'
        )
    ]


def test_what_is_just_within_bounds_is_right_and_every_fault_is_told() -> None:
    assert problems(driver(tokenRequests=[{"audience": "a", "expirationSeconds": 600}])) == []
    assert problems(driver(nodeAllocatableUpdatePeriodSeconds=10)) == []
    assert problems(csi_node({"name": "d.x", "nodeID": "n" * 256})) == []
    assert problems(csi_node({"name": "", "nodeID": "n"}, {"name": "e.x"})) == [
        "spec.drivers[0].name: Required value",
        "spec.drivers[1].nodeID: Required value",
    ]
