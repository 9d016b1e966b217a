"""Where volumes can be had, and claims that are not in order."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.scheduling import volume_topology
from kubestage.controllers.karpenter.state.objects import Objects
from tests.controllers.karpenter.scheduling.passes import Pass, expression, pod, spread

BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def _pod(*claims: str, **spec: Any) -> Json:
    volumes = [
        {"name": f"v-{name}", "persistentVolumeClaim": {"claimName": name}} for name in claims
    ]
    return pod("p", volumes=[{"name": "tmp", "emptyDir": {}}, *volumes], **spec)


def _claim(name: str, metadata: Json | None = None, **spec: Any) -> Json:
    own = {"name": name, "namespace": "default", **(metadata or {})}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": own, "spec": spec}


def _volume(name: str, *terms: list[Json], **spec: Any) -> Json:
    required = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    source = {"csi": {"driver": "csi.example.com"}, **spec}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {"nodeAffinity": {"required": required}, **source},
    }


def _class(name: str, *zones: str, mode: str = "WaitForFirstConsumer") -> Json:
    terms = [{"matchLabelExpressions": [{"key": labels.ZONE, "values": [zone]}]} for zone in zones]
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "csi.example.com",
        "volumeBindingMode": mode,
        "allowedTopologies": terms,
    }


def _zone(*names: str) -> Json:
    return expression(labels.ZONE, "In", *names)


def _terms(given: Json, *objects: Json) -> list[str] | None:
    found = volume_topology.terms_of(given, Objects(objects))
    return None if found is None else [str(each) for each in found]


def test_each_term_of_a_volume_or_class_is_an_alternative() -> None:
    bound = [
        _claim("a", volumeName="pv"),
        _volume("pv", [_zone("zone-1")], [_zone("zone-2")]),
    ]
    zones = [f"{labels.ZONE} In [zone-{number}]" for number in (1, 2)]
    assert _terms(_pod("a"), *bound) == zones
    unbound = [_claim("b", storageClassName="c"), _class("c", "zone-1", "zone-2")]
    assert _terms(_pod("b"), *unbound) == zones
    assert _terms(_pod()) == []


def test_volumes_together_leave_what_goes_together() -> None:
    objects = [
        _claim("a", volumeName="pv"),
        _volume("pv", [_zone("zone-1")], [_zone("zone-2")]),
        _claim("b", storageClassName="c"),
        _class("c", "zone-2", "zone-3"),
    ]
    assert _terms(_pod("a", "b"), *objects) == [f"{labels.ZONE} In [zone-2]"]
    apart = [*objects[:3], _class("c", "zone-3")]
    assert _terms(_pod("a", "b"), *apart) == [f"{labels.ZONE} DoesNotExist"] * 2


def test_a_volume_of_a_host_does_not_bind_the_pod_to_that_host() -> None:
    host = expression(labels.HOSTNAME, "In", "node-a")
    local = _volume("pv", [host, _zone("zone-1")], local={"path": "/d"})
    assert _terms(_pod("a"), _claim("a", volumeName="pv"), local) == [f"{labels.ZONE} In [zone-1]"]
    only_host = _volume("pv", [host], local={"path": "/d"})
    assert _terms(_pod("a"), _claim("a", volumeName="pv"), only_host) == []


def test_what_cannot_be_looked_up_is_told_apart() -> None:
    assert _terms(_pod("missing")) is None
    assert _terms(_pod("a"), _claim("a", volumeName="missing")) is None
    assert _terms(_pod("a"), _claim("a", storageClassName="missing")) is None
    assert _terms(_pod("a"), _claim("a")) == []


def test_a_new_node_is_in_a_zone_of_the_volume() -> None:
    found = Pass(
        [
            _claim("a", {"annotations": BOUND}, volumeName="pv"),
            _volume("pv", [_zone("zone-2")]),
            _pod("a"),
        ]
    )
    assert found.zones() == [["zone-2"]]
    spreading = _pod("a", topologySpreadConstraints=[spread(labels.ZONE)])
    both = Pass(
        [
            _claim("a", {"annotations": BOUND}, volumeName="pv"),
            _volume("pv", [_zone("zone-9")], [_zone("zone-2")]),
            spreading,
        ]
    )
    assert both.zones() == [["zone-2"]]


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        (
            [],
            (
                'getting persistent volume claim, persistentvolumeclaims "a" not found '
                "(PersistentVolumeClaim=a)"
            ),
        ),
        (
            [_claim("a", {"deletionTimestamp": "2000-01-01T00:00:00Z"})],
            "persistentvolumeclaim is being deleted (PersistentVolumeClaim=default/a)",
        ),
        (
            [{**_claim("a", volumeName="pv"), "status": {"phase": "Lost"}}],
            (
                "persistentvolumeclaim bound to non-existent persistentvolume "
                "(PersistentVolume=pv, PersistentVolumeClaim=default/a)"
            ),
        ),
        (
            [_claim("a", volumeName="pv")],
            (
                'failed to validate pvc, persistentvolumes "pv" not found '
                "(PersistentVolume=pv, PersistentVolumeClaim=default/a, StorageClass=)"
            ),
        ),
        (
            [_claim("a", volumeName="pv"), _volume("pv")],
            (
                "pvc is considered unbound because it does not contain annotation "
                "(PersistentVolume=pv, PersistentVolumeClaim=a, "
                "annotation=pv.kubernetes.io/bind-completed)"
            ),
        ),
        (
            [_claim("a")],
            (
                "unbound pvc must define a storage class "
                "(PersistentVolumeClaim=default/a, StorageClass=)"
            ),
        ),
        (
            [_claim("a", storageClassName="c")],
            (
                "failed to validate pvc, failed to get storage class, "
                'storageclasses.storage.k8s.io "c" not found '
                "(PersistentVolumeClaim=default/a, StorageClass=c)"
            ),
        ),
        (
            [_claim("a", storageClassName="c"), _class("c", mode="Immediate")],
            (
                "failed to validate pvc, pvc with immediate volume binding mode must be bound "
                "(PersistentVolumeClaim=default/a, StorageClass=c)"
            ),
        ),
    ],
)
def test_a_claim_that_is_not_in_order_is_reported(objects: list[Json], message: str) -> None:
    found = Pass([*objects, _pod("a")])
    assert [event.message for event in found.events] == [f"Failed to schedule pod, {message}"]
    assert found.new == []
