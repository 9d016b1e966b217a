from __future__ import annotations

from typing import Any

from tests.replay.scenarios import Lab, make, pod


def nodes(lab: Lab, *names: str) -> list[str | None]:
    return [lab.pod(name)["spec"].get("nodeName") for name in names]


def test_the_emptiest_node_is_taken_and_of_equal_ones_the_first() -> None:
    lab = Lab(make(nodes=("n2", "n1")))
    lab.create(pod("a"), pod("b"), pod("c"))
    lab.run(0.1)
    assert nodes(lab, "a", "b", "c") == ["n1", "n2", "n1"]


def test_pods_that_are_over_or_going_do_not_count() -> None:
    lab = Lab(make(kubelet="rounds"))
    lab.create(pod("a", annotations={"lab/complete": "1"}), pod("b"))
    lab.run(3)
    lab.create(pod("c"))
    lab.run(0.1)
    assert nodes(lab, "a", "b", "c") == ["n1", "n2", "n1"]


def test_selectors_and_taints_are_respected_and_waited_for() -> None:
    lab = Lab()
    taints = {"spec": {"taints": [{"key": "d", "value": "x", "effect": "NoSchedule"}]}}
    lab.do(op="patch", kind="Node", name="n1", patch=taints)
    toleration = {"key": "d", "operator": "Exists"}
    lab.create(
        pod("picky", nodeSelector={"kubernetes.io/hostname": "n1"}),
        pod("meek", nodeSelector={"kubernetes.io/hostname": "n1"}, tolerations=[toleration]),
        pod("any"),
    )
    lab.run(0.1)
    assert nodes(lab, "picky", "meek", "any") == [None, "n1", "n2"]
    lab.do(op="patch", kind="Node", name="n1", patch={"spec": {"taints": None}})
    lab.run(0.1)
    assert nodes(lab, "picky") == ["n1"]


def test_a_node_that_is_named_is_taken() -> None:
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    lab = Lab()
    lab.create(pod("a", affinity={"nodeAffinity": required}))
    lab.run(0.1)
    assert nodes(lab, "a") == ["n2"]


def test_some_pods_are_left_alone() -> None:
    lab = Lab()
    lab.create(
        pod("never", annotations={"lab/unschedulable": "1"}), pod("other", schedulerName="mine")
    )
    lab.run(0.1)
    assert nodes(lab, "never", "other") == [None, None]


def test_a_pod_waits_for_its_claim() -> None:
    lab = Lab()
    volume: dict[str, Any] = {"name": "v", "persistentVolumeClaim": {"claimName": "a"}}
    lab.create(pod("a", volumes=[volume]))
    lab.run(0.1)
    assert nodes(lab, "a") == [None]
    lab.create(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "pv"},
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "sc",
                "hostPath": {"path": "/x"},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "a"},
            "spec": {
                "storageClassName": "sc",
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        },
    )
    lab.run(10)
    assert nodes(lab, "a") == ["n1"]
