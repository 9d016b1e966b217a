"""What kube-scheduler's own secure port asks: whom to trust, who calls, and whether they may."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.scheduler_contract.go_client import Refused
from tests.server.scheduler_contract.informers import Reflector

if TYPE_CHECKING:
    from tests.server.scheduler_contract.go_client import GoClient


CONFIG_MAPS = "/api/v1/namespaces/kube-system/configmaps"
TRUST = "extension-apiserver-authentication"


def test_that_nobody_is_to_be_trusted_is_told_clearly(client: GoClient) -> None:
    with pytest.raises(Refused) as refused:
        client.get(f"{CONFIG_MAPS}/{TRUST}")
    assert (refused.value.code, refused.value.reason) == (404, "NotFound")
    follower = Reflector(client, CONFIG_MAPS, fieldSelector=f"metadata.name={TRUST}")
    follower.start()
    try:
        assert follower.synced.wait(20)
        assert not follower.objects
    finally:
        follower.stop()


def test_a_token_that_is_not_ours_authenticates_nobody(client: GoClient) -> None:
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "metadata": {},
        "spec": {"token": "who knows"},
    }
    answer = client.post("/apis/authentication.k8s.io/v1/tokenreviews", review)
    assert not answer["status"].get("authenticated")


def test_everybody_may_read_metrics(client: GoClient) -> None:
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "metadata": {},
        "spec": {"user": "prometheus", "nonResourceAttributes": {"path": "/metrics",
                                                                 "verb": "get"}},
    }  # fmt: skip
    answer = client.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    assert answer["status"]["allowed"] is True
