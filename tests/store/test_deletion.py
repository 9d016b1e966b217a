from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Conflict, Forbidden, Invalid, NotFound
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.deletion import BACKGROUND, DeleteOptions
from kubestage.store.store import Store
from kubestage.units import SECOND_NS
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, names, pod

if TYPE_CHECKING:
    from kubestage.store.core import GarbageMode
    from kubestage.store.log import Change

EVENT = ("v1", "Event")


def event(name: str, **metadata: Any) -> dict[str, Any]:
    """An Event about a pod."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
        "reason": "Pulled",
        "type": "Normal",
    }


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> Store:
    return Store(clock, Streams(1), garbage="manual")


def bound_pod(store: Store, name: str = "p", **metadata: Any) -> None:
    store.create(pod(name, **metadata))
    store.bind(name, "default", "n1")


def test_most_kinds_go_at_once(store: Store) -> None:
    store.create(config_map("a"))
    result = store.delete(CONFIG_MAP, "a")
    assert result.removed
    assert result.object["metadata"]["resourceVersion"] == store.resource_version
    with pytest.raises(NotFound):
        store.get(CONFIG_MAP, "a")
    with pytest.raises(NotFound):
        store.delete(CONFIG_MAP, "a")


def test_a_bound_pod_gets_its_grace_period(store: Store, clock: Clock) -> None:
    bound_pod(store)
    clock.now_ns = 10 * SECOND_NS
    result = store.delete(POD, "p")
    assert not result.removed
    metadata = store.get(POD, "p")["metadata"]
    assert metadata["deletionTimestamp"] == "2026-01-01T00:00:40Z"
    assert metadata["deletionGracePeriodSeconds"] == 30
    assert metadata["generation"] == 2


def test_a_grace_period_can_be_asked_for(store: Store) -> None:
    bound_pod(store)
    result = store.delete(POD, "p", options=DeleteOptions(grace_period_seconds=5))
    assert result.object["metadata"]["deletionGracePeriodSeconds"] == 5


def test_a_negative_grace_period_is_a_second(store: Store) -> None:
    bound_pod(store)
    result = store.delete(POD, "p", options=DeleteOptions(grace_period_seconds=-3))
    assert result.object["metadata"]["deletionGracePeriodSeconds"] == 1


def test_asking_twice_changes_nothing(store: Store) -> None:
    bound_pod(store)
    first = store.delete(POD, "p").object
    assert store.delete(POD, "p").object is first
    longer = DeleteOptions(grace_period_seconds=60)
    assert store.delete(POD, "p", options=longer).object is first


def test_a_grace_period_can_be_shortened(store: Store, clock: Clock) -> None:
    bound_pod(store)
    store.delete(POD, "p")
    clock.now_ns = 3 * SECOND_NS
    shorter = store.delete(POD, "p", options=DeleteOptions(grace_period_seconds=10)).object
    assert shorter["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:10Z"
    assert shorter["metadata"]["generation"] == 2


def test_shortening_never_reaches_into_the_past(store: Store, clock: Clock) -> None:
    bound_pod(store)
    store.delete(POD, "p")
    clock.now_ns = 20 * SECOND_NS
    shorter = store.delete(POD, "p", options=DeleteOptions(grace_period_seconds=10)).object
    assert shorter["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:20Z"
    assert shorter["metadata"]["deletionGracePeriodSeconds"] == 1


def test_the_kubelet_ends_the_pod_with_no_grace(store: Store) -> None:
    bound_pod(store)
    watch = store.watch(POD, resource_version=store.resource_version)
    store.delete(POD, "p")
    result = store.delete(POD, "p", options=DeleteOptions(grace_period_seconds=0))
    assert result.removed
    events = watch.poll()
    assert [event.type for event in events] == ["MODIFIED", "MODIFIED", "DELETED"]
    graces = [event.object["metadata"]["deletionGracePeriodSeconds"] for event in events]
    assert graces == [30, 0, 0]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_pod_goes_at_once(store: Store, phase: str) -> None:
    bound_pod(store)
    store.patch(POD, "p", {"status": {"phase": phase}}, subresource="status")
    assert store.delete(POD, "p").removed


def test_an_unbound_pod_goes_at_once(store: Store) -> None:
    store.create(pod("p"))
    result = store.delete(POD, "p")
    assert result.removed
    assert result.object["metadata"]["deletionGracePeriodSeconds"] == 0


def test_finalizers_hold_an_object_until_the_last_is_gone(store: Store) -> None:
    store.create(config_map("a", finalizers=["x.io/f", "y.io/g"]))
    result = store.delete(CONFIG_MAP, "a")
    assert not result.removed
    metadata = result.object["metadata"]
    assert metadata["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    assert metadata["deletionGracePeriodSeconds"] == 0
    assert store.delete(CONFIG_MAP, "a").object is result.object
    store.patch(CONFIG_MAP, "a", {"metadata": {"finalizers": ["x.io/f"]}})
    version = store.get(CONFIG_MAP, "a")["metadata"]["resourceVersion"]
    last = store.patch(CONFIG_MAP, "a", {"metadata": {"finalizers": None}})
    assert last["metadata"]["resourceVersion"] == version
    with pytest.raises(NotFound):
        store.get(CONFIG_MAP, "a")


def test_no_finalizer_is_added_to_what_ends(store: Store) -> None:
    store.create(config_map("a", finalizers=["x.io/f"]))
    store.delete(CONFIG_MAP, "a")
    with pytest.raises(Invalid, match=r"no new finalizers can be added"):
        store.patch(CONFIG_MAP, "a", {"metadata": {"finalizers": ["x.io/f", "z.io/new"]}})


def test_an_update_cannot_undo_a_deletion(store: Store) -> None:
    store.create(config_map("a", finalizers=["x.io/f"]))
    store.delete(CONFIG_MAP, "a")
    patch = {"metadata": {"deletionTimestamp": None, "deletionGracePeriodSeconds": None}}
    assert "deletionTimestamp" in store.patch(CONFIG_MAP, "a", patch)["metadata"]


def test_a_pod_with_finalizers_waits_for_both(store: Store) -> None:
    bound_pod(store, finalizers=["x.io/f"])
    store.delete(POD, "p")
    ended = store.delete(POD, "p", options=DeleteOptions(grace_period_seconds=0))
    assert not ended.removed
    assert store.delete(POD, "p").object is ended.object
    store.patch(POD, "p", {"metadata": {"finalizers": None}})
    assert names(store.list(POD).items) == []


@pytest.mark.parametrize(
    ("policy", "finalizer"), [("Orphan", "orphan"), ("Foreground", "foregroundDeletion")]
)
def test_a_policy_is_written_down_as_a_finalizer(store: Store, policy: str, finalizer: str) -> None:
    store.create(config_map("a"))
    result = store.delete(CONFIG_MAP, "a", options=DeleteOptions(propagation_policy=policy))
    assert not result.removed
    assert result.object["metadata"]["finalizers"] == [finalizer]


def test_background_overrides_a_policy_on_the_object(store: Store) -> None:
    store.create(config_map("a", finalizers=["orphan"]))
    options = DeleteOptions(propagation_policy="Background")
    assert store.delete(CONFIG_MAP, "a", options=options).removed


def test_the_old_way_of_asking_for_orphans(store: Store) -> None:
    store.create(config_map("a"))
    result = store.delete(CONFIG_MAP, "a", options=DeleteOptions(orphan_dependents=True))
    assert result.object["metadata"]["finalizers"] == ["orphan"]


def test_jobs_leave_their_pods_unless_told_otherwise(store: Store) -> None:
    container = {"name": "c", "image": "x:1"}
    template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"template": template},
    }
    store.create(job)
    assert store.delete(("batch/v1", "Job"), "j").object["metadata"]["finalizers"] == ["orphan"]


def test_preconditions(store: Store) -> None:
    uid = store.create(config_map("a"))["metadata"]["uid"]
    message = 'ConfigMap "a": the UID in the precondition .x. does not match the UID in record'
    with pytest.raises(Conflict, match=message):
        store.delete(CONFIG_MAP, "a", options=DeleteOptions(uid="x"))
    with pytest.raises(Conflict, match=r"the ResourceVersion in the precondition .1. does not"):
        store.delete(CONFIG_MAP, "a", options=DeleteOptions(resource_version="1"))
    assert store.delete(CONFIG_MAP, "a", options=DeleteOptions(uid=uid)).removed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            DeleteOptions(propagation_policy="Nope"),
            'Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", ',
        ),
        (
            DeleteOptions(propagation_policy="Background", orphan_dependents=True),
            "orphanDependents and deletionPropagation cannot be both set",
        ),
    ],
)
def test_wrong_options_are_refused(store: Store, options: DeleteOptions, message: str) -> None:
    store.create(config_map("a"))
    with pytest.raises(Invalid, match=r'^DeleteOptions\.meta\.k8s\.io "" is') as refusal:
        store.delete(CONFIG_MAP, "a", options=options)
    assert message in refusal.value.message


def test_a_rehearsal_deletes_nothing(store: Store) -> None:
    bound_pod(store)
    store.create(config_map("a"))
    version = store.resource_version
    shown = store.delete(POD, "p", options=DeleteOptions(dry_run=True)).object
    assert shown["metadata"]["deletionGracePeriodSeconds"] == 30
    assert store.delete(CONFIG_MAP, "a", options=DeleteOptions(dry_run=True)).removed
    now = DeleteOptions(dry_run=True, grace_period_seconds=0)
    assert store.delete(POD, "p", options=now).removed
    assert store.resource_version == version


def test_system_priority_classes_stay(store: Store) -> None:
    with pytest.raises(Forbidden, match=r"this is a system priority class and cannot be deleted"):
        store.delete(("scheduling.k8s.io/v1", "PriorityClass"), "system-node-critical")


def test_a_collection_is_deleted_by_selector(store: Store) -> None:
    for name in "abcd":
        store.create(config_map(name, labels={"odd": str(name in "ac").lower()}))
    store.create(config_map("a", "kube-system", labels={"odd": "true"}))
    deleted = store.delete_collection(CONFIG_MAP, "default", label_selector="odd=true")
    assert names(deleted.items) == ["a", "c"]
    assert list(store.read(CONFIG_MAP)) == ["default/b", "default/d", "kube-system/a"]
    store.delete_collection(CONFIG_MAP, field_selector="metadata.name=d")
    assert list(store.read(CONFIG_MAP)) == ["default/b", "kube-system/a"]


def test_a_rehearsed_collection_stays() -> None:
    store = make_store()
    store.create(config_map("a"))
    deleted = store.delete_collection(CONFIG_MAP, options=DeleteOptions(dry_run=True))
    assert names(deleted.items) == ["a"]
    assert names(store.list(CONFIG_MAP).items) == ["a"]


@pytest.mark.parametrize("garbage", ["manual", "immediate"])
def test_events_that_go_together_go_as_each_would(garbage: GarbageMode) -> None:
    seen: list[list[Any]] = []
    for options in (BACKGROUND, DeleteOptions()):
        store = Store(Clock(), Streams(1), garbage=garbage)
        for name in ("a", "b", "c"):
            store.create(event(name, finalizers=["example.com/keep"] if name == "b" else []))
        changes: list[Any] = []

        def see(change: Change, changes: list[Any] = changes) -> None:
            changes.append((change.revision, change.type, change.key, change.new, change.old))

        store.subscribe(see)
        deleted = store.delete_collection(EVENT, "default", options=options)
        assert names(deleted.items) == ["a", "b", "c"]
        assert list(store.read(EVENT)) == ["default/b"]
        seen.append(changes)
    assert seen[0] == seen[1]
    assert [kind for _, kind, *_ in seen[0]] == ["DELETED", "MODIFIED", "DELETED"]
