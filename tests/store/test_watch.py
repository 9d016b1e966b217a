from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import BadRequest, Expired, Invalid, ResourceVersionTooLarge
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, pod

if TYPE_CHECKING:
    from kubestage.store.store import Store
    from kubestage.store.watch import Watch


@pytest.fixture
def store() -> Store:
    return make_store()


def told(watch: Watch) -> list[tuple[str, str]]:
    return [(event.type, event.object["metadata"].get("name", "")) for event in watch.poll()]


def test_a_watch_without_a_version_begins_with_what_is_there(store: Store) -> None:
    store.create(config_map("b"))
    store.create(config_map("a"))
    watch = store.watch(CONFIG_MAP)
    assert told(watch) == [("ADDED", "a"), ("ADDED", "b")]
    store.create(config_map("c"))
    assert told(watch) == [("ADDED", "c")]
    assert told(watch) == []


def test_a_watch_from_a_version_tells_only_what_came_after(store: Store) -> None:
    store.create(config_map("a"))
    version = store.resource_version
    store.patch(CONFIG_MAP, "a", {"data": {"a": "2"}})
    store.delete(CONFIG_MAP, "a")
    watch = store.watch(CONFIG_MAP, resource_version=version)
    assert told(watch) == [("MODIFIED", "a"), ("DELETED", "a")]


def test_events_share_the_stored_object(store: Store) -> None:
    created = store.create(config_map("a"))
    one, other = store.watch(CONFIG_MAP), store.watch(CONFIG_MAP)
    assert one.poll()[0].object is created
    updated = store.patch(CONFIG_MAP, "a", {"data": {"a": "2"}})
    event = one.poll()[0]
    assert event.object is updated
    assert other.poll()[1] is event


def test_a_deletion_carries_its_own_version(store: Store) -> None:
    created = store.create(config_map("a"))
    watch = store.watch(CONFIG_MAP, resource_version=store.resource_version)
    store.delete(CONFIG_MAP, "a")
    deleted = watch.poll()[0].object
    assert deleted["metadata"]["resourceVersion"] == store.resource_version
    assert deleted["data"] == created["data"]


def test_changes_that_say_nothing_are_not_told(store: Store) -> None:
    store.create(config_map("a"))
    watch = store.watch(CONFIG_MAP, resource_version=store.resource_version)
    store.patch(CONFIG_MAP, "a", {"data": {"a": "1"}})
    assert told(watch) == []


def test_objects_enter_and_leave_a_selection(store: Store) -> None:
    watch = store.watch(CONFIG_MAP, label_selector="x=1")
    store.create(config_map("a", labels={"x": "0"}))
    store.patch(CONFIG_MAP, "a", {"metadata": {"labels": {"x": "1"}}})
    store.patch(CONFIG_MAP, "a", {"data": {"a": "2"}})
    store.patch(CONFIG_MAP, "a", {"metadata": {"labels": {"x": "2"}}})
    left = store.resource_version
    store.delete(CONFIG_MAP, "a")
    events = watch.poll()
    assert [event.type for event in events] == ["ADDED", "MODIFIED", "DELETED"]
    assert events[-1].object["metadata"]["labels"] == {"x": "1"}
    assert events[-1].object["metadata"]["resourceVersion"] == left


def test_a_pod_enters_the_watch_of_its_node_when_bound(store: Store) -> None:
    watch = store.watch(POD, field_selector="spec.nodeName=n1")
    store.create(pod("a"))
    store.bind("a", "default", "n1")
    assert told(watch) == [("ADDED", "a")]


def test_a_watch_keeps_to_its_namespace(store: Store) -> None:
    watch = store.watch(CONFIG_MAP, "default")
    store.create(config_map("a", "kube-system"))
    store.create(config_map("b"))
    assert told(watch) == [("ADDED", "b")]


def test_pending_says_whether_a_poll_is_worth_while(store: Store) -> None:
    watch = store.watch(CONFIG_MAP, "default")
    assert watch.pending == 0
    store.create(config_map("a"))
    assert watch.pending == 1
    watch.poll()
    assert watch.pending == 0


