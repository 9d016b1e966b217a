from __future__ import annotations

from kubestage.controllers import ownership
from kubestage.controllers.lister import Lister
from kubestage.objects import labels
from kubestage.stage import Stage
from kubestage.testing import make_pod, make_replica_set

_POD = ("v1", "Pod")


def _names(found: list[dict[str, object]]) -> list[object]:
    return [obj["metadata"]["name"] for obj in found]  # type: ignore[index]  # JSON


def test_objects_are_found_by_key_namespace_owner_and_labels_in_order() -> None:
    stage = Stage()
    owner = stage.store.create(make_replica_set("web"))
    for name in ("c", "a", "b"):
        pod = make_pod(name, labels={"app": "web" if name != "b" else "x"})
        if name != "c":
            pod["metadata"]["ownerReferences"] = [ownership.controller_reference(owner)]
        stage.store.create(pod)
    stage.store.create(make_pod("d", namespace="other", labels={"app": "web"}))
    lister = Lister(stage.store)
    found = lister.get(_POD, "default/a")
    assert found is stage.store.get(_POD, "a")
    assert lister.get(_POD, "default/nobody") is None
    assert _names(lister.all(_POD, "default")) == ["a", "b", "c"]
    assert _names(lister.all(_POD)) == ["a", "b", "c", "d"]
    assert _names(lister.owned(_POD, owner["metadata"]["uid"])) == ["a", "b"]
    assert _names(lister.selected(_POD, "default", labels.parse("app=web"))) == ["a", "c"]
    assert lister.owned(_POD, "nobody") == []


def test_what_is_selected_is_what_a_scan_finds() -> None:
    stage = Stage()
    shared = {"app": "web", "tier": "front"}
    for number, found in enumerate([shared, shared, {"app": "db"}, {}, shared, {"app": "web"}]):
        for namespace in ("one", "two"):
            stage.store.create(make_pod(f"p{number}", namespace=namespace, labels=found))
    lister = Lister(stage.store)
    for text in ("", "app=web", "app!=web", "app=web,tier=front", "tier", "app in (web,db)"):
        selector = labels.parse(text)
        scanned = [
            pod for pod in lister.all(_POD, "two") if selector.matches(ownership.labels_of(pod))
        ]
        assert lister.selected(_POD, "two", selector) == scanned


def test_objects_with_the_same_labels_in_other_namespaces_do_not_matter() -> None:
    stage = Stage()
    for namespace in ("a", "ab", "b", "c", "d"):
        for number in range(4):
            found = {"app": "web"} if number < 2 else {"app": "other", "one": namespace}
            stage.store.create(make_pod(f"p{number}", namespace=namespace, labels=found))
    stage.store.create(make_pod("lonely", namespace="e", labels={"app": "web"}))
    lister = Lister(stage.store)
    selector = labels.parse("app=web")
    assert _names(lister.selected(_POD, "a", selector)) == ["p0", "p1"]
    assert _names(lister.selected(_POD, "ab", selector)) == ["p0", "p1"]
    assert _names(lister.selected(_POD, "e", selector)) == ["lonely"]
    assert _names(lister.selected(_POD, "nowhere", selector)) == []
