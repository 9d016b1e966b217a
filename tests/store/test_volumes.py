"""What the binder of volumes relies on when it writes claims and volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Invalid
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.store.store import Store

CLAIM = ("v1", "PersistentVolumeClaim")
VOLUME = ("v1", "PersistentVolume")
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


@pytest.fixture
def store() -> Store:
    made = make_store()
    modes = ["ReadWriteOnce"]
    claim: dict[str, Any] = {"accessModes": modes, "resources": {"requests": {"storage": "1Gi"}}}
    volume = {
        "accessModes": modes,
        "capacity": {"storage": "1Gi"},
        "hostPath": {"path": "/x"},
        "nodeAffinity": {
            "required": {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [
                            {
                                "key": "failure-domain.beta.kubernetes.io/zone",
                                "operator": "In",
                                "values": ["z"],
                            }
                        ]
                    }
                ]
            }
        },
    }
    for kind, name, spec in (
        ("PersistentVolumeClaim", "c", claim),
        ("PersistentVolume", "v", volume),
    ):
        made.create({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "spec": spec})
    return made


def test_a_claim_is_bound_once(store: Store) -> None:
    patch = {"spec": {"volumeName": "v"}, "metadata": {"annotations": BOUND}}
    assert store.patch(CLAIM, "c", patch)["spec"]["volumeName"] == "v"
    with pytest.raises(Invalid, match="spec is immutable after creation"):
        store.patch(CLAIM, "c", {"spec": {"volumeName": "w"}})


def test_a_claim_says_in_its_status_what_it_got(store: Store) -> None:
    state = {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"}}
    got = store.patch(
        CLAIM, "c", {"status": state, "spec": {"volumeName": "v"}}, subresource="status"
    )
    assert got["status"] == state
    assert "volumeName" not in got["spec"]


def test_a_volume_is_claimed_and_set_free(store: Store) -> None:
    claim = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "c", "uid": "u"}
    assert store.patch(VOLUME, "v", {"spec": {"claimRef": claim}})["spec"]["claimRef"] == claim
    assert "claimRef" not in store.patch(VOLUME, "v", {"spec": {"claimRef": None}})["spec"]


def test_a_volume_changes_its_phase_by_its_status(store: Store) -> None:
    assert store.get(VOLUME, "v")["status"]["phase"] == "Pending"
    store.patch(VOLUME, "v", {"status": {"phase": "Available"}})
    assert store.get(VOLUME, "v")["status"]["phase"] == "Pending"
    store.clock.now_ns = 5_000_000_000
    got = store.patch(VOLUME, "v", {"status": {"phase": "Available"}}, subresource="status")
    assert got["status"] == {
        "phase": "Available",
        "lastPhaseTransitionTime": "2026-01-01T00:00:05Z",
    }


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"hostPath": {"path": "/y"}}, "spec.persistentvolumesource"),
        ({"volumeMode": "Block"}, "volumeMode"),
        ({"nodeAffinity": None}, "nodeAffinity"),
        ({"capacity": {"storage": "0"}}, "spec.capacity[storage]"),
    ],
)
def test_where_the_data_lies_stays(store: Store, spec: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refusal:
        store.patch(VOLUME, "v", {"spec": spec})
    assert {cause["field"] for cause in refusal.value.details["causes"]} == {path}


def test_labels_may_get_their_final_names(store: Store) -> None:
    requirement = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["z"]}
    terms = [{"matchExpressions": [requirement]}]
    affinity = {"required": {"nodeSelectorTerms": terms}}
    patched = store.patch(VOLUME, "v", {"spec": {"nodeAffinity": affinity}})
    assert patched["spec"]["nodeAffinity"] == affinity
