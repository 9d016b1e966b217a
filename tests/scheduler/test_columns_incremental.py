"""Columns that were patched tell the same as columns made anew."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np

from kubestage.objects.host_ports import HostPort
from kubestage.objects.views import node as node_views
from kubestage.scheduler.columns import Columns
from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Ints

RESOURCES = ("cpu", "memory", "ephemeral-storage", clusters.GPU, "hugepages-2Mi")
TABLES = ("allocatable", "requested", "nonzero", "free")
_taints_of: Any = operator.attrgetter("taints")


def _told(over: Columns, rows: Ints) -> dict[Any, Any]:
    """Everything that columns say about some rows, as plain data."""
    lines = {name: over.resources.line(name) for name in RESOURCES}
    told: dict[Any, Any] = {
        (table, name): getattr(over.resources, table)[line][rows].tolist()
        for name, line in lines.items()
        for table in TABLES
    }
    told["free pods"] = over.resources.free[0][rows].tolist()
    told["pods"] = over.pod_count[rows].tolist(), over.allowed_pods[rows].tolist()
    told["unschedulable"] = over.unschedulable[rows].tolist()
    for key in ("zone", "gen"):
        label = over.label(key)
        told[key] = [label.values[code] if code >= 0 else None for code in label.codes[rows]]
    groups = over.groups(_taints_of)
    told["taints"] = [groups.values[code] for code in groups.codes[rows]]
    return told


@hypothesis.given(clusters.clusters())
def test_patched_columns_equal_new_ones(over: Columns) -> None:
    rows = np.arange(len(over))
    assert _told(over, rows) == _told(Columns(over.infos), rows)


@hypothesis.given(clusters.clusters(), clusters.specs())
def test_taken_rows_tell_the_same_and_change_alone(over: Columns, spec: Any) -> None:
    rows = list(range(len(over)))[::-1]
    before = _told(over, np.array(rows))
    taken = over.take(rows)
    assert taken.names == over.names[::-1]
    assert _told(taken, np.arange(len(rows))) == before
    taken.add_pod(0, clusters.pod("trial", **spec))
    taken.update_node(0, node_views.of(clusters.node(taken.names[0], labels={"zone": "z"})))
    assert _told(over, np.array(rows)) == before
    assert _told(taken, np.arange(len(rows))) == _told(Columns(taken.infos), np.arange(len(rows)))


def _zone_a(over: Columns) -> Any:
    return np.array([info.view.labels.get("zone") == "a" for info in over.infos])


def test_what_is_derived_from_nodes_is_kept_until_a_node_changes() -> None:
    over = clusters.columns([clusters.node("n", labels={"zone": "a"})])
    assert over.derived("zone", _zone_a) is over.derived("zone", _zone_a)
    over.update_node(0, node_views.of(clusters.node("n", labels={"zone": "b"})))
    assert not over.derived("zone", _zone_a).any()


def test_a_sign_of_life_keeps_what_is_derived() -> None:
    over = clusters.columns([clusters.node("n", labels={"zone": "a"})])
    kept = over.derived("zone", _zone_a)
    ready = [{"type": "Ready", "status": "True"}]
    over.update_node(0, node_views.of(clusters.node("n", labels={"zone": "a"}, conditions=ready)))
    assert over.derived("zone", _zone_a) is kept
    assert over.infos[0].view.is_ready
    assert over.generation == 1


def test_taken_rows_read_what_is_derived_from_the_whole() -> None:
    nodes = [clusters.node("x"), clusters.node("y", labels={"zone": "a"})]
    over = clusters.columns(nodes)
    asked = []

    def build(columns: Columns) -> Any:
        asked.append(len(columns))
        return _zone_a(columns)

    taken = over.take([1])
    assert taken.derived("zone", build).tolist() == [True]
    assert taken.derived("nothing", lambda _: None) is None
    assert over.take([0]).derived("zone", build).tolist() == [False]
    assert asked == [2]
    taken.update_node(0, node_views.of(clusters.node("y")))
    assert taken.derived("zone", build).tolist() == [False]


def test_a_port_that_nobody_holds_conflicts_nowhere() -> None:
    over = clusters.columns([clusters.node("n")])
    assert over.ports.conflicts(HostPort("0.0.0.0", "TCP", 80)) is None
    over.ports.mark(0, HostPort("10.0.0.1", "TCP", 80), True)
    assert over.ports.conflicts(HostPort("10.0.0.2", "TCP", 80)) is None
