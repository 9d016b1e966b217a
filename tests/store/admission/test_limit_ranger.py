from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Forbidden
from tests.store.samples import POD, make_store, pod

if TYPE_CHECKING:
    from kubestage.store.store import Store

CLAIM = ("v1", "PersistentVolumeClaim")


def limit_range(*items: dict[str, Any], name: str = "l") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": name},
        "spec": {"limits": list(items)},
    }


def costly(name: str, **resources: dict[str, str]) -> dict[str, Any]:
    made = pod(name)
    made["spec"]["containers"][0]["resources"] = resources
    return made


@pytest.fixture
def store() -> Store:
    return make_store()


def test_containers_get_what_they_leave_open(store: Store) -> None:
    item = {
        "type": "Container",
        "default": {"cpu": "1", "memory": "1Gi"},
        "defaultRequest": {"cpu": "100m"},
    }
    store.create(limit_range(item))
    made = costly("a", requests={"memory": "64Mi"})
    made["spec"]["initContainers"] = [{"name": "init", "image": "i"}]
    created = store.create(made)
    spec = created["spec"]
    assert spec["containers"][0]["resources"] == {
        "requests": {"cpu": "100m", "memory": "64Mi"},
        "limits": {"cpu": "1", "memory": "1Gi"},
    }
    assert created["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu request for container main; cpu, memory limit for container "
        "main; cpu, memory request for init container init; cpu, memory limit for init container "
        "init"
    )
    assert created["status"]["qosClass"] == "Burstable"


def test_each_namespace_has_its_own_ranges(store: Store) -> None:
    store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "free"}})
    store.create(pod())
    store.create(limit_range({"type": "Container", "default": {"cpu": "1"}}))
    here, there = store.create(pod()), store.create(pod(namespace="free"))
    again = store.create(pod())
    assert here["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1"}
    assert again["spec"] is here["spec"]
    assert there["spec"]["containers"][0]["resources"] == {}
    store.delete(("v1", "LimitRange"), "l")
    assert store.create(pod())["spec"]["containers"][0]["resources"] == {}


@pytest.mark.parametrize(
    ("item", "resources", "why"),
    [
        (
            {"min": {"cpu": "100m"}},
            {},
            "minimum cpu usage per {} is 100m.  No request is specified",
        ),
        (
            {"min": {"cpu": "100m"}},
            {"requests": {"cpu": "50m"}},
            "minimum cpu usage per {} is 100m, but request is 50m",
        ),
        (
            {"max": {"memory": "1Gi"}},
            {"requests": {"memory": "1Mi"}},
            "maximum memory usage per {} is 1Gi.  No limit is specified",
        ),
        (
            {"max": {"memory": "1Gi"}},
            {"limits": {"memory": "2Gi"}, "requests": {"memory": "1Mi"}},
            "maximum memory usage per {} is 1Gi, but limit is 2Gi",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"limits": {"cpu": "3"}, "requests": {"cpu": "1"}},
            "cpu max limit to request ratio per {} is 2, but provided ratio is 3.000000",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {"requests": {"cpu": "1"}},
            ("cpu max limit to request ratio per {} is 2, but no limit is specified or limit is 0"),
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            {},
            (
                "cpu max limit to request ratio per {} is 2, but no request is specified or "
                "request is 0"
            ),
        ),
        (
            {"max": {"cpu": "1"}, "min": {"memory": "1Gi"}},
            {"requests": {"cpu": "1m"}},
            (
                "[minimum memory usage per {} is 1Gi.  No request is specified, maximum cpu usage "
                "per {} is 1.  No limit is specified]"
            ),
        ),
    ],
)
def test_who_asks_for_too_little_or_too_much_is_refused(
    store: Store, item: dict[str, Any], resources: dict[str, Any], why: str
) -> None:
    store.create(limit_range({"type": "Pod", **item}))
    with pytest.raises(Forbidden) as refusal:
        store.create(costly("a", **resources))
    assert refusal.value.message == f'pods "a" is forbidden: {why.format("Pod", "Pod")}'


def test_bounds_hold_for_each_container(store: Store) -> None:
    item = {"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "100m"}}
    store.create(limit_range(item))
    with pytest.raises(Forbidden) as refusal:
        store.create(costly("a", limits={"cpu": "50m"}))
    assert refusal.value.message.endswith(
        "minimum cpu usage per Container is 100m, but request is 50m"
    )
    # The upper bound is also what is given to those who ask for nothing.
    assert store.create(pod("b"))["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1"}


def test_claims_have_bounds_too(store: Store) -> None:
    item = {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}}
    store.create(limit_range(item))
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "3Gi"}},
        },
    }
    with pytest.raises(Forbidden) as refusal:
        store.create(claim)
    assert refusal.value.message == (
        'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim '
        "is 2Gi, but request is 3Gi"
    )


def test_pods_that_are_there_are_left_alone(store: Store) -> None:
    store.create(pod("a"))
    store.create(limit_range({"type": "Container", "min": {"cpu": "1"}, "default": {"cpu": "1"}}))
    patched = store.patch(POD, "a", {"metadata": {"labels": {"x": "y"}}})
    assert patched["spec"]["containers"][0]["resources"] == {}
