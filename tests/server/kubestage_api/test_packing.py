"""Cost and packing of a cluster that is being served."""

from __future__ import annotations

import pytest

from kubestage.server.kubestage_api import documents
from kubestage.testing import make_node, make_pod
from tests.server.kubestage_api.asking import served, told
from tests.server.live_stage import NODES, PODS
from tests.server.test_pacing import tell

CATALOGS = "/apis/kubestage.dev/v1alpha1/pricecatalogs"
CATALOG = {
    "apiVersion": "kubestage.dev/v1alpha1",
    "kind": "PriceCatalog",
    "metadata": {"name": "prices"},
    "spec": {"currency": "EUR", "prices": [{"instanceType": "m5.large", "price": 0.2}]},
}


def test_cost_and_packing_as_they_are_now() -> None:
    async def story() -> None:
        async with served() as stage:
            labels = {"node.kubernetes.io/instance-type": "m5.large"}
            await stage.call("POST", NODES, make_node("a", cpu="4", memory="16Gi", labels=labels))
            await stage.call("POST", PODS, make_pod("web", cpu="1", memory="4Gi"))
            await stage.quiet()
            found = await told(stage, "GET", "/packing")
            assert found["costs"]["clusterCost"] is None
            assert found["utilization"]["requestedShare"] == {"cpu": 0.25, "memory": 0.25}
            await stage.call("POST", CATALOGS, CATALOG)
            found = await told(stage, "GET", "/packing")
            costs = found["costs"]
            assert (costs["currency"], costs["clusterCost"]) == ("EUR", 0.2)
            assert costs["idlePerHour"] == pytest.approx(0.15)
            assert [each["costPerHour"] for each in costs["namespaces"]] == [0.05]
            assert found["metrics"]["node_count"] == 1
            assert found["metrics"]["cluster_cost"] == 0.2

    tell(story())


def test_the_document_has_its_shape() -> None:
    document = documents.document()
    schema = document["components"]["schemas"]["ClusterPacking"]["properties"]
    assert set(schema) == {
        "nodeCount",
        "costs",
        "utilization",
        "stranded",
        "fragmentation",
        "metrics",
    }
    assert "/kubestage/v1/packing" in document["paths"]
