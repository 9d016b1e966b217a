"""What kube-scheduler's own secure port asks: whom to trust, who calls, and whether they may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.deadlines import HANG_S
from tests.server.scheduler_contract.informers import Reflector

if TYPE_CHECKING:
    from tests.server.scheduler_contract.go_client import GoClient


CONFIG_MAPS = "/api/v1/namespaces/kube-system/configmaps"
TRUST = "extension-apiserver-authentication"


def test_whom_to_trust_is_followed(client: GoClient) -> None:
    follower = Reflector(client, CONFIG_MAPS, fieldSelector=f"metadata.name={TRUST}")
    follower.start()
    try:
        assert follower.synced.wait(HANG_S)
        (found,) = follower.objects.values()
    finally:
        follower.stop()
    assert found["data"] == client.get(f"{CONFIG_MAPS}/{TRUST}")["data"]
    assert found["data"]["client-ca-file"].startswith("-----BEGIN CERTIFICATE-----")


def test_a_token_that_is_not_ours_authenticates_nobody(client: GoClient) -> None:
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "metadata": {},
        "spec": {"token": "who knows"},
    }
    answer = client.post("/apis/authentication.k8s.io/v1/tokenreviews", review)
    assert not answer["status"].get("authenticated")


def test_metrics_are_for_those_whose_role_allows_it(client: GoClient) -> None:
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "metadata": {},
        "spec": {"user": "prometheus", "nonResourceAttributes": {"path": "/metrics",
                                                                 "verb": "get"}},
    }  # fmt: skip
    reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    assert client.post(reviews, review)["status"] == {"allowed": False}
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "metrics"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                    "name": "system:monitoring"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
                      "name": "prometheus"}],
    }  # fmt: skip
    client.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)
    assert client.post(reviews, review)["status"]["allowed"] is True
