"""What watchers are told, when, and in which order."""

from __future__ import annotations

from kubestage.cluster.access import Resource, Selection
from kubestage.cluster.profile import ApiSection, NetworkSection, Profile, WatchSection
from tests.cluster import stages
from tests.cluster.stages import MS, POD, Every, Heard

LATE = Profile(watch=WatchSection(delay="15ms"))


def test_what_is_there_is_told_first_and_every_change_after_it() -> None:
    stage, cluster = stages.empty()
    stage.store.create(stages.pod("a"))
    heard = Heard()
    watch = cluster.watch(Selection(POD), heard.see)
    synced = [watch.is_synced]
    stage.run("1s")
    synced.append(watch.is_synced)
    assert synced == [False, True]
    stage.store.create(stages.pod("b"))
    stage.store.patch(("v1", "Pod"), "a", {"metadata": {"labels": {"x": "y"}}})
    stage.store.delete(("v1", "Pod"), "a")
    stage.run("1s")
    assert heard.told == [
        ("ADDED", "a"),
        ("ADDED", "b"),
        ("MODIFIED", "a"),
        ("MODIFIED", "a"),
        ("DELETED", "a"),
    ], "a pod is marked before it goes"


def test_a_watch_of_nothing_is_synced_when_its_list_is_there() -> None:
    slow = Profile(api=ApiSection(list="50ms"), network=NetworkSection(round_trip="10ms"))
    stage, cluster = stages.empty(slow)
    watch = cluster.watch(Selection(POD), Heard().see)
    stage.run(59 * MS)
    synced = [watch.is_synced]
    stage.run(1 * MS)
    assert [*synced, watch.is_synced] == [False, True]


def test_changes_are_heard_of_after_the_delay() -> None:
    stage, cluster = stages.empty(LATE)
    heard = Heard()
    cluster.watch(Selection(POD), heard.see)
    stage.run("1s")
    stage.store.create(stages.pod("a"))
    stage.run("1s")
    assert [each.at_ns for each in heard.seen] == [1_015 * MS]


def test_no_event_overtakes_another_however_long_each_is_on_its_way() -> None:
    stage, cluster = stages.empty(Profile(watch=WatchSection(delay="exp(200ms)")))
    heard = Heard()
    cluster.watch(Selection(POD), heard.see)

    def act(index: int) -> None:
        stage.store.create(stages.pod(f"pod-{index:03}"))

    Every(cluster, 10 * MS, 200, act)
    stage.run("60s")
    names = [name for _, name in heard.told]
    times = [each.at_ns for each in heard.seen]
    assert names == [f"pod-{index:03}" for index in range(200)]
    assert times == sorted(times)
    assert all((index + 1) * 10 * MS - 10 * MS <= at_ns for index, at_ns in enumerate(times)), (
        "nothing is heard of before it happened"
    )


def test_an_object_enters_and_leaves_a_selection() -> None:
    stage, cluster = stages.empty()
    heard = Heard()
    cluster.watch(Selection(POD, namespace="default", label_selector="app=web"), heard.see)
    stage.run(1)
    store = stage.store
    store.create(stages.pod("a", app="web"))
    store.create(stages.pod("b", app="db"))
    store.create(stages.pod("c", app="web"), namespace="kube-system")
    store.patch(("v1", "Pod"), "a", {"metadata": {"labels": {"app": "db"}}})
    store.patch(("v1", "Pod"), "b", {"metadata": {"labels": {"app": "web"}}})
    store.patch(("v1", "Pod"), "b", {"metadata": {"labels": {"tier": "1"}}})
    store.delete(("v1", "Pod"), "a")
    store.delete(("v1", "Pod"), "b")
    stage.run("1s")
    assert heard.told == [
        ("ADDED", "a"),
        ("DELETED", "a"),
        ("ADDED", "b"),
        ("MODIFIED", "b"),
        ("MODIFIED", "b"),
        ("DELETED", "b"),
    ]
    left = heard.seen[1].object["metadata"]
    assert left["labels"] == {"app": "web"}, "what left is shown as it was when it was in"


def test_fields_select_too() -> None:
    stage, cluster = stages.alive()
    heard = Heard()
    cluster.watch(Selection(POD, field_selector="spec.nodeName=node-1"), heard.see)
    cluster.call(stages.create(stages.deployment("web", 6)), heard.answer)
    stage.run("10s")
    names = {each.object["spec"]["nodeName"] for each in heard.seen}
    assert names == {"node-1"}
    assert heard.seen[0].type == "ADDED"


def test_who_stops_is_told_no_more_not_even_what_is_on_its_way() -> None:
    stage, cluster = stages.empty(LATE)
    heard = Heard()
    watch = cluster.watch(Selection(POD), heard.see)
    stage.run("1s")
    stage.store.create(stages.pod("a"))
    watch.stop()
    watch.stop()
    stage.store.create(stages.pod("b"))
    stage.run("1s")
    assert heard.seen == []
    assert not stage.store.collection(("v1", "Pod")).subscribers[1:]


def test_a_watch_that_is_stopped_before_it_began_never_begins() -> None:
    stage, cluster = stages.empty(LATE)
    heard = Heard()
    cluster.watch(Selection(POD), heard.see).stop()
    stage.store.create(stages.pod("a"))
    stage.run("1s")
    assert heard.seen == []


def test_a_watcher_may_stop_from_within_what_it_is_told() -> None:
    stage, cluster = stages.empty()
    for name in "abc":
        stage.store.create(stages.pod(name))
    heard = Heard()

    class Once(Heard):
        def see(self, seen: object) -> None:
            heard.see(seen)  # type: ignore[arg-type] # passed on
            watch.stop()

    watch = cluster.watch(Selection(POD), Once().see)
    stage.run("1s")
    assert heard.told == [("ADDED", "a")]


def test_objects_are_shown_in_the_version_that_is_watched() -> None:
    stage, cluster = stages.empty()
    heard = Heard()
    cluster.watch(Selection(Resource("autoscaling/v1", "HorizontalPodAutoscaler")), heard.see)
    stage.run(1)
    stage.store.create(
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web"},
            "spec": {
                "maxReplicas": 3,
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            },
        }
    )
    stage.run("1s")
    assert [each.object["apiVersion"] for each in heard.seen] == ["autoscaling/v1"]


def test_each_event_is_told_at_its_own_time() -> None:
    stage, cluster = stages.empty(LATE)
    heard = Heard()
    cluster.watch(Selection(POD), heard.see)
    stage.run("1s")
    for name in "ab":
        stage.store.create(stages.pod(name))
        stage.run(10 * MS)
    stage.run("1s")
    assert [each.at_ns for each in heard.seen] == [1_015 * MS, 1_025 * MS]


def test_no_change_is_heard_of_before_the_list_is_there_and_the_list_counts_as_a_call() -> None:
    stage, cluster = stages.empty(Profile(api=ApiSection(list="50ms")))
    heard = Heard()
    cluster.watch(Selection(POD), heard.see)
    stage.run(10 * MS)
    stage.store.create(stages.pod("a"))
    stage.run("1s")
    assert [each.at_ns for each in heard.seen] == [50 * MS + 1]
    endpoint = cluster.api.endpoints.find("LIST", stage.store.kind(("v1", "Pod")), scope="cluster")
    assert endpoint.codes == {200: 1}
    assert round(endpoint.duration.total, 6) == 0.05
