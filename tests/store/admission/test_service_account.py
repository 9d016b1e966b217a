from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import Forbidden
from kubestage.stage import Stage
from kubestage.store.bootstrap import Bootstrap

POD = ("v1", "Pod")
PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
SERVER = Bootstrap(address="127.0.0.1", port=1, certificate="PEM")
MIRROR = {"annotations": {"kubernetes.io/config.mirror": "x"}}


def cluster(**account: Any) -> Stage:
    """A cluster with an API server and the account bob."""
    stage = Stage()
    stage.store.bootstrap = SERVER
    metadata = {"name": "bob", **account.pop("metadata", {})}
    stage.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata, **account})
    return stage


def pod(name: str = "p", metadata: Any = None, **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "i"}, {"name": "d", "image": "i"}]
    whole = {"name": name, **(metadata or {})}
    body = {"containers": containers, **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": whole, "spec": body}


def mounts(spec: dict[str, Any]) -> list[list[str]]:
    containers = [*(spec.get("initContainers") or ()), *spec["containers"]]
    return [[each["name"] for each in one.get("volumeMounts") or ()] for one in containers]


def refusal(stage: Stage, obj: dict[str, Any]) -> str:
    with pytest.raises(Forbidden) as refused:
        stage.store.create(obj)
    return refused.value.message


def test_without_an_api_server_a_pod_only_names_its_account() -> None:
    stage = Stage()
    stage.apply(pod(serviceAccountName="nobody"))
    spec = stage.store.get(POD, "p")["spec"]
    assert "volumes" not in spec
    assert spec["serviceAccountName"] == "nobody"


def test_every_container_mounts_what_it_needs_to_call_the_api() -> None:
    stage = cluster()
    spec = stage.store.create(pod(initContainers=[{"name": "a", "image": "i"}]))["spec"]
    (volume,) = spec["volumes"]
    name = volume["name"]
    assert name.startswith("kube-api-access-")
    assert len(name) == len("kube-api-access-") + 5
    assert volume["projected"] == {
        "defaultMode": 420,
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {
                "configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{"key": "ca.crt", "path": "ca.crt"}],
                }
            },
            {
                "downwardAPI": {
                    "items": [
                        {
                            "path": "namespace",
                            "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
                        }
                    ]
                }
            },
        ],
    }
    assert mounts(spec) == [[name]] * 3
    mount = spec["containers"][0]["volumeMounts"][0]
    assert mount == {"name": name, "readOnly": True, "mountPath": PATH}
    assert spec["serviceAccountName"] == "default"


def test_pods_of_one_template_share_their_spec() -> None:
    stage = cluster()
    first, second = (stage.store.create(pod(name)) for name in ("a", "b"))
    assert first["spec"] is second["spec"]


def test_what_is_mounted_there_already_stays() -> None:
    stage = cluster()
    own = {"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": PATH}]}
    volumes = [{"name": "v", "emptyDir": {}}]
    spec = stage.store.create(pod(containers=[own], volumes=volumes))["spec"]
    assert mounts(spec) == [["v"]]
    assert [each["name"] for each in spec["volumes"]] == ["v"]
    both = [own, {"name": "d", "image": "i"}]
    volumes = [{"name": "kube-api-access-mine", "emptyDir": {}}, *volumes]
    spec = stage.store.create(pod("q", containers=both, volumes=volumes))["spec"]
    assert mounts(spec) == [["v"], ["kube-api-access-mine"]]
    assert len(spec["volumes"]) == 2


@pytest.mark.parametrize(
    ("pods", "accounts", "is_mounted"),
    [(None, None, True), (None, False, False), (True, False, True), (False, True, False)],
)
def test_the_pod_decides_then_the_account(
    pods: bool | None, accounts: bool | None, is_mounted: bool
) -> None:
    stage = cluster(**({} if accounts is None else {"automountServiceAccountToken": accounts}))
    decision: dict[str, Any] = {} if pods is None else {"automountServiceAccountToken": pods}
    spec = stage.store.create(pod(serviceAccountName="bob", **decision))["spec"]
    assert ("volumes" in spec) == is_mounted


