from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.server.kubectl.conftest import Kubectl


def test_everything_is_allowed(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "delete", "nodes").strip() == "yes"
    listed = kubectl("auth", "can-i", "--list")
    assert "*.*" in listed


def test_one_is_somebody(kubectl: Kubectl) -> None:
    assert "system:masters" in kubectl("auth", "whoami")


def test_the_server_says_what_it_is(kubectl: Kubectl) -> None:
    assert "v1.36" in kubectl("version")
    assert kubectl("get", "--raw", "/readyz") == "ok"
    assert "apiserver_request_total" in kubectl("get", "--raw", "/metrics")
    assert kubectl("cluster-info").count("is running at") == 1
