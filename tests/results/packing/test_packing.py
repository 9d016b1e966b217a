"""Cost and packing of small clusters, computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage import Stage
from kubestage.objects import prices
from kubestage.objects.prices import Prices
from kubestage.results.packing import contents, costs, measures, packing
from kubestage.results.packing.contents import GIB, Contents, PackedNode, PackedPod
from kubestage.testing import make_deployment, make_node, make_pod

NOTHING = Prices({}, ())


def node(
    name: str,
    cpu: int,
    gib: int,
    price: float | None = None,
    *,
    pool: str = "",
    is_open: bool = True,
) -> PackedNode:
    offered = {"cpu": 1000 * cpu, "memory": gib * GIB, "pods": 110}
    return PackedNode(name, pool, price, offered, is_open)


def pod(
    where: str, cpu: int, gib: int, workload: str = "web", *, daemon: bool = False
) -> PackedPod:
    requested = {"cpu": 1000 * cpu, "memory": gib * GIB, "pods": 1}
    namespace = "kube-system" if daemon else "default"
    return PackedPod(namespace, workload, where, requested, daemon)


def test_pods_cost_their_share_of_the_node_and_the_rest_is_idle() -> None:
    # Half of the CPU and half of the memory is half of the node, whatever base prices are.
    found = costs.of(
        Contents(
            [node("a", 4, 16, 0.2, pool="p"), node("b", 4, 16, 0.4, pool="q")],
            [pod("a", 2, 8), pod("b", 1, 4, "db"), pod("b", 1, 4, "log", daemon=True)],
            NOTHING,
        )
    )
    assert found.cluster_cost == 0.6
    assert found.idle_per_hour == pytest.approx(0.1 + 0.2)
    assert found.idle_share == pytest.approx(0.5)
    assert found.daemons_per_hour == pytest.approx(0.1)
    assert found.daemon_share == pytest.approx(1 / 6, abs=1e-5)
    assert [(each.name, each.cost_per_hour) for each in found.workloads] == [
        ("web", 0.1),
        ("db", 0.1),
        ("log", 0.1),
    ]
    assert [(each.name, each.pods, each.cost_per_hour) for each in found.namespaces] == [
        ("default", 2, 0.2),
        ("kube-system", 1, 0.1),
    ]
    assert [(each.pool, each.cost_per_hour, each.idle_per_hour) for each in found.pools] == [
        ("p", 0.2, 0.1),
        ("q", 0.4, 0.2),
    ]


def test_base_prices_divide_between_cpu_and_memory() -> None:
    whole = 4 * prices.CORE + 16 * prices.GIB
    found = costs.of(Contents([node("a", 4, 16, 1.0)], [pod("a", 4, 0)], NOTHING))
    assert found.workloads[0].cost_per_hour == pytest.approx(4 * prices.CORE / whole, abs=1e-6)
    assert found.idle_per_hour == pytest.approx(16 * prices.GIB / whole, abs=1e-6)


def test_nodes_without_a_price_are_counted() -> None:
    some = costs.of(Contents([node("a", 4, 16, 1.0), node("b", 4, 16)], [pod("b", 1, 1)], NOTHING))
    assert (some.cluster_cost, some.unpriced_nodes) == (1.0, 1)
    assert some.workloads[0].cost_per_hour == 0
    none = costs.of(Contents([node("b", 4, 16)], [pod("b", 1, 1)], NOTHING))
    assert none.cluster_cost is None
    assert none.idle_share is None
    assert none.workloads[0].cost_per_hour is None


def test_utilization_leaves_daemons_out_on_both_sides() -> None:
    found = measures.utilization(
        Contents(
            [node("a", 4, 16), node("b", 4, 16)],
            [pod("a", 1, 4, daemon=True), pod("a", 3, 3)],
            NOTHING,
        )
    )
    assert found.requested_share == {"cpu": 0.5, "memory": 7 / 32}
    assert found.daemon_share == {"cpu": 1 / 8, "memory": 4 / 32}
    # Node a: 3 of 4 - 1 cores, so all of it; 3 of 16 - 4 GiB, so a quarter.
    assert found.cpu_utilization == pytest.approx(0.5)
    assert found.memory_utilization == pytest.approx(0.125)


def test_fragmentation_is_one_less_the_concentration_of_what_is_free() -> None:
    alone = measures.fragmentation(Contents([node("a", 4, 16)], [], NOTHING))
    assert (alone.cpu_fragmentation, alone.memory_fragmentation) == (0, 0)
    even = [node(name, 4, 16) for name in "abcd"]
    assert measures.fragmentation(Contents(even, [], NOTHING)).cpu_fragmentation == 0.75
    full = Contents([node("a", 4, 16)], [pod("a", 4, 8)], NOTHING)
    found = measures.fragmentation(full)
    assert (found.cpu_fragmentation, found.memory_fragmentation) == (None, 0)


def test_median_pods_that_fit_nowhere_although_there_is_room_in_sum() -> None:
    nodes = [node(name, 4, 16) for name in "abc"]
    # Each node has 1 core free; a pod of 3 cores fits nowhere, though 3 are free in sum.
    found = measures.fragmentation(Contents(nodes, [pod(name, 3, 1) for name in "abc"], NOTHING))
    assert (found.median_milli_cpu, found.median_memory_bytes) == (3000, GIB)
    assert (found.fit_in_sum, found.fit_nowhere) == (1, 1)


def test_closed_nodes_have_no_room() -> None:
    nodes = [node("a", 4, 16), node("b", 4, 16, is_open=False)]
    found = measures.fragmentation(Contents(nodes, [pod("a", 1, 1)], NOTHING))
    assert (found.fit_in_sum, found.fit_nowhere) == (3, 0)


def test_stranded_is_what_is_free_where_a_median_pod_does_not_fit() -> None:
    # The median pod is 2 cores and 2 GiB. Node a has 2 cores and no memory left, b 1 core and 11
    # GiB, and c has room for one.
    nodes = [node("a", 8, 6), node("b", 4, 14), node("c", 4, 4)]
    pods = [pod("a", 2, 2), pod("a", 2, 2), pod("a", 2, 2), pod("b", 3, 3), pod("c", 2, 2)]
    found = measures.stranded(Contents(nodes, pods, NOTHING))
    assert (found.milli_cpu, found.memory_bytes) == (3000, 11 * GIB)
    assert found.cpu_share == pytest.approx(3 / 5)
    assert found.memory_share == pytest.approx(11 / 13)


def test_nothing_is_stranded_where_nothing_is_requested() -> None:
    found = measures.stranded(Contents([node("a", 8, 6)], [], NOTHING))
    assert (found.milli_cpu, found.memory_bytes, found.cpu_share) == (0, 0, 0)


amounts = st.integers(0, 8)


@given(
    st.lists(st.tuples(st.integers(1, 16), st.integers(1, 64), st.floats(0, 10)), min_size=1),
    st.lists(st.tuples(st.integers(0, 9), amounts, amounts, st.booleans())),
)
def test_costs_add_up(
    sizes: list[tuple[int, int, float]], asked: list[tuple[int, int, int, bool]]
) -> None:
    nodes = [node(str(number), *each) for number, each in enumerate(sizes)]
    pods = [
        pod(str(number % len(nodes)), cpu, gib, f"w{number}", daemon=daemon)
        for number, cpu, gib, daemon in asked
    ]
    found = costs.of(Contents(nodes, pods, NOTHING))
    assert found.cluster_cost is not None
    assert found.idle_per_hour is not None
    for rows in (found.namespaces, found.workloads):
        shares = sum(row.cost_per_hour or 0 for row in rows)
        assert shares + found.idle_per_hour == pytest.approx(found.cluster_cost, abs=1e-4)
    pools = [each.cost_per_hour or 0 for each in found.pools]
    assert sum(pools) == pytest.approx(found.cluster_cost, abs=1e-4)


def test_a_cluster_is_read_as_it_is() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.add_controllers()
    kind = {"node.kubernetes.io/instance-type": "m5.large"}
    catalog = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "prices"},
        "spec": {"currency": "EUR", "prices": [{"instanceType": "m5.large", "price": 0.1}]},
    }
    stage.apply([catalog, *(make_node(name, cpu="4", memory="16Gi", labels=kind) for name in "ab")])
    stage.apply([make_deployment("web", replicas=2, cpu="2", memory="8Gi"), make_pod("solo")])
    stage.apply([make_pod("huge", cpu="100")])
    stage.run("1m")
    found = packing.of_store(stage.store)
    assert found.node_count == 2
    assert (found.costs.currency, found.costs.cluster_cost) == ("EUR", 0.2)
    assert [each.name for each in found.costs.workloads] == [
        "deployment/default/web",
        f"pod/default/{contents.NO_OWNER}",
    ]
    assert found.costs.workloads[0].cost_per_hour == 0.1
    assert set(found.metrics()) == {
        "node_count",
        "cluster_cost",
        "cpu_utilization",
        "memory_utilization",
        "cpu_fragmentation",
        "memory_fragmentation",
    }
    assert found.to_dict()["utilization"]["requestedShare"] == {"cpu": 0.5, "memory": 0.5}
