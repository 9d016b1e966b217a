"""DRATestDriver in runs on a stage: made, waited for, taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.clusterloader.call_log import CallLog
from kubestage.clusterloader.dependencies.dra_objects import DRIVER
from kubestage.clusterloader.dependencies.dra_test_driver import DRATestDriver
from kubestage.clusterloader.requests import Requests
from kubestage.units import SECOND_NS
from tests.clusterloader.dependencies.drivers import (
    API,
    CLASS,
    NAMESPACE,
    PLUGIN,
    SLICE,
    rehearsal,
    set_up,
    silence,
    with_nodes,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json


def test_every_node_has_devices_and_nothing_is_left_afterwards() -> None:
    stage = with_nodes(3)
    seen: list[tuple[int, int]] = []
    begun = rehearsal(stage, WorkerNodeCount=3.0)
    begun.run.start()
    while not begun.run.is_over:
        stage.run("5s")
        seen.append((len(stage.store.list(SLICE).items), len(stage.store.list(CLASS).items)))
    assert begun.run.result.passed
    assert begun.run.result.warnings == []
    assert (3, 1) in seen
    assert seen[-1] == (0, 0)
    assert NAMESPACE not in begun.names("Namespace")
    assert begun.names("Pod") == []


def test_parameters_say_where_and_under_which_name() -> None:
    stage = with_nodes(1)
    set_up(stage, Namespace="gpus", WorkerNodeCount=7.0, ExtendedResourceName="example.com/gpu")
    assert stage.store.get(CLASS, DRIVER)["spec"]["extendedResourceName"] == "example.com/gpu"
    quota = stage.store.get(("v1", "ResourceQuota"), PLUGIN, "gpus")
    assert quota["spec"]["hard"] == {"pods": "7"}
    assert len(stage.store.list(("v1", "Pod"), "gpus").items) == 1


def test_the_first_step_waits_until_the_driver_is_ready() -> None:
    stage = with_nodes(3)
    begun = rehearsal(stage)
    begun.run.start()
    stage.run("20s")
    assert (begun.run.step, begun.run.result.steps) == (None, [])
    stage.run_until(begun.is_over)
    # The driver is looked at every 30 seconds.
    assert begun.run.result.steps[0].began_ns // SECOND_NS == 30


def test_a_class_that_was_there_before_stays() -> None:
    stage = with_nodes(1)
    stage.apply([{"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": DRIVER}}])
    begun = rehearsal(stage)
    assert begun.finish().result.passed
    assert [each["metadata"]["name"] for each in stage.store.list(CLASS).items] == [DRIVER]


def test_a_driver_that_does_not_start_is_given_up_and_taken_away() -> None:
    stage = with_nodes(2)
    silence(stage, "n0")
    begun = rehearsal(stage, seconds=45)
    result = begun.finish().result
    assert result.errors == ["dependency driver setup timed out after 45s"]
    assert stage.store.list(CLASS).items == []
    assert stage.store.list(SLICE).items == []


def test_its_own_timeout_says_what_is_missing() -> None:
    stage = with_nodes(2)
    silence(stage, "n0")
    result = rehearsal(stage, seconds=0, timeout="1m").finish().result
    assert result.errors == [
        (
            "dependency driver setup failed: timed out waiting for the condition: "
            f"1 of 2 pods of DaemonSet {PLUGIN} are ready"
        )
    ]


def test_what_is_being_made_when_it_is_taken_down_goes_too() -> None:
    stage = with_nodes(1)
    before = stage.store.list(("v1", "Namespace")).items
    driver = DRATestDriver({}, Requests(stage.cluster(), CallLog()))
    ended: list[str] = []
    driver.set_up(ended.append)
    driver.abandon()
    driver.take_down(driver.requests, ended.append)
    stage.run("1m")
    assert ended == [""]
    assert stage.store.list(("v1", "Namespace")).items == before


def test_the_same_seed_makes_the_same_calls_and_changes() -> None:
    stages = [with_nodes(3) for _ in range(2)]
    first, second = (rehearsal(stage).finish().result.calls for stage in stages)
    assert vars(first) == vars(second)
    assert stages[0].store.resource_version == stages[1].store.resource_version


def test_wrong_parameters_are_told_before_anything_is_made() -> None:
    cases: list[tuple[Json, str]] = [
        ({"Namespace": 5.5}, "params.Namespace: Expected `str`, got `float`"),
        (
            {"Manifests": "other"},
            f"params.Manifests: there are none of the name 'other' (known: {NAMESPACE})",
        ),
        ({"DaemonsetName": "x"}, 'failed to get x: daemonsets.apps "x" not found'),
    ]
    for params, problem in cases:
        result = rehearsal(with_nodes(1), **params).finish().result
        assert result.errors == [f"dependency driver setup failed: {problem}"]
    odd = rehearsal(with_nodes(1), WorkerNodeCout=3).finish().result
    assert odd.passed
    assert "did you mean 'WorkerNodeCount'" in odd.warnings[0]


def test_what_the_api_refuses_is_told() -> None:
    result = rehearsal(with_nodes(1), Namespace="No Such").finish().result
    assert result.errors[0].startswith(
        "dependency driver setup failed: applying DRA manifests error: Namespace No Such: "
    )
