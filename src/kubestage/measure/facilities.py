"""What a run offers its measurements besides the cluster: queries, a shell, what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Sample(msgspec.Struct, frozen=True):
    """One row of what a query answers."""

    labels: dict[str, str]
    value: float


class Answered(msgspec.Struct, frozen=True):
    """What a query came to: rows, or why there are none."""

    samples: tuple[Sample, ...] = ()
    error: str = ""


class Queries(Protocol):
    """Something that answers PromQL: the stage's own metrics, or a Prometheus."""

    def query(self, expression: str, at_ns: int, done: Callable[[Answered], None]) -> None:
        """Evaluate at a moment of the run; the answer comes later, never from within this call."""


class Shell(Protocol):
    """Where Exec runs commands, if that is allowed."""

    def run(
        self, command: Sequence[str], timeout_ns: int, done: Callable[[int, str], None]
    ) -> None:
        """Run a command; `done` is told its exit code and what it wrote, later."""


class Facilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the run offers.

    `nodes` is how many nodes the test was made for, `namespace_prefix` what the names of its
    namespaces begin with. `queries` is None where nobody answers PromQL, `shell` where no command
    may be run. `objects` renders an object template below the configuration's folder. `features`
    are what a provider offers (``ssh``, ``exec-service``, ...); a measurement that needs one that
    is missing is skipped. `are_params_checked` says that unknown parameters were told already.
    """

    nodes: int = 0
    namespace_prefix: str = ""
    queries: Queries | None = None
    shell: Shell | None = None
    objects: Callable[[str, Mapping[str, Any]], list[dict[str, Any]]] | None = None
    features: frozenset[str] = frozenset()
    are_params_checked: bool = False
