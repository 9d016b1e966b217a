from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Forbidden, Invalid
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store import admission
from kubestage.store.store import Store
from kubestage.store.template_cache import TemplateCache
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, pod

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def comparable(obj: dict[str, Any]) -> dict[str, Any]:
    metadata = {key: obj["metadata"][key] for key in obj["metadata"] if key != "resourceVersion"}
    return {**obj, "metadata": metadata}


def unchanged(
    _core: Core, _kind: Kind, obj: dict[str, Any], _old: dict[str, Any] | None
) -> dict[str, Any]:
    """A step of the user's own, which keeps the store from using templates."""
    return obj


def test_siblings_share_all_but_their_identity() -> None:
    store = make_store()
    template = pod(labels={"app": "web"}, annotations={"a": "b"})
    one, other = store.create(template), store.create(template)
    assert one["spec"] is other["spec"]
    assert one["status"] is other["status"]
    assert one["metadata"]["labels"] is other["metadata"]["labels"]
    assert one["metadata"]["name"] != other["metadata"]["name"]
    assert one["metadata"]["uid"] != other["metadata"]["uid"]


def test_a_cached_create_gives_what_an_uncached_one_gives() -> None:
    cached = make_store()
    uncached = make_store(admission=(*admission.DEFAULT, unchanged))
    assert cached.uses_templates
    assert not uncached.uses_templates
    for name in ("", "named", ""):
        given = pod(name, "kube-system", labels={"app": "web"})
        assert comparable(cached.create(given)) == comparable(uncached.create(given))


@pytest.mark.parametrize("identity", [("name", "uid"), ("uid", "generateName"), ("uid", "name")])
def test_pods_that_bring_a_uid_are_siblings_too(identity: tuple[str, ...]) -> None:
    """A recorded uid gives way to a new one; the fields stay in the order in which they came."""

    def recorded(number: int) -> dict[str, Any]:
        given = pod()
        given["metadata"] = {
            "labels": {"app": "web"},
            **dict.fromkeys(identity, f"x-{number}"),
            "annotations": {"a": "b"},
        }
        return given

    cached, uncached = make_store(), make_store(admission=(*admission.DEFAULT, unchanged))
    for number in range(3):
        one, other = (store.create(recorded(number)) for store in (cached, uncached))
        assert comparable(one) == comparable(other)
        assert list(one["metadata"]) == list(other["metadata"])
        assert one["metadata"]["uid"] != f"x-{number}"
    assert len(cached.templates) == 1
    assert len({id(each["spec"]) for each in cached.read(POD).values()}) == 1


def test_what_differs_is_prepared_on_its_own() -> None:
    store = make_store()
    one = store.create(pod("a"))
    changed = pod("b")
    changed["spec"]["containers"][0]["image"] = "redis:7"
    other = store.create(changed)
    assert other["spec"]["containers"][0]["image"] == "redis:7"
    assert one["spec"]["containers"][0]["image"] == "nginx:1.27"


def test_names_are_still_judged_one_by_one() -> None:
    store = make_store()
    store.create(pod("good"))
    for name in ("Bad", "-bad", "bad.", "x" * 254):
        with pytest.raises(Invalid, match=r"metadata.name"):
            store.create(pod(name))
    assert store.create(pod("dots.are.fine"))["metadata"]["name"] == "dots.are.fine"


def test_a_change_of_priority_classes_is_noticed() -> None:
    store = make_store()
    assert store.create(pod("a"))["spec"]["priority"] == 0
    store.create(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "usual"},
            "value": 7,
            "globalDefault": True,
        }
    )
    assert store.create(pod("b"))["spec"]["priority"] == 7
    urgent = pod("c")
    urgent["spec"]["priorityClassName"] = "usual"
    store.create(urgent)
    store.delete(("scheduling.k8s.io/v1", "PriorityClass"), "usual")
    with pytest.raises(Forbidden):
        store.create({**urgent, "metadata": {"name": "d"}})


def test_what_is_dated_is_dated_anew() -> None:
    clock = Clock()
    store = Store(clock, Streams(1))
    gated = pod()
    gated["spec"]["schedulingGates"] = [{"name": "wait.example.com/x"}]
    first = store.create(gated)
    clock.now_ns = 5 * 10**9
    second = store.create(gated)
    dates = [each["status"]["conditions"][0]["lastTransitionTime"] for each in (first, second)]
    assert dates == ["2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z"]


def test_an_updated_sibling_leaves_the_others_alone() -> None:
    store = make_store()
    one = store.create(pod("a", labels={"x": "1"}))
    other = store.create(pod("b", labels={"x": "1"}))
    before = copy.deepcopy(other)
    store.bind("a", "default", "n1")
    store.patch(POD, "a", {"metadata": {"labels": {"x": "2"}}})
    assert other == before
    assert "nodeName" not in one["spec"]


def test_the_templates_used_last_are_kept() -> None:
    cache = TemplateCache(size=2)
    store = make_store()
    kind = store.kind(POD)
    given = pod("p")
    prepared = store.create(given)
    keys = [cache.key(kind, pod("p", labels={"n": str(index)})) for index in range(3)]
    for key in keys[:2]:
        assert key is not None
        cache.add(key, given, prepared, "now")
    assert keys[0] is not None
    assert cache.get(keys[0], "now") is not None
    assert keys[2] is not None
    cache.add(keys[2], given, prepared, "now")
    assert len(cache) == 2
    assert keys[1] is not None
    assert cache.get(keys[1], "now") is None
    assert cache.get(keys[0], "now") is not None


def test_only_pods_of_plain_identity_have_templates() -> None:
    cache, store = TemplateCache(), make_store()
    kind = store.kind(POD)
    assert cache.key(kind, pod("a")) == cache.key(kind, pod("b", "kube-system"))
    assert cache.key(store.kind(CONFIG_MAP), config_map("a")) is None
    metadata: list[Any] = [None, [], {}, {"name": 3}, {"name": "A"}, {"generateName": "A-"}]
    metadata.append({"name": "a", "uid": 3})
    for each in metadata:
        assert cache.key(kind, {"metadata": each}) is None
    assert cache.key(kind, {"metadata": {"name": "a"}, "spec": object()}) is None
