from __future__ import annotations

import copy
import re

import pytest

from kubestage.errors import AlreadyExists, BadRequest, InputError, Invalid, NotFound
from kubestage.measure import informer
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, names, pod


@pytest.fixture
def store() -> Store:
    return make_store()


def test_a_new_object_is_stamped_defaulted_and_stored(store: Store) -> None:
    created = store.create(pod("a"))
    metadata = created["metadata"]
    assert metadata["resourceVersion"] == store.resource_version
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", metadata["uid"])
    assert metadata["generation"] == 1
    assert created["spec"]["restartPolicy"] == "Always"
    assert created["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert store.get(POD, "a") is created


def test_who_observes_an_object_has_the_same_key(store: Store) -> None:
    store.create(pod("web"))
    (key,) = store.read(POD)
    assert informer.key_of(store.read(POD)[key]) is key


def test_the_input_is_neither_kept_nor_changed(store: Store) -> None:
    given = pod("a", labels={"x": "1"}, annotations={"y": "2"})
    before = copy.deepcopy(given)
    created = store.create(given)
    assert given == before
    given["metadata"]["labels"]["x"] = "changed"
    given["spec"]["containers"][0]["image"] = "changed"
    assert created["metadata"]["labels"] == {"x": "1"}
    assert created["spec"]["containers"][0]["image"] == "nginx:1.27"


def test_time_comes_from_the_virtual_clock() -> None:
    clock = Clock()
    store = Store(clock, Streams(1))
    clock.now_ns = 90 * 10**9
    assert store.create(pod("a"))["metadata"]["creationTimestamp"] == "2026-01-01T00:01:30Z"


def test_fields_that_the_kind_does_not_know_survive(store: Store) -> None:
    given = pod("a")
    given["spec"]["fromTheFuture"] = {"x": [1]}
    store.create(given)
    patched = store.patch(POD, "a", {"metadata": {"labels": {"x": "1"}}})
    assert patched["spec"]["fromTheFuture"] == {"x": [1]}


def test_what_only_the_server_writes_is_not_taken(store: Store) -> None:
    own = "00000000-0000-0000-0000-000000000005"
    given = config_map("a", uid=own, creationTimestamp="2001-01-01T00:00:00Z")
    given["metadata"]["deletionTimestamp"] = "2001-01-01T00:00:00Z"
    metadata = store.create(given)["metadata"]
    assert metadata["uid"] != own
    assert metadata["creationTimestamp"] == "2026-01-01T00:00:00Z"
    assert "deletionTimestamp" not in metadata


def test_a_name_is_given_once(store: Store) -> None:
    store.create(config_map("a"))
    with pytest.raises(AlreadyExists, match=r'^configmaps "a" already exists$'):
        store.create(config_map("a"))


def test_a_name_stays_taken_while_its_object_ends(store: Store) -> None:
    store.create(config_map("a", finalizers=["x.io/f"]))
    store.delete(CONFIG_MAP, "a")
    with pytest.raises(AlreadyExists, match=r"^object is being deleted: configmaps"):
        store.create(config_map("a"))


def test_names_are_generated_from_the_seeded_stream() -> None:
    first = [make_store(seed=5).create(pod())["metadata"]["name"] for _ in range(2)]
    assert first[0] == first[1]
    assert re.fullmatch("web-[bcdfghjklmnpqrstvwxz2456789]{5}", first[0])
    assert make_store(seed=6).create(pod())["metadata"]["name"] != first[0]


def test_a_taken_generated_name_is_drawn_again() -> None:
    taken = make_store(seed=5).create(pod())["metadata"]["name"]
    store = make_store(seed=5)
    store.create(pod(taken))
    fresh = store.create(pod())["metadata"]["name"]
    assert fresh.startswith("web-")
    assert fresh != taken


def test_eight_taken_names_in_a_row_are_too_many() -> None:
    drawn = make_store(seed=5)
    taken = [drawn.create(pod())["metadata"]["name"] for _ in range(9)]
    store = make_store(seed=5)
    for name in taken[:8]:
        store.create(pod(name))
    with pytest.raises(AlreadyExists, match=r"was not able to generate a unique name"):
        store.create(pod())


def test_rules_of_the_kind_are_applied(store: Store) -> None:
    given = pod("Bad_Name")
    given["spec"]["containers"] = []
    with pytest.raises(Invalid) as refusal:
        store.create(given)
    causes = {cause["field"] for cause in refusal.value.details["causes"]}
    assert causes == {"metadata.name", "spec.containers"}
    assert names(store.list(POD).items) == []


def test_a_refused_object_takes_no_version(store: Store) -> None:
    version = store.resource_version
    with pytest.raises(Invalid):
        store.create(config_map("Bad_Name"))
    assert store.resource_version == version


def test_an_object_of_no_name_is_refused(store: Store) -> None:
    with pytest.raises(Invalid, match=r"name or generateName is required"):
        store.create(config_map(""))


def test_a_version_cannot_be_chosen(store: Store) -> None:
    with pytest.raises(BadRequest, match=r"resourceVersion should not be set"):
        store.create(config_map("a", resourceVersion="5"))
    # It is the storage that refuses it, after validation and admission.
    with pytest.raises(Invalid):
        store.create(config_map("A_", resourceVersion="5"))


def test_wrong_types_are_refused(store: Store) -> None:
    given = config_map("a")
    given["data"] = "text"
    with pytest.raises(BadRequest, match=r"ConfigMap"):
        store.create(given)
    with pytest.raises(BadRequest, match=r"metadata"):
        store.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": []})


def test_an_unknown_kind_names_the_nearest(store: Store) -> None:
    with pytest.raises(InputError, match=r"did you mean Pod"):
        store.create({"apiVersion": "v1", "kind": "Pods", "metadata": {"name": "a"}})


def test_a_rehearsal_changes_nothing(store: Store) -> None:
    version = store.resource_version
    rehearsed = store.create(config_map("a"), dry_run=True)
    assert "uid" in rehearsed["metadata"]
    assert "resourceVersion" not in rehearsed["metadata"]
    assert store.resource_version == version
    with pytest.raises(NotFound):
        store.get(CONFIG_MAP, "a")


def test_a_request_may_say_kind_and_namespace(store: Store) -> None:
    created = store.create({"metadata": {"name": "a"}}, kind=CONFIG_MAP, namespace="kube-system")
    assert created["apiVersion"] == "v1"
    assert created["metadata"]["namespace"] == "kube-system"
    with pytest.raises(BadRequest, match=r"does not match the namespace sent on the request"):
        store.create(config_map("b", "default"), namespace="kube-system")


def test_kinds_without_namespaces_lose_theirs(store: Store) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "namespace": "x"}}
    assert "namespace" not in store.create(node)["metadata"]


def test_owners_are_named_once(store: Store) -> None:
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}
    created = store.create(config_map("a", ownerReferences=[owner, dict(owner)]))
    assert created["metadata"]["ownerReferences"] == [owner]
