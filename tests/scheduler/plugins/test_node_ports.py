from __future__ import annotations

from typing import Any

import hypothesis
import pytest

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.node_ports import NodePorts
from kubestage.scheduler.status import SKIP, SUCCESS
from tests.reference import node_ports as twin
from tests.scheduler.plugins import clusters


def plugin() -> NodePorts:
    return NodePorts({}, clusters.handle())


def holding(name: str, *ports: int, ip: str = "", **spec: Any) -> Any:
    stated = [{"hostPort": port, "hostIP": ip, "protocol": "TCP"} for port in ports]
    return clusters.pod(name, containers=[{"name": "main", "ports": stated}], **spec)


@hypothesis.given(clusters.nodes(), clusters.specs(), clusters.specs(), clusters.specs())
def test_a_node_is_rejected_as_by_the_twin(nodes: Any, first: Any, second: Any, spec: Any) -> None:
    pods = [clusters.pod("first", **first), clusters.pod("second", **second)]
    over = clusters.columns(nodes, {nodes[0]["metadata"]["name"]: pods})
    incoming = clusters.pod(**spec)
    expected = [
        twin.filter_node(incoming, [port for pod in info.pods.values() for port in pod.host_ports])
        for info in over.infos
    ]
    assert clusters.verdicts(plugin(), incoming, over) == expected


def test_a_pod_without_host_ports_is_skipped() -> None:
    over = clusters.columns([clusters.node("n")])
    assert plugin().pre_filter(CycleState(), clusters.pod(), over) == (SKIP, None)


@pytest.mark.parametrize(("wanted", "free"), [("", False), ("10.0.0.1", False), ("10.0.0.2", True)])
def test_the_unspecified_address_stands_for_all(wanted: str, free: bool) -> None:
    over = clusters.columns([clusters.node("n")], {"n": [holding("there", 80, ip="10.0.0.1")]})
    (verdict,) = clusters.verdicts(plugin(), holding("incoming", 80, ip=wanted), over)
    assert verdict.is_success is free


def test_a_port_is_free_once_one_of_two_holders_has_gone() -> None:
    over = clusters.columns([clusters.node("n")], {"n": [holding("a", 80), holding("b", 80)]})
    assert clusters.verdicts(plugin(), holding("incoming", 80), over) != [SUCCESS]
    over.remove_pod(0, "a")
    assert clusters.verdicts(plugin(), holding("incoming", 80), over) == [SUCCESS]


@pytest.mark.parametrize(
    ("deleted", "helps"),
    [
        (holding("gone", 80, nodeName="n"), True),
        (holding("gone", 80), False),
        (holding("gone", 443, nodeName="n"), False),
        (clusters.pod("gone", nodeName="n"), False),
    ],
)
def test_only_the_holder_of_a_wanted_port_helps_by_going(deleted: Any, helps: bool) -> None:
    event = plugin().events_to_register()[0]
    assert event.hint is not None
    assert event.hint(holding("incoming", 80), deleted.raw, None) is helps


def test_a_nominated_holder_helps_by_going() -> None:
    event = plugin().events_to_register()[0]
    assert event.hint is not None
    gone = {**holding("gone", 80).raw, "status": {"nominatedNodeName": "n"}}
    assert event.hint(holding("incoming", 80), gone, None)


def test_any_new_node_helps() -> None:
    assert plugin().events_to_register()[1].hint is None
