"""The namespaces that a run creates before its first step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.clusterloader.removal import Deletions
from kubestage.errors import AlreadyExists

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.clusterloader.config import Namespaces
    from kubestage.clusterloader.requests import Requests

NAMESPACE: Final = Resource("v1", "Namespace")
_STALE: Final = re.compile(r"test-[a-z0-9]+-[0-9]+")


class Preparation:
    """Checks that the namespaces can be created, and creates them one after another."""

    def __init__(
        self,
        requests: Requests,
        config: Namespaces,
        prefix: str,
        done: Callable[[str], None],
    ) -> None:
        self.created: list[str] = []
        self.warnings: list[str] = []
        self._requests = requests
        self._config = config
        self._done = done
        self._pattern = re.compile(re.escape(prefix) + "-[1-9][0-9]*")
        self._left = [f"{prefix}-{number}" for number in range(config.number, 0, -1)]

    def start(self) -> None:
        """See what is there."""
        self._requests.make(Call(verb="list", resource=NAMESPACE), self._listed)

    def _listed(self, answer: Answer) -> None:
        if answer.error is not None or answer.object is None:
            problem = "" if answer.error is None else answer.error.message
            self._done(f"listing namespaces failed: {problem}")
            return
        there = [item["metadata"]["name"] for item in answer.object.get("items") or ()]
        existing = [name for name in there if self._pattern.fullmatch(name)]
        if existing and not self._config.enable_existing:
            self._done(
                f"namespaces of this load are there already: {', '.join(existing)} (delete them, "
                "choose another namespace.prefix, or another --seed if it has none, or set "
                "namespace.enableExistingNamespaces)"
            )
            return
        self.created.extend(name for name in reversed(self._left) if name in existing)
        self._left = [name for name in self._left if name not in existing]
        stale = [name for name in there if _STALE.fullmatch(name) and name not in existing]
        if stale and self._config.delete_stale:
            self.warnings.append(f"namespaces of an earlier run were deleted: {', '.join(stale)}")
            removal = Deletions(self._requests, self._config.delete_timeout_ns, self._swept)
            removal.start([(NAMESPACE, "", name) for name in stale])
        else:
            self._create_next()

    def _swept(self, errors: list[str]) -> None:
        self.warnings.extend(errors)
        self._create_next()

    def _create_next(self) -> None:
        if not self._left or self._requests.is_stopped:
            self._done("")
            return
        name = self._left.pop()
        self.created.append(name)
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        call = Call(verb="create", resource=NAMESPACE, name=name, body=body)
        self._requests.make(call, self._created, allowed=(AlreadyExists,))

    def _created(self, answer: Answer) -> None:
        if answer.error is None:
            self._create_next()
            return
        name = self.created.pop()
        self._done(f"namespace {name} cannot be created: {answer.error.message}")
