from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import Stage
from kubestage.controllers import ownership
from kubestage.objects import hashing
from kubestage.testing import make_pod, make_replica_set
from tests.controllers.deployment.rollouts import condition, deployment, roll_to, scale_to, started
from tests.controllers.fleet import DEPLOYMENT, POD, REPLICA_SET, Fleet
from tests.controllers.stages import events

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _annotations(obj: Json) -> dict[str, str]:
    annotations: dict[str, str] = obj["metadata"]["annotations"]
    return annotations


def test_a_replica_set_is_made_that_is_named_by_its_template() -> None:
    fleet = Fleet(deployment(replicas=3, surge=1, minReadySeconds=7))
    (made,) = fleet.replica_sets()
    digest = hashing.deployment_hash(fleet.get(DEPLOYMENT, "web"))
    assert made["metadata"]["name"] == f"web-{digest}"
    assert made["metadata"]["labels"] == {"app": "web", "pod-template-hash": digest}
    assert made["spec"]["selector"]["matchLabels"] == made["metadata"]["labels"]
    assert made["spec"]["template"]["metadata"]["labels"] == made["metadata"]["labels"]
    assert (made["spec"]["replicas"], made["spec"]["minReadySeconds"]) == (3, 7)
    assert ownership.is_controlled_by(made, fleet.get(DEPLOYMENT, "web"))
    assert _annotations(made) == {
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
        "deployment.kubernetes.io/revision": "1",
    }
    assert events(fleet.stage, "ScalingReplicaSet") == [
        ("ScalingReplicaSet", f"Scaled up replica set web-{digest} from 0 to 3", 1)
    ]


def test_the_status_tells_of_all_pods_and_of_success() -> None:
    fleet = started(deployment(replicas=2))
    found = fleet.get(DEPLOYMENT, "web")
    assert _annotations(found)["deployment.kubernetes.io/revision"] == "1"
    status = {key: text for key, text in found["status"].items() if key != "conditions"}
    assert status == {
        "observedGeneration": 1,
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": 2,
        "availableReplicas": 2,
        "terminatingReplicas": 0,
    }
    assert condition(fleet, "Available") == (
        "True",
        "MinimumReplicasAvailable",
        "Deployment has minimum availability.",
    )
    name = fleet.replica_sets()[0]["metadata"]["name"]
    assert condition(fleet, "Progressing") == (
        "True",
        "NewReplicaSetAvailable",
        f'ReplicaSet "{name}" has successfully progressed.',
    )


def test_replica_sets_that_match_are_adopted_and_the_one_of_the_template_is_the_new_one() -> None:
    made = deployment(replicas=1)
    found = make_replica_set("web-old", labels={"app": "web"})
    found["spec"]["template"] = made["spec"]["template"]
    fleet = Fleet(found, made)
    (adopted,) = fleet.replica_sets()
    assert ownership.is_controlled_by(adopted, fleet.get(DEPLOYMENT, "web"))
    assert _annotations(adopted)["deployment.kubernetes.io/revision"] == "1"


def test_a_replica_set_that_comes_later_is_adopted_and_one_that_is_labelled_away_released() -> None:
    fleet = Fleet(deployment(replicas=1))
    owner = fleet.get(DEPLOYMENT, "web")
    fleet.create(make_replica_set("late", replicas=0, labels={"app": "web"}))
    assert ownership.is_controlled_by(fleet.get(REPLICA_SET, "late"), owner)
    fleet.patch(REPLICA_SET, "late", {"metadata": {"labels": {"app": "other"}}})
    assert "ownerReferences" not in fleet.get(REPLICA_SET, "late")["metadata"]


def test_a_name_that_is_taken_is_not_used() -> None:
    made = deployment(replicas=1)
    first = Fleet(made).replica_sets()[0]["metadata"]["name"]
    stranger = make_replica_set(first, replicas=0, labels={"app": "stranger"})
    fleet = Fleet(stranger, made)
    fleet.stage.run("1s")
    assert fleet.get(DEPLOYMENT, "web")["status"]["collisionCount"] == 1
    owner = fleet.get(DEPLOYMENT, "web")
    (own,) = [each for each in fleet.replica_sets() if ownership.is_controlled_by(each, owner)]
    assert own["metadata"]["name"] != first


