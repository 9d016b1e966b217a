"""Stages with nodes for drivers of devices, and DRATestDriver at work on them."""

from __future__ import annotations

from typing import Any, Final

from kubestage.clusterloader import config
from kubestage.clusterloader.call_log import CallLog
from kubestage.clusterloader.dependencies.dra_test_driver import DRATestDriver
from kubestage.clusterloader.requests import Requests
from kubestage.stage import Stage
from kubestage.testing import make_node
from kubestage.units import SECOND_NS
from tests.clusterloader.loads import Rehearsal, load, phase

API: Final = "resource.k8s.io/v1"
SLICE: Final = (API, "ResourceSlice")
CLASS: Final = (API, "DeviceClass")
NAMESPACE: Final = "dra-example-driver"
PLUGIN: Final = "dra-example-driver-kubeletplugin"


def with_nodes(count: int) -> Stage:
    """A stage with nodes n0, n1, ... on which pods run."""
    stage = Stage(seed=1, implicit_namespaces=False)
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply([make_node(f"n{number}", cpu="8") for number in range(count)])
    return stage


def silence(stage: Stage, node: str) -> None:
    """A node falls silent: nothing starts on it any more."""
    notes = {"kubestage.dev/heartbeat": "stopped"}
    stage.store.patch(("v1", "Node"), node, {"metadata": {"annotations": notes}})


def rehearsal(stage: Stage, seconds: int = 300, **params: Any) -> Rehearsal:
    """A load of one step that depends on the driver, which has so many seconds to be set up."""
    wanted = config.Dependency("driver", "DRATestDriver", seconds * SECOND_NS, params)
    step = config.Step(name="work", phases=(phase(1),))
    namespaces = config.Namespaces(1, "mine")
    return Rehearsal(load(step, dependencies=(wanted,), namespaces=namespaces), stage)


def set_up(stage: Stage, **params: Any) -> DRATestDriver:
    """A driver on its own, set up; it stays until it is taken down."""
    problems: list[str] = []
    driver = DRATestDriver(params, Requests(stage.cluster(), CallLog()))
    driver.set_up(problems.append)
    stage.run("40s")
    assert problems == [""]
    return driver
