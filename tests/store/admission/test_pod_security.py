from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Forbidden, Invalid
from kubestage.objects.patches import PatchType
from kubestage.objects.pod_security import registry
from kubestage.store.admission import plugins
from tests.store.samples import NAMESPACE, POD, make_store, pod

if TYPE_CHECKING:
    from kubestage.store.store import Store

DEPLOYMENT = ("apps/v1", "Deployment")
DENIED = (
    'violates PodSecurity "baseline:latest": non-default capabilities (container "main" '
    'must not include "SYS_ADMIN" in securityContext.capabilities.add), host namespaces '
    "(hostPID=true)"
)


def namespace(name: str, **labels: str) -> dict[str, Any]:
    prefixed = {f"pod-security.kubernetes.io/{key}": each for key, each in labels.items()}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": prefixed}}


def daring(name: str = "", namespace: str = "a") -> dict[str, Any]:
    made = pod(name, namespace)
    made["spec"]["hostPID"] = True
    made["spec"]["containers"][0]["securityContext"] = {"capabilities": {"add": ["SYS_ADMIN"]}}
    return made


def deployment(template: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "a"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": template["spec"]},
        },
    }


@pytest.fixture
def store() -> Store:
    return make_store()


def relabel(store: Store, **labels: str | None) -> list[str]:
    warnings: list[str] = []
    prefixed = {f"pod-security.kubernetes.io/{key}": each for key, each in labels.items()}
    store.patch(NAMESPACE, "a", {"metadata": {"labels": prefixed}}, warnings=warnings)
    return warnings


def test_a_namespace_without_labels_allows_everything(store: Store) -> None:
    warnings: list[str] = []
    store.create(daring("x", "default"), warnings=warnings)
    assert warnings == []


def test_a_pod_is_refused(store: Store) -> None:
    store.create(namespace("a", enforce="baseline"))
    warnings: list[str] = []
    with pytest.raises(Forbidden) as caught:
        store.create(daring("x"), warnings=warnings)
    assert caught.value.message == f'pods "x" is forbidden: {DENIED}'
    assert caught.value.details == {"name": "x", "kind": "pods"}
    # A request that is refused is not warned of as well.
    assert warnings == []
    store.create(pod("y", "a"))


def test_templates_in_use_elsewhere_are_refused_too(store: Store) -> None:
    store.create(namespace("free"))
    store.create(daring("x", "free"))
    store.create(daring("y", "free"))
    store.create(namespace("a", enforce="baseline"))
    with pytest.raises(Forbidden, match="violates PodSecurity"):
        store.create(daring("z"))
    # And the other way round.
    store.create(daring("z", "free"))


def test_a_generated_name_is_told(store: Store) -> None:
    store.create(namespace("a", enforce="baseline"))
    with pytest.raises(Forbidden, match=r'pods "web-[a-z0-9]{5}" is forbidden'):
        store.create(daring())


def test_warned_and_audited_pods_are_let_in(store: Store) -> None:
    store.create(namespace("a", warn="baseline", audit="restricted"))
    warnings: list[str] = []
    store.create(daring("x"), warnings=warnings)
    assert warnings == [f"would {DENIED.replace('violates', 'violate')}"]
    told = {(each.decision, each.mode, each.policy_level) for each in store.pod_security.counts}
    assert told == {
        ("allow", "enforce", "privileged"),
        ("deny", "audit", "restricted"),
        ("deny", "warn", "baseline"),
    }


def test_the_author_of_a_template_is_warned(store: Store) -> None:
    store.create(namespace("a", enforce="baseline"))
    warnings: list[str] = []
    store.create(deployment(daring()), warnings=warnings)
    assert warnings == [f"would {DENIED.replace('violates', 'violate')}"]
    warnings.clear()
    patch = {"metadata": {"labels": {"x": "y"}}}
    store.patch(DEPLOYMENT, "web", patch, "a", warnings=warnings)
    assert len(warnings) == 1
    warnings.clear()
    store.patch(
        DEPLOYMENT, "web", {"spec": {"replicas": 3}}, "a", subresource="scale", warnings=warnings
    )
    assert warnings == []


def test_a_cron_job_carries_its_template_further_down(store: Store) -> None:
    store.create(namespace("a", warn="baseline"))
    job = {"spec": {"template": {"spec": {**daring()["spec"], "restartPolicy": "Never"}}}}
    warnings: list[str] = []
    store.create(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "c", "namespace": "a"},
            "spec": {"schedule": "* * * * *", "jobTemplate": job},
        },
        warnings=warnings,
    )
    assert len(warnings) == 1