def test_initial_events_end_with_a_bookmark(store: Store) -> None:
    store.create(config_map("a"))
    watch = store.watch(
        CONFIG_MAP,
        send_initial_events=True,
        resource_version_match=r"NotOlderThan",
        allow_bookmarks=True,
    )
    added, mark = watch.poll()
    assert added.type == "ADDED"
    assert mark.type == "BOOKMARK"
    assert mark.object == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "resourceVersion": store.resource_version,
            "annotations": {"k8s.io/initial-events-end": "true"},
        },
    }


def test_a_watch_can_do_without_initial_events(store: Store) -> None:
    store.create(config_map("a"))
    watch = store.watch(
        CONFIG_MAP, send_initial_events=False, resource_version_match=r"NotOlderThan"
    )
    store.create(config_map("b"))
    assert told(watch) == [("ADDED", "b")]


def test_a_bookmark_lets_a_quiet_watch_keep_up(store: Store) -> None:
    watch = store.watch(CONFIG_MAP, allow_bookmarks=True, resource_version=store.resource_version)
    store.create(pod("other"))
    mark = watch.bookmark()
    assert mark is not None
    assert mark.object["metadata"] == {"resourceVersion": store.resource_version}


def test_no_bookmark_overtakes_events(store: Store) -> None:
    watch = store.watch(CONFIG_MAP, allow_bookmarks=True, resource_version=store.resource_version)
    store.create(config_map("a"))
    assert watch.bookmark() is None
    assert store.watch(CONFIG_MAP).bookmark() is None


def test_a_version_that_is_forgotten_has_expired() -> None:
    store = make_store(history=4)
    version = store.resource_version
    late = store.watch(CONFIG_MAP, resource_version=version)
    for index in range(20):
        store.create(config_map(f"a{index}"))
    with pytest.raises(Expired, match=r"too old resource version: 7"):
        store.watch(CONFIG_MAP, resource_version=version)
    with pytest.raises(Expired):
        late.poll()


def test_history_is_kept_by_kind() -> None:
    store = make_store(history=4)
    version = store.resource_version
    for index in range(20):
        store.create(config_map(f"a{index}"))
    assert told(store.watch(POD, resource_version=version)) == []


def test_a_store_that_starts_late_has_no_past() -> None:
    store = make_store(first_revision=1_000)
    with pytest.raises(Expired):
        store.watch(CONFIG_MAP, resource_version="999")
    assert store.watch(CONFIG_MAP, resource_version="1000").poll() == []


def test_a_version_not_yet_reached_is_waited_for(store: Store) -> None:
    ahead = int(store.resource_version) + 2
    watch = store.watch(CONFIG_MAP, resource_version=str(ahead))
    for name in "abc":
        store.create(config_map(name))
    assert told(watch) == [("ADDED", "c")]


def test_initial_events_cannot_be_of_the_future(store: Store) -> None:
    with pytest.raises(ResourceVersionTooLarge):
        store.watch(
            CONFIG_MAP,
            resource_version="999",
            send_initial_events=True,
            resource_version_match=r"NotOlderThan",
        )


@pytest.mark.parametrize(
    ("initial", "match", "message"),
    [
        (True, "", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
        (None, "NotOlderThan", "forbidden for watch unless sendInitialEvents is provided"),
        (True, "Exact", 'Unsupported value: "Exact": supported values: "NotOlderThan"'),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    store: Store, initial: bool | None, match: str, message: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        store.watch(CONFIG_MAP, send_initial_events=initial, resource_version_match=match)
    assert message in refusal.value.message


def test_a_version_is_a_number(store: Store) -> None:
    with pytest.raises(BadRequest, match=r'parsing "abc": invalid syntax'):
        store.watch(CONFIG_MAP, resource_version="abc")


def test_changes_in_place_of_events(store: Store) -> None:
    created = store.create(config_map("a"))
    watch = store.watch(CONFIG_MAP, field_selector="metadata.name!=b")
    (event,), changes = watch.poll_changes(None, 5)
    assert (event.object, changes) == (created, [])
    store.create(config_map("b"))
    updated = store.patch(CONFIG_MAP, "a", {"data": {"a": "2"}})
    through = store.revision
    store.delete(CONFIG_MAP, "a")
    events, (change,) = watch.poll_changes(through, 5)
    assert (events, change.old, change.new) == ([], created, updated)
    _, (gone,) = watch.poll_changes(None, 5)
    assert (gone.type, gone.old) == ("DELETED", updated)
    assert watch.poll_changes(None, 5) == ([], [])