def test_an_account_that_changes_changes_the_next_pod() -> None:
    stage = cluster()
    assert "volumes" in stage.store.create(pod(serviceAccountName="bob"))["spec"]
    change = {"automountServiceAccountToken": False}
    stage.store.patch(("v1", "ServiceAccount"), "bob", change)
    assert "volumes" not in stage.store.create(pod("q", serviceAccountName="bob"))["spec"]


def test_unknown_accounts_are_refused_but_the_default_one_is_on_its_way() -> None:
    stage = cluster()
    assert refusal(stage, pod(serviceAccountName="eve")) == (
        'pods "p" is forbidden: error looking up service account default/eve: serviceaccount '
        '"eve" not found'
    )
    assert stage.store.create(pod())["spec"]["volumes"]


def test_image_pull_secrets_are_those_of_the_account_unless_the_pod_has_its_own() -> None:
    stage = cluster(imagePullSecrets=[{"name": "registry"}])
    spec = stage.store.create(pod(serviceAccountName="bob"))["spec"]
    assert spec["imagePullSecrets"] == [{"name": "registry"}]
    own = [{"name": "mine"}]
    spec = stage.store.create(pod("q", serviceAccountName="bob", imagePullSecrets=own))["spec"]
    assert spec["imagePullSecrets"] == own


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"serviceAccountName": "bob"}, "a mirror pod may not reference service accounts"),
        ({"imagePullSecrets": [{"name": "s"}]}, "a mirror pod may not reference secrets"),
        (
            {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]},
            "a mirror pod may not reference secrets",
        ),
        (
            {
                "volumes": [
                    {
                        "name": "v",
                        "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]},
                    }
                ]
            },
            "a mirror pod may not use ServiceAccountToken volume projections",
        ),
    ],
)
def test_mirror_pods_have_no_account(spec: dict[str, Any], why: str) -> None:
    stage = cluster()
    assert refusal(stage, pod(metadata=MIRROR, nodeName="n", **spec)).endswith(why)


ENFORCED = {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}
FROM_KEY = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}


@pytest.mark.parametrize(
    ("spec", "where"),
    [
        (
            {"volumes": [{"name": "v", "secret": {"secretName": "s"}}]},
            'volume with secret.secretName="s"',
        ),
        (
            {"containers": [{"name": "c", "image": "i", "env": [FROM_KEY]}]},
            'container c with envVar A referencing secret.secretName="s"',
        ),
        (
            {
                "initContainers": [
                    {"name": "a", "image": "i", "envFrom": [{"secretRef": {"name": "s"}}]}
                ]
            },
            'init container a with envFrom referencing secret.secretName="s"',
        ),
        ({"imagePullSecrets": [{"name": "s"}]}, 'imagePullSecrets[0].name="s"'),
    ],
)
def test_an_account_may_limit_the_secrets_of_its_pods(spec: dict[str, Any], where: str) -> None:
    stage = cluster(metadata=ENFORCED, secrets=[{"name": "known"}])
    message = refusal(stage, pod(serviceAccountName="bob", **spec))
    assert f"{where} is not allowed because service account bob does not" in message
    known = {"volumes": [{"name": "v", "secret": {"secretName": "known"}}]}
    assert stage.store.create(pod("q", serviceAccountName="bob", **known))


def test_also_those_of_ephemeral_containers() -> None:
    stage = cluster(metadata=ENFORCED)
    made = stage.store.create(pod(serviceAccountName="bob"))
    added = [{"name": "e", "image": "i", "env": [FROM_KEY]}]
    changed = {**made, "spec": {**made["spec"], "ephemeralContainers": added}}
    with pytest.raises(Forbidden, match="ephemeral container e with envVar A referencing"):
        stage.store.update(changed, subresource="ephemeralcontainers")