def test_only_new_images_and_containers_are_looked_at_again(store: Store) -> None:
    store.create(namespace("a"))
    store.create(daring("x"))
    relabel(store, enforce="baseline")
    store.patch(POD, "x", {"metadata": {"labels": {"b": "c"}}}, "a")
    store.patch(POD, "x", {"status": {"phase": "Running"}}, "a", subresource="status")
    image = [{"op": "replace", "path": "/spec/containers/0/image", "value": "other"}]
    with pytest.raises(Forbidden, match="violates PodSecurity"):
        store.patch(POD, "x", image, "a", patch_type=PatchType.JSON)
    debugger = {"name": "d", "image": "i"}
    with pytest.raises(Forbidden, match="violates PodSecurity"):
        store.patch(
            POD,
            "x",
            {"spec": {"ephemeralContainers": [debugger]}},
            "a",
            subresource="ephemeralcontainers",
        )


def test_labels_that_mean_nothing_are_refused(store: Store) -> None:
    with pytest.raises(Invalid) as caught:
        store.create(namespace("a", enforce="high"))
    assert caught.value.message == (
        'Namespace "a" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid '
        'value: "high": must be one of privileged, baseline, restricted'
    )
    store.create(namespace("a"))
    with pytest.raises(Invalid):
        relabel(store, **{"warn-version": "7"})


def test_labels_that_were_wrong_before_may_stay() -> None:
    chosen = plugins.without(["PodSecurity"])
    lax = make_store(admission=chosen.admission, checks=chosen.checks)
    lax.create(namespace("a", enforce="high"))
    lax.checks = make_store().checks
    lax.patch(NAMESPACE, "a", {"metadata": {"labels": {"team": "b"}}})
    with pytest.raises(Invalid):
        relabel(lax, audit="low")
    with pytest.raises(Forbidden, match='violates PodSecurity "restricted:latest"'):
        lax.create(pod("x", "a"))


def test_pods_that_would_be_refused_now_are_listed(store: Store) -> None:
    store.create(namespace("a"))
    for name in ("x3", "x1", "x2"):
        store.create(daring(name))
    host = pod("h", "a")
    host["spec"]["hostNetwork"] = True
    store.create(host)
    store.create(pod("fine", "a"))
    assert relabel(store, enforce="baseline") == [
        (
            'existing pods in namespace "a" violate the new PodSecurity enforce level '
            '"baseline:latest"'
        ),
        "h: host namespaces",
        "x1 (and 2 other pods): non-default capabilities, host namespaces",
    ]
    # Nothing new is asked of them by these.
    assert relabel(store, warn="restricted") == []
    assert relabel(store, enforce="privileged") == []
    assert relabel(store, enforce=None) == []
    assert len(relabel(store, enforce="restricted")) == 3
    assert relabel(store, enforce="baseline") == []
    assert len(relabel(store, **{"enforce-version": "v1.20"})) == 3


def test_one_pod_of_each_controller_comes_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubestage.store.admission.pod_security._MOST_PODS", 2)
    store.create(namespace("a"))
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u"}
    for name in ("a1", "a2", "z"):
        made = daring(name)
        if name != "z":
            made["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
        store.create(made)
    assert relabel(store, enforce="baseline") == [
        "new PodSecurity enforce level only checked against the first 2 of 3 existing pods",
        (
            'existing pods in namespace "a" violate the new PodSecurity enforce level '
            '"baseline:latest"'
        ),
        "a1 (and 1 other pod): non-default capabilities, host namespaces",
    ]


def test_the_plugin_can_be_switched_off() -> None:
    chosen = plugins.without(["PodSecurity"])
    store = make_store(admission=chosen.admission, checks=chosen.checks)
    store.create(namespace("a", enforce="restricted"))
    store.create(daring("x"))


def test_siblings_are_evaluated_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    findings = registry.findings

    def counted(*args: Any) -> Any:
        asked.append(args)
        return findings(*args)

    monkeypatch.setattr(registry, "findings", counted)
    store.create(namespace("a", enforce="baseline"))
    for index in range(20):
        store.create(pod(f"x{index}", "a"))
    assert len(asked) <= 2
    copied = pickle.loads(pickle.dumps(store.pod_security))
    assert copied.counts == store.pod_security.counts
