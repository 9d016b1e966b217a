"""A served stage that the tests of this room share, and a namespace of its own for each."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import pytest

from kubestage.remote import kubeconfig
from kubestage.remote.cluster import RemoteCluster
from tests.remote import asking
from tests.server.served import Served, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS: Final = itertools.count(1)


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with Served("--pace", "realtime", objects=nodes(2)) as running:
        yield running


@pytest.fixture
def cluster(served: Served) -> Iterator[RemoteCluster]:
    with RemoteCluster(kubeconfig.load(str(served.kubeconfig))) as opened:
        yield opened


@pytest.fixture
def namespace(cluster: RemoteCluster) -> str:
    name = f"space-{next(_NUMBERS)}"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    asking.done(asking.ask(cluster, "create", asking.NAMESPACE, body=body))
    return name
