from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from kubestage.controllers import ownership
from kubestage.errors import NotFound
from kubestage.testing import make_pod, make_replica_set
from tests.controllers.fleet import POD, REPLICA_SET, Changes, Fleet
from tests.controllers.stages import events

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _status(fleet: Fleet, name: str = "web") -> Json:
    status: Json = fleet.get(REPLICA_SET, name)["status"]
    return status


def _names(found: list[Json]) -> set[str]:
    return {pod["metadata"]["name"] for pod in found}


def test_as_many_pods_are_made_as_asked_for_and_each_is_told() -> None:
    fleet = Fleet(make_replica_set("web", replicas=3))
    owner = fleet.get(REPLICA_SET, "web")
    made = fleet.pods(owner)
    assert len(made) == 3
    assert all(pod["metadata"]["generateName"] == "web-" for pod in made)
    told = sorted(("SuccessfulCreate", f"Created pod: {name}", 1) for name in _names(made))
    assert sorted(events(fleet.stage)) == told
    assert owner["status"] == {
        "replicas": 3,
        "fullyLabeledReplicas": 3,
        "terminatingReplicas": 0,
        "observedGeneration": 1,
    }


def test_ready_pods_are_counted() -> None:
    fleet = Fleet(make_replica_set("web", replicas=2))
    fleet.start(fleet.pods()[0])
    assert (_status(fleet)["readyReplicas"], _status(fleet)["availableReplicas"]) == (1, 1)
    fleet.start(fleet.pods()[-1], ready=False)
    assert "readyReplicas" not in _status(fleet)


def test_a_ready_pod_becomes_available_when_it_has_been_ready_for_long_enough() -> None:
    owner = make_replica_set("web")
    owner["spec"]["minReadySeconds"] = 10
    fleet = Fleet(owner)
    fleet.start(fleet.pods()[0])
    assert "availableReplicas" not in _status(fleet)
    fleet.stage.run("9s")
    assert "availableReplicas" not in _status(fleet)
    fleet.stage.run("1s")
    assert _status(fleet)["availableReplicas"] == 1


def test_a_pod_that_failed_is_replaced_and_kept() -> None:
    fleet = Fleet(make_replica_set("web"))
    failed = fleet.pods()[0]
    fleet.end(failed)
    assert _names(fleet.pods()) != _names([failed])
    assert len(fleet.store.list(POD).items) == 2
    assert _status(fleet)["replicas"] == 1


def test_a_pod_that_is_about_to_go_is_replaced_at_once_and_counted_apart() -> None:
    fleet = Fleet(make_replica_set("web"))
    fleet.start(fleet.pods()[0])
    fleet.store.delete(POD, fleet.pods()[0]["metadata"]["name"], "default")
    fleet.react()
    assert (_status(fleet)["replicas"], _status(fleet)["terminatingReplicas"]) == (1, 1)
    fleet.end_terminating()
    assert (_status(fleet)["replicas"], _status(fleet)["terminatingReplicas"]) == (1, 0)


def test_pods_that_nobody_controls_are_adopted_and_count() -> None:
    fleet = Fleet(make_pod("mine", labels={"app": "web"}), make_pod("other", labels={"app": "x"}))
    fleet.create(make_replica_set("web", replicas=2))
    owner = fleet.get(REPLICA_SET, "web")
    assert ownership.is_controlled_by(fleet.get(POD, "mine"), owner)
    assert not ownership.is_controlled_by(fleet.get(POD, "other"), owner)
    assert len(fleet.pods(owner)) == 2


def test_a_pod_that_comes_later_is_adopted_and_one_too_many_goes() -> None:
    fleet = Fleet(make_replica_set("web"))
    fleet.start(fleet.pods()[0])
    fleet.create(make_pod("late", labels={"app": "web"}))
    with pytest.raises(NotFound):
        fleet.get(POD, "late")
    assert _status(fleet)["replicas"] == 1


