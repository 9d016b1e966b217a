from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.replay.scenarios import Lab, make, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json


def conditions(found: Json) -> dict[str, str]:
    return {each["type"]: each["status"] for each in found["status"]["conditions"]}


def test_serially_one_pod_starts_whenever_it_is_quiet() -> None:
    lab = Lab(make(quiet=0.35))
    lab.create(pod("a"), pod("b"))
    lab.run(0.3)
    assert lab.phases() == {"a": "Pending", "b": "Pending"}
    lab.run(0.1)
    assert lab.phases() == {"a": "Running", "b": "Pending"}
    lab.run(0.4)
    assert lab.phases() == {"a": "Running", "b": "Running"}


def test_in_rounds_all_start_together() -> None:
    lab = Lab(make(kubelet="rounds", quiet=1.3))
    lab.create(pod("a"), pod("b"))
    lab.run(1.4)
    assert lab.phases() == {"a": "Running", "b": "Running"}


def test_in_parallel_each_starts_a_while_after_its_binding() -> None:
    lab = Lab(make(kubelet="parallel"))
    lab.create(pod("a"))
    lab.run(0.1)
    lab.create(pod("b"))
    lab.run(0.15)
    assert lab.phases() == {"a": "Running", "b": "Pending"}


def test_a_change_puts_everything_off() -> None:
    lab = Lab(make(quiet=0.35))
    lab.create(pod("a"))
    lab.run(0.3)
    lab.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    lab.run(0.3)
    assert lab.phases() == {"a": "Pending"}
    lab.run(0.1)
    assert lab.phases() == {"a": "Running"}


@pytest.mark.parametrize(
    ("annotations", "phase", "ready"),
    [
        ({}, "Running", "True"),
        ({"lab/never-ready": "1"}, "Running", "False"),
        ({"lab/never-start": "1"}, "Pending", None),
        ({"lab/complete": "1"}, "Succeeded", "False"),
        ({"lab/fail": "1"}, "Failed", "False"),
        ({"lab/fail": "1", "lab/after": "60"}, "Running", "True"),
        ({"lab/x": "1"}, "Running", "True"),
    ],
)
def test_annotations_say_how_a_pod_behaves(
    annotations: dict[str, str], phase: str, ready: str | None
) -> None:
    lab = Lab()
    lab.create(pod("a", annotations=annotations, restartPolicy="Never"))
    lab.run(5)
    found = lab.pod("a")
    assert found["status"]["phase"] == phase
    assert conditions(found).get("Ready") == ready


def test_exit_code_restarts_and_disruption_are_told() -> None:
    lab = Lab()
    annotations = {
        "lab/fail": "1",
        "lab/exit-code": "42",
        "lab/restarts": "3",
        "lab/disrupted": "1",
    }
    lab.create(pod("a", annotations=annotations))
    lab.run(5)
    found = lab.pod("a")
    (container,) = found["status"]["containerStatuses"]
    assert container["state"]["terminated"]["exitCode"] == 42
    assert container["restartCount"] == 3
    assert conditions(found)["DisruptionTarget"] == "True"


def test_completion_indexes_end_as_they_are_told() -> None:
    lab = Lab(make(kubelet="rounds", quiet=0.5))
    said = {"lab/complete-indexes": "0,1", "lab/fail-indexes": "1"}
    for index in ("0", "1", "2"):
        annotations = {**said, "batch.kubernetes.io/job-completion-index": index}
        lab.create(pod(f"p{index}", annotations=annotations))
    lab.run(5)
    assert lab.phases() == {"p0": "Succeeded", "p1": "Failed", "p2": "Running"}


def test_a_terminating_pod_fails_first_and_then_goes() -> None:
    lab = Lab()
    lab.create(pod("a"), pod("b", annotations={"lab/stuck": "1"}))
    lab.run(3)
    lab.do(op="delete", kind="Pod", name="a")
    lab.do(op="delete", kind="Pod", name="b")
    assert not lab.cluster.kubelet.is_idle
    lab.run(0.351)
    assert lab.phases() == {"a": "Failed", "b": "Running"}
    lab.run(0.01)
    assert lab.phases() == {"b": "Running"}
    assert lab.cluster.kubelet.is_idle


@pytest.mark.parametrize("op", ["node-notready", "node-silent"])
def test_nothing_happens_on_a_node_that_is_asleep(op: str) -> None:
    lab = Lab(make(nodes=("n1",)))
    lab.do(op=op, name="n1")
    lab.create(pod("a", nodeName="n1"))
    lab.run(3)
    assert lab.phases() == {"a": "Pending"}
    lab.do(op="node-ready", name="n1")
    lab.run(3)
    assert lab.phases() == {"a": "Running"}


def test_a_pod_finishes_when_it_is_told_to() -> None:
    lab = Lab()
    lab.create(pod("a"))
    lab.run(2)
    assert lab.do(op="pod-finish", exit_code=0, pick={"labels": {"app": "web"}}) is None
    assert lab.phases() == {"a": "Succeeded"}


def test_readiness_is_flipped_and_words_stay() -> None:
    lab = Lab()
    lab.create(pod("a", annotations={"lab/never-ready": "1"}))
    lab.run(2)
    lab.do(op="pod-ready", name="a", ready=True)
    ready = next(each for each in lab.pod("a")["status"]["conditions"] if each["type"] == "Ready")
    assert ready["status"] == "True"
    assert "reason" not in ready
    assert ready["message"] == "containers with unready status: [c]"


def test_pods_of_the_same_cluster_have_addresses_of_their_own() -> None:
    lab = Lab(make(kubelet="rounds"))
    lab.create(*(pod(f"p{number}") for number in range(3)))
    lab.run(3)
    assert len({lab.pod(name)["status"]["podIP"] for name in lab.phases()}) == 3
