"""What a run offers its measurements besides the cluster: queries, a shell, permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Sample(msgspec.Struct, frozen=True):
    """One row of the result of a query."""

    labels: dict[str, str]
    value: float


class QueryAnswer(msgspec.Struct, frozen=True):
    """The answer to a query: rows, or an error."""

    samples: tuple[Sample, ...] = ()
    error: str = ""


class Queries(Protocol):
    """Something that answers PromQL: the stage's own metrics, or a Prometheus."""

    def query(self, expression: str, at_ns: int, done: Callable[[QueryAnswer], None]) -> None:
        """Evaluate at a moment of the run; the answer comes later, never from within this call."""


class Shell(Protocol):
    """Where Exec runs commands, if that is allowed."""

    def run(
        self, command: Sequence[str], timeout_ns: int, done: Callable[[int, str], None]
    ) -> None:
        """Run a command; `done` receives its exit code and its output, later."""


class Facilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the run offers."""

    nodes: int = 0
    """How many nodes the test is for."""
    namespace_prefix: str = ""
    """What the names of its namespaces begin with."""
    queries: Queries | None = None
    """What answers PromQL, if anything does."""
    shell: Shell | None = None
    """What runs commands, if that is allowed."""
    objects: Callable[[str, Mapping[str, Any]], list[dict[str, Any]]] | None = None
    """Renders an object template below the configuration's folder."""
    features: frozenset[str] = frozenset()
    """What a provider offers (``ssh``, ``exec-service``, ...); a measurement that needs a missing
    one is skipped."""
    are_params_checked: bool = False
    """Whether unknown parameters were reported already."""