def test_a_pod_that_is_labelled_away_is_released_and_replaced_then_taken_back() -> None:
    fleet = Fleet(make_replica_set("web", replicas=2))
    owner, away = fleet.get(REPLICA_SET, "web"), fleet.pods()[0]["metadata"]["name"]
    fleet.patch(POD, away, {"metadata": {"labels": {"app": "other"}}})
    assert "ownerReferences" not in fleet.get(POD, away)["metadata"]
    assert len(fleet.pods(owner)) == 2
    fleet.patch(POD, away, {"metadata": {"labels": {"app": "web"}}})
    assert len(fleet.pods(owner)) == 2
    assert _status(fleet)["replicas"] == 2


def test_two_with_one_selector_do_not_take_from_each_other() -> None:
    fleet = Fleet(make_replica_set("one", replicas=2, labels={"app": "web"}))
    fleet.create(make_replica_set("two", replicas=3, labels={"app": "web"}))
    sizes = [len(fleet.pods(fleet.get(REPLICA_SET, name))) for name in ("one", "two")]
    assert sizes == [2, 3]


def test_labels_that_the_template_asks_for_now_are_counted() -> None:
    fleet = Fleet(make_replica_set("web", replicas=2))
    template = {"metadata": {"labels": {"extra": "1"}}}
    fleet.patch(REPLICA_SET, "web", {"spec": {"template": template}})
    assert "fullyLabeledReplicas" not in _status(fleet)
    fleet.patch(REPLICA_SET, "web", {"spec": {"replicas": 3}})
    assert _status(fleet)["fullyLabeledReplicas"] == 1


def test_scaling_down_spares_ready_pods() -> None:
    fleet = Fleet(make_replica_set("web", replicas=3))
    spared = fleet.pods()[1]
    fleet.start(spared)
    fleet.patch(REPLICA_SET, "web", {"spec": {"replicas": 1}})
    assert _names(fleet.pods()) == _names([spared])
    told = events(fleet.stage, "SuccessfulDelete")
    assert len(told) == 2


def test_no_more_than_five_hundred_are_made_at_once_but_all_of_them_in_the_end() -> None:
    fleet = Fleet()
    seen = Changes(fleet, "ReplicaSet")
    fleet.create(make_replica_set("web", replicas=1_100))
    reports = [change.new.get("status", {}).get("replicas", 0) for change in seen.seen]
    assert sorted(set(reports)) == [0, 500, 1_000, 1_100]


def test_an_owner_that_is_deleted_makes_no_more_pods() -> None:
    owner = make_replica_set("web")
    owner["metadata"]["finalizers"] = ["example.com/hold"]
    fleet = Fleet(owner)
    fleet.store.delete(REPLICA_SET, "web", "default")
    fleet.react()
    fleet.end(fleet.pods()[0])
    assert fleet.pods() == []
    assert (
        _status(fleet)["observedGeneration"]
        == fleet.get(REPLICA_SET, "web")["metadata"]["generation"]
    )


def test_a_settled_owner_is_not_looked_at_for_changes_that_count_for_nothing() -> None:
    fleet = Fleet(make_replica_set("web", replicas=2))
    before = fleet.runner.syncs
    fleet.bind(fleet.pods()[0])
    assert fleet.runner.syncs == before


def test_a_pod_that_becomes_ready_costs_one_look() -> None:
    fleet = Fleet(make_replica_set("web", replicas=2))
    fleet.bind(fleet.pods()[0])
    before = fleet.runner.syncs
    fleet.start(fleet.pods()[-1])
    assert fleet.runner.syncs == before + 1


def test_a_status_that_somebody_else_wrote_is_put_right() -> None:
    fleet = Fleet(make_replica_set("web", replicas=2))
    fleet.patch(REPLICA_SET, "web", {"status": {"replicas": 7}}, subresource="status")
    assert _status(fleet)["replicas"] == 2


def test_a_copy_goes_on_as_the_original_would() -> None:
    fleet = Fleet(make_replica_set("web", replicas=2))
    copy: Fleet = pickle.loads(pickle.dumps(fleet))
    for each in (fleet, copy):
        each.start(each.pods()[0])
        each.patch(REPLICA_SET, "web", {"spec": {"replicas": 4}})
        each.stage.run("1m")
    assert fleet.store.read(POD) == copy.store.read(POD)
    assert fleet.store.read(REPLICA_SET) == copy.store.read(REPLICA_SET)
