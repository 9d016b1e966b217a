from __future__ import annotations

from typing import Any

from kubestage.testing import make_pod
from tests.controllers.fleet import POD, Fleet
from tests.controllers.stages import events

_RC = ("v1", "ReplicationController")


def _controller(replicas: int) -> dict[str, Any]:
    template = make_pod("unnamed", labels={"app": "rc"})
    return {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "rc", "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"app": "rc"},
            "template": {"metadata": {"labels": {"app": "rc"}}, "spec": template["spec"]},
        },
    }


def test_pods_are_made_adopted_and_reported_without_those_about_to_go() -> None:
    fleet = Fleet(make_pod("mine", labels={"app": "rc"}), _controller(2))
    assert len(fleet.pods(fleet.get(_RC, "rc"))) == 2
    fleet.start(fleet.get(POD, "mine"))
    assert fleet.get(_RC, "rc")["status"] == {
        "replicas": 2,
        "fullyLabeledReplicas": 2,
        "readyReplicas": 1,
        "availableReplicas": 1,
        "observedGeneration": 1,
    }


def test_pods_are_deleted_and_told_of() -> None:
    fleet = Fleet(_controller(2))
    fleet.patch(_RC, "rc", {"spec": {"replicas": 0}})
    assert fleet.pods() == []
    assert len(events(fleet.stage, "SuccessfulDelete")) == 2
    sources = {each["source"]["component"] for each in fleet.store.list(("v1", "Event")).items}
    assert sources == {"replication-controller"}
