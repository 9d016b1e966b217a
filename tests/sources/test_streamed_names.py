"""Names that are replaced while a cluster is observed: the same at any time, with the same key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kubestage.sources.anonymising.streamed_names import StreamedNames, StreamedNaming
from tests.sources import samples

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _stateful(name: str = "db") -> Json:
    template = {"metadata": {"name": "data"}, "spec": {}}
    return {
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"serviceName": name, "volumeClaimTemplates": [template]},
    }  # fmt: skip


def _claim(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "shop"}}  # fmt: skip


def test_a_name_is_the_same_whenever_it_comes() -> None:
    first, second = StreamedNaming(b"k"), StreamedNaming(b"k")
    second.replaced(samples.pod("other"))
    assert first.replaced(samples.pod()) == second.replaced(samples.pod())
    assert first.names.fingerprint() == second.names.fingerprint()
    assert StreamedNaming(b"l").replaced(samples.pod()) != first.replaced(samples.pod())
    assert StreamedNaming(b"l").names.fingerprint() != first.names.fingerprint()


def test_what_refers_to_a_name_has_the_same_one() -> None:
    naming = StreamedNaming(b"k")
    pod, obj = naming.replaced(samples.pod(on="node-a"))
    node, labelled = naming.replaced(samples.node("node-a"))
    assert obj["spec"]["nodeName"] == node.name
    assert labelled["metadata"]["labels"]["kubernetes.io/hostname"] == node.name
    assert pod.namespace == naming.names.name("namespace", "shop")
    text = json.dumps([obj, labelled])
    assert "web" not in text
    assert "node-a" not in text


def test_pods_and_claims_of_a_stateful_set_are_named_after_it() -> None:
    naming = StreamedNaming(b"k")
    owner, obj = naming.replaced(_stateful())
    pod, _ = naming.replaced(samples.pod("db-0"))
    claim, _ = naming.replaced(_claim("data-db-0"))
    template = obj["spec"]["volumeClaimTemplates"][0]["metadata"]["name"]
    assert pod.name == f"{owner.name}-0"
    assert claim.name == f"{template}-{owner.name}-0"


def test_a_claim_that_comes_before_its_set_keeps_its_name() -> None:
    naming = StreamedNaming(b"k")
    before, _ = naming.replaced(_claim("data-db-0"))
    naming.replaced(_stateful())
    assert naming.replaced(_claim("data-db-0"))[0] == before
    learned = StreamedNaming(b"k")
    learned.learn(_stateful())
    assert learned.replaced(_claim("data-db-0"))[0] != before


def test_addresses_are_private_and_differ() -> None:
    names = StreamedNames(b"k")
    found = {names.address(f"203.0.{block}.{host}") for block in range(40) for host in range(100)}
    assert len(found) == 4000
    assert all(each.startswith("10.") for each in found)
    assert names.address("2001:db8::1").startswith("fd")
    assert names.address("203.0.1.1") == names.address("203.0.1.1")
