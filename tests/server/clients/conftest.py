"""One server for all clients of a worker."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tests.server.served import Served, nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with Served(objects=nodes(2)) as running:
        yield running


@pytest.fixture
def name() -> str:
    """A name that no other test uses."""
    return f"thing-{next(_NUMBERS)}"
