"""Ages that kubectl works out itself, from the wall clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.kubectl.conftest import Kubectl
from tests.server.served import Served, require_kubectl

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def fresh() -> Iterator[Kubectl]:
    """A server of its own, whose clock nobody has sent ahead."""
    require_kubectl()
    with Served("--nodes", "3", "--setting", "hpa.sync-period=1s") as served:
        yield Kubectl(served, "default")


def test_ages_make_sense(fresh: Kubectl) -> None:
    fresh("create", "deployment", "web", "--image=nginx", "--replicas=3")
    fresh("autoscale", "deployment", "web", "--min=2", "--max=5")
    fresh("rollout", "status", "deployment/web", "--timeout=15m")
    for words in (("describe", "pods"), ("events",), ("describe", "deployment", "web")):
        told = fresh(*words)
        assert "Successfully assigned" in told or "Scaled up" in told
        assert "<invalid>" not in told


def test_an_autoscaler_moves_while_it_is_watched(fresh: Kubectl) -> None:
    fresh("create", "deployment", "web", "--image=nginx")
    fresh("set", "resources", "deployment/web", "--requests=cpu=100m")
    fresh("autoscale", "deployment", "web", "--min=2", "--max=5")
    # The fewest replicas are there once the autoscaler has looked, which is on its own time.
    fresh("wait", "hpa/web", "--for=jsonpath={.status.currentReplicas}=2", "--timeout=15m")
