"""Servers as kube-scheduler finds them: open or with TLS and a token."""

from __future__ import annotations

import itertools
import secrets
from typing import TYPE_CHECKING

import pytest

from tests.server.scheduler_contract.go_client import GoClient
from tests.server.served import Served, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS = itertools.count()


@pytest.fixture(scope="package", params=["outside-http", "none-https"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server with three nodes on which nobody schedules but the tests."""
    scheduler, _, scheme = request.param.partition("-")
    options = ["--scheduler", scheduler]
    if scheme == "https":
        path = tmp_path_factory.mktemp("door") / "token"
        path.write_text(secrets.token_urlsafe(32))
        path.chmod(0o600)
        options += ["--token-file", str(path)]
    with Served(*options, objects=nodes(3)) as running:
        yield running


@pytest.fixture
def client(served: Served) -> Iterator[GoClient]:
    """The scheduler's client."""
    made = GoClient(served.kubeconfig)
    yield made
    made.close()


@pytest.fixture
def namespace(client: GoClient) -> str:
    """A namespace of the test's own."""
    name = f"test-{next(_NUMBERS)}"
    client.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace",
                                       "metadata": {"name": name}})  # fmt: skip
    return name
