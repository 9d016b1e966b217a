"""A script that uses kr8s, tested on a cluster that has three zones."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import cordon
import kr8s
import pytest

from kubestage.testing import make_deployment

if TYPE_CHECKING:
    from kubestage.testing import Cluster, ClusterFactory, ClusterServer

# kr8s knows versions of Kubernetes up to 1.35, and says so.
pytestmark = pytest.mark.filterwarnings("ignore:Kubernetes version:UserWarning")


@pytest.fixture(scope="module")
def cluster_base(cluster_factory: ClusterFactory) -> Cluster:
    """Six nodes and six pods, prepared once; every test has a copy."""
    base = cluster_factory(nodes=6)
    base.apply(make_deployment("web", replicas=6, cpu="1"))
    base.expect("deploy/web").ready(6, within="2m")
    return base


def test_it_cordons_the_nodes_of_a_zone(cluster_server: ClusterServer) -> None:
    names = asyncio.run(cordon.cordon("zone-a", cluster_server.kubeconfig))
    assert len(names) == 2
    cluster_server.expect("node/node-0").field("spec.unschedulable", True)
    cluster_server.expect("node/node-3").field("spec.unschedulable", True)
    # What is created now goes elsewhere.
    cluster_server.apply(make_deployment("api", replicas=4, cpu="100m"))
    cluster_server.expect("deploy/api").ready(4, within="2m")
    nodes = ("node-1", "node-2", "node-4", "node-5")
    cluster_server.expect("deploy/api").pods().on_nodes(*nodes)


def test_it_says_so_if_there_is_nothing(cluster_server: ClusterServer) -> None:
    with pytest.raises(LookupError, match="no pods in zone zone-x"):
        asyncio.run(cordon.cordon("zone-x", cluster_server.kubeconfig))


def test_it_gives_up_if_it_may_not(cluster_server: ClusterServer) -> None:
    # kr8s itself tries once more after a 403: perhaps its token was too old.
    refused = cluster_server.faults.refuse(403, verb="patch", kind="nodes", times=None)
    with refused, pytest.raises(kr8s.ServerError, match="forbidden"):
        asyncio.run(cordon.cordon("zone-a", cluster_server.kubeconfig))
    assert refused.met > 1
    assert not any(node["spec"].get("unschedulable") for node in cluster_server.list("nodes"))
