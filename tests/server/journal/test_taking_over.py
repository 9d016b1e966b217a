"""A living cluster goes on after its process was killed, as if hardly anything had happened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import timestamps
from kubestage.server.journal import opening
from kubestage.server.live import Live
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_deployment, make_job, make_node
from tests.scenario import building
from tests.scenario.building import create, done, scenario
from tests.server.journal.serving import copy_of, texts

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.server.journal.journal import Journal
    from kubestage.stage import Stage


POD = ("v1", "Pod")
NAMESPACE = ("v1", "Namespace")
TRAFFIC = ("kubestage.dev/v1alpha1", "Traffic")
RUN_DURATION = "kubestage.dev/run-duration"


def _alive(directory: pathlib.Path) -> tuple[Stage, Journal]:
    stage, journal = opening.open_directory(directory).stage(implicit_namespaces=True)
    stage.add_scheduler()
    stage.add_controllers()
    return stage, journal


def _killed(directory: pathlib.Path, play: Callable[[Stage], None]) -> pathlib.Path:
    """What is left of a process that was killed after some play."""

    async def live() -> pathlib.Path:
        stage, journal = _alive(directory)
        served = Live(stage)
        journal.start(served)
        play(stage)
        await served.settled()
        left = copy_of(directory)
        journal.close()
        return left

    return asyncio.run(live())


def _pods(stage: Stage) -> list[Json]:
    return list(stage.store.read(POD).values())


def _started(pod: Json) -> list[Json]:
    """What a restart of a container would change."""
    return [
        {name: each.get(name) for name in ("containerID", "restartCount", "state")}
        for each in pod["status"]["containerStatuses"]
    ]


def _workloads(stage: Stage) -> None:
    stage.apply([make_node(f"node-{number}", cpu="8") for number in range(3)])
    stage.apply([make_deployment("web", replicas=9, cpu="500m")])
    stage.run("30s")


def test_pods_that_run_go_on_running(tmp_path: pathlib.Path) -> None:
    before: dict[str, Any] = {}

    def play(stage: Stage) -> None:
        _workloads(stage)
        before.update({each["metadata"]["uid"]: each for each in _pods(stage)})
        assert len(before) == 9

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.run("10m")
    after = {each["metadata"]["uid"]: each for each in _pods(stage)}
    assert after.keys() == before.keys()
    for uid, pod in after.items():
        assert pod["status"]["phase"] == "Running"
        assert _started(pod) == _started(before[uid])
        assert pod["status"]["podIP"] == before[uid]["status"]["podIP"]
    journal.close()


def test_a_cluster_at_rest_has_nothing_to_do(tmp_path: pathlib.Path) -> None:
    before: dict[Any, Any] = {}

    def play(stage: Stage) -> None:
        _workloads(stage)
        stage.run("10m")
        before.update(texts(stage.store))

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.run("1s")
    after = texts(stage.store)
    changed = {
        place for place in before.keys() | after.keys() if before.get(place) != after.get(place)
    }
    assert {resource for resource, _ in changed} <= {"leases.coordination.k8s.io", "events"}
    journal.close()


def _run_once(stage: Stage) -> None:
    stage.apply([make_node("node")])
    job = make_job("once", completions=1)
    job["spec"]["template"]["metadata"]["annotations"] = {RUN_DURATION: "uniform(60s, 600s)"}
    stage.apply([job])
    stage.run("40s")
    assert [each["status"]["phase"] for each in _pods(stage)] == ["Running"]


def _ended_ns(stage: Stage) -> int:
    stage.run("20m")
    assert stage.store.get(("batch/v1", "Job"), "once")["status"]["succeeded"] == 1
    (pod,) = _pods(stage)
    ended = pod["status"]["containerStatuses"][0]["state"]["terminated"]
    return timestamps.parse_time(ended["finishedAt"])


def test_a_container_ends_when_it_would_have_ended(tmp_path: pathlib.Path) -> None:
    stage, journal = _alive(_killed(tmp_path / "data", _run_once))
    undisturbed, other = _alive(tmp_path / "undisturbed")
    _run_once(undisturbed)
    # Objects say to the second when a container began.
    assert abs(_ended_ns(stage) - _ended_ns(undisturbed)) <= 1_000_000_000
    journal.close()
    other.close()


def _requests(stage: Stage) -> set[str]:
    containers = [each["spec"]["containers"][0] for each in _pods(stage)]
    return {each["resources"]["requests"]["cpu"] for each in containers}


def test_a_rollout_that_was_under_way_is_finished(tmp_path: pathlib.Path) -> None:
    def play(stage: Stage) -> None:
        _workloads(stage)
        stage.apply([make_deployment("web", replicas=9, cpu="600m")])
        stage.run("1500ms")
        assert _requests(stage) == {"500m", "600m"}

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.run("10m")
    pods = _pods(stage)
    assert [each["status"]["phase"] for each in pods] == ["Running"] * 9
    assert _requests(stage) == {"600m"}
    journal.close()


def test_pods_that_wait_for_a_node_get_one(tmp_path: pathlib.Path) -> None:
    def play(stage: Stage) -> None:
        stage.apply([make_node("node", cpu="1")])
        stage.apply([make_deployment("web", replicas=4, cpu="500m")])
        stage.run("30s")

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.run("30s")
    assert (
        sorted(each["status"]["phase"] for each in _pods(stage))
        == ["Pending"] * 2 + ["Running"] * 2
    )
    stage.apply([make_node("another", cpu="1")])
    stage.run("10m")
    assert [each["status"]["phase"] for each in _pods(stage)] == ["Running"] * 4
    journal.close()


def _bare_node(name: str) -> Json:
    """A node that its kubelet has yet to register."""
    node = make_node(name, cpu="2")
    return {**node, "status": {"capacity": node["status"]["capacity"]}}


def test_no_address_is_given_out_twice(tmp_path: pathlib.Path) -> None:
    def play(stage: Stage) -> None:
        # Ranges are given out as nodes come, and on a restart nodes come by name.
        for name in ("c", "b", "a"):
            stage.apply([_bare_node(name)])
            stage.apply([make_deployment(f"web-{name}", replicas=3, cpu="500m")])
            stage.run("30s")

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.apply([_bare_node("0-new"), make_deployment("more", replicas=6, cpu="250m")])
    stage.run("5m")
    addresses = [each["status"]["podIP"] for each in _pods(stage)]
    assert len(addresses) == 15
    assert len(set(addresses)) == 15
    hosts = [
        each["address"]
        for node in stage.store.read(("v1", "Node")).values()
        for each in node["status"]["addresses"]
        if each["type"] == "InternalIP"
    ]
    assert len(hosts) == len(set(hosts)) == 4
    journal.close()


@pytest.mark.parametrize("passed", ["0s", "1ms", "3s"])
def test_what_was_ending_ends(tmp_path: pathlib.Path, passed: str) -> None:
    def play(stage: Stage) -> None:
        stage.apply([make_node("node")])
        stage.apply([make_deployment("web", namespace="going", replicas=3)])
        stage.run("30s")
        stage.store.delete(NAMESPACE, "going")
        stage.run(passed)
        assert "going" in stage.store.read(NAMESPACE)

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.run("10m")
    assert "going" not in stage.store.read(NAMESPACE)
    assert not _pods(stage)
    journal.close()


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_dependents_follow_an_owner_that_went_just_before(
    tmp_path: pathlib.Path, policy: str
) -> None:
    def play(stage: Stage) -> None:
        _workloads(stage)
        options = DeleteOptions(propagation_policy=policy)
        stage.store.delete(("apps/v1", "Deployment"), "web", options=options)
        assert stage.store.garbage.queue

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.run("5m")
    assert not stage.store.read(("apps/v1", "Deployment"))
    assert not stage.store.read(("apps/v1", "ReplicaSet"))
    assert not _pods(stage)
    journal.close()


def test_a_scenario_that_was_running_has_failed(tmp_path: pathlib.Path) -> None:
    def play(stage: Stage) -> None:
        controller = stage.add_scenarios()
        stage.store.create(scenario(create(make_node("n1")), done(2)))
        controller.advance()
        controller.advance()
        assert building.phase(stage) == "Running"

    stage, journal = _alive(_killed(tmp_path / "data", play))
    stage.add_scenarios()
    assert building.phase(stage) == "Failed"
    journal.close()


def _traffic(stage: Stage, passed: str) -> None:
    _workloads(stage)
    spec = {
        "target": {"kind": "Deployment", "name": "web"},
        "duration": "10m",
        "pattern": {"poisson": {"rps": 20}},
        "request": {"cpu": "10ms"},
    }
    metadata = {"name": "shoppers", "namespace": "default"}
    stage.apply(
        [{"apiVersion": TRAFFIC[0], "kind": TRAFFIC[1], "metadata": metadata, "spec": spec}]
    )
    stage.run(passed)


def _arrived(stage: Stage) -> int:
    assert stage.traffic is not None
    return stage.traffic.records()["default/shoppers"].arrived


@pytest.mark.parametrize("passed", ["4m", "11m"])
def test_requests_come_on_as_they_would_have_come(tmp_path: pathlib.Path, passed: str) -> None:
    before = 0

    def play(stage: Stage) -> None:
        nonlocal before
        _traffic(stage, passed)
        before = _arrived(stage)

    stage, journal = _alive(_killed(tmp_path / "data", play))
    undisturbed, other = _alive(tmp_path / "undisturbed")
    _traffic(undisturbed, "30m")
    stage.run("30m")
    assert before > 0
    # A Traffic says to the second when it was made.
    assert abs(before + _arrived(stage) - _arrived(undisturbed)) < 60
    assert (_arrived(stage) == 0) == (passed == "11m")
    journal.close()
    other.close()