def test_annotations_and_waiting_times_are_kept_in_step() -> None:
    fleet = started(deployment(replicas=1))
    fleet.patch(DEPLOYMENT, "web", {"metadata": {"annotations": {"team": "b"}}})
    assert _annotations(fleet.replica_sets()[0])["team"] == "b"
    fleet.patch(DEPLOYMENT, "web", {"spec": {"minReadySeconds": 4}})
    assert fleet.replica_sets()[0]["spec"]["minReadySeconds"] == 4
    assert len(fleet.replica_sets()) == 1


def test_scaling_changes_the_only_replica_set() -> None:
    fleet = started(deployment(replicas=2))
    scale_to(fleet, 5)
    assert fleet.sizes() == [5]
    scale_to(fleet, 0)
    assert fleet.sizes() == [0]
    assert fleet.pods() == []
    told = [text for _, text, _ in events(fleet.stage, "ScalingReplicaSet")]
    name = fleet.replica_sets()[0]["metadata"]["name"]
    assert told[1:] == [
        f"Scaled up replica set {name} from 2 to 5",
        f"Scaled down replica set {name} from 5 to 0",
    ]


def test_old_replica_sets_are_deleted_beyond_the_limit() -> None:
    fleet = started(deployment(replicas=1, revisionHistoryLimit=2))
    for image in ("v2", "v3", "v4", "v5"):
        roll_to(fleet, image)
        fleet.start_all()
    found = [
        _annotations(each)["deployment.kubernetes.io/revision"] for each in fleet.replica_sets()
    ]
    assert found == ["3", "4", "5"]


def test_going_back_to_a_template_revives_its_replica_set() -> None:
    fleet = started(deployment(replicas=1))
    roll_to(fleet, "v2")
    fleet.start_all()
    roll_to(fleet, "v1")
    fleet.start_all()
    assert fleet.sizes() == [0, 1]
    revived = _annotations(fleet.replica_sets()[1])
    assert revived["deployment.kubernetes.io/revision"] == "3"
    assert revived["deployment.kubernetes.io/revision-history"] == "1"
    assert _annotations(fleet.get(DEPLOYMENT, "web"))["deployment.kubernetes.io/revision"] == "3"


def test_a_deployment_that_is_deleted_does_nothing_but_report() -> None:
    made = deployment(replicas=2)
    made["metadata"]["finalizers"] = ["example.com/hold"]
    fleet = Fleet(made)
    fleet.store.delete(DEPLOYMENT, "web", "default")
    fleet.react()
    scale_to(fleet, 5)
    assert fleet.sizes() == [2]
    fleet.start(fleet.pods()[0])
    assert fleet.get(DEPLOYMENT, "web")["status"]["readyReplicas"] == 1


def test_a_pod_that_becomes_ready_costs_one_look_of_each_loop() -> None:
    fleet = Fleet(deployment(replicas=5))
    fleet.start(fleet.pods()[0])
    before = fleet.runner.syncs
    fleet.start(fleet.pods()[0])
    assert fleet.runner.syncs == before + 2


def test_nothing_is_looked_at_while_nothing_happens() -> None:
    fleet = started(deployment(replicas=2))
    before = fleet.runner.syncs
    fleet.stage.run("24h")
    assert fleet.runner.syncs <= before + 1


def test_a_replica_set_of_a_deployment_that_is_not_there_is_left_alone() -> None:
    fleet = started(deployment(replicas=1))
    own = fleet.replica_sets()[0]
    stray = make_replica_set("stray", replicas=0, labels={"app": "web"})
    reference = ownership.controller_reference(fleet.get(DEPLOYMENT, "web"))
    stray["metadata"]["ownerReferences"] = [{**reference, "uid": "somebody-else"}]
    fleet.create(stray)
    assert fleet.get(REPLICA_SET, "stray")["metadata"]["ownerReferences"][0]["uid"] == (
        "somebody-else"
    )
    assert fleet.get(REPLICA_SET, own["metadata"]["name"])["spec"]["replicas"] == 1
    assert len(fleet.store.list(POD).items) == 1


def test_a_replica_set_that_was_there_first_is_adopted() -> None:
    """The loop of Deployments is loaded with the first of them."""
    stage = Stage()
    stage.add_controllers()
    old = make_replica_set("old", labels={"app": "web"}, pod=make_pod(image="v0"))
    stage.apply([old])
    stage.run("10s")
    stage.apply([deployment(replicas=1)])
    stage.run("10s")
    adopted = stage.store.get(REPLICA_SET, "old")
    assert ownership.is_controlled_by(adopted, stage.store.get(DEPLOYMENT, "web"))
