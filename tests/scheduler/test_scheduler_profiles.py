"""Many profiles, one scheduler; and plugins of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.scheduler.framework import SUCCESS, unschedulable
from kubestage.testing import make_node
from tests.scheduler import rehearsals
from tests.scheduler.rehearsals import Rehearsal

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import Columns, CycleState, Ints, NodeInfo, Status
    from kubestage.scheduler.handle import Handle


class OnlyNode:
    """A scalar filter with an argument."""

    name = "OnlyNode"

    def __init__(self, args: Json, handle: Handle) -> None:
        self.wanted = args.get("node", "")

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status:
        return SUCCESS if node.name == self.wanted else unschedulable("not the one")


class LastByName:
    """A vectorised score."""

    name = "LastByName"

    def __init__(self, args: Json, handle: Handle) -> None:
        del args, handle

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        order = sorted(columns.names[row] for row in rows.tolist())
        return np.array([order.index(columns.names[row]) for row in rows.tolist()], np.int64)


NODES = [make_node(name, cpu="4") for name in ("n1", "n2", "n3")]


def two_profiles() -> Rehearsal:
    args = [{"name": "OnlyNode", "args": {"node": "n2"}}]
    picky = rehearsals.profile("picky", enabled=["OnlyNode"], pluginConfig=args)
    stated = rehearsals.configuration(rehearsals.profile(), picky)
    return Rehearsal(*NODES, configuration=stated, plugins={"OnlyNode": OnlyNode})


def test_each_pod_is_scheduled_by_its_own_profile_on_one_cache() -> None:
    run = two_profiles()
    for index in range(3):
        run.add_pod(f"picky-{index}", cpu="2", scheduler_name="picky")
        run.add_pod(f"plain-{index}", cpu="2")
    run.run(1)
    placed = [run.node_of(f"picky-{index}") for index in range(3)]
    assert [node for node in placed if node] == ["n2"] * len([node for node in placed if node])
    assert all(run.node_of(f"plain-{index}") for index in range(3))
    on_n2 = [row for row in run.scheduler.record.decisions if row.node == "n2"]
    assert len(on_n2) == 2
    assert {row.profile for row in run.scheduler.record.decisions} == {
        "default-scheduler",
        "picky",
    }


def test_events_and_metrics_name_the_profile() -> None:
    run = two_profiles()
    run.add_pod("a", scheduler_name="picky")
    run.add_pod("b", cpu="64", scheduler_name="picky")
    run.add_pod("c")
    run.run(1)
    reporters = {
        event["involvedObject"]["name"]: event["reportingComponent"]
        for reason in ("Scheduled", "FailedScheduling")
        for event in run.events(reason)
    }
    assert reporters == {"a": "picky", "b": "picky", "c": "default-scheduler"}
    run.scheduler.metrics.families()
    assert run.scheduler.metrics.schedule_attempts.values == {
        ("scheduled", "picky"): 1,
        ("unschedulable", "picky"): 1,
        ("scheduled", "default-scheduler"): 1,
    }


def test_a_pod_is_woken_by_the_hints_of_its_own_profile() -> None:
    run = two_profiles()
    run.add_pod("picky", cpu="2", scheduler_name="picky")
    run.add_pod("picky-too", cpu="2", scheduler_name="picky")
    run.add_pod("picky-three", cpu="2", scheduler_name="picky")
    run.run(20)
    assert run.where() == {"unschedulable": ["picky-three"]}
    run.delete_pod("picky")
    gone = {"status": {"phase": "Failed"}}
    run.store.patch(rehearsals.POD, "picky", gone, "default", subresource="status")
    run.run(21)
    assert run.node_of("picky-three") == "n2"


def test_a_vectorised_plugin_of_ones_own_has_its_weight() -> None:
    plugins = {"score": {"enabled": [{"name": "LastByName", "weight": 1000}]}}
    stated = rehearsals.configuration({"schedulerName": "default-scheduler", "plugins": plugins})
    run = Rehearsal(*NODES, configuration=stated, plugins={"LastByName": LastByName})
    run.add_pod("web")
    run.run(1)
    assert run.node_of("web") == "n3"
