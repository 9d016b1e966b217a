"""Keeps the APIServices of definitions: they come and go with the versions that are served."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server.bootstrap import local_apis
from kubestage.store import definitions
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.server.live import Live
    from kubestage.store.log import Change

_KINDS: Final = frozenset(
    {
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apiregistration.k8s.io", "APIService"),
    }
)


class DefinedApis:
    """Follows the definitions of a cluster; while a Scenario runs, there are no APIServices."""

    def __init__(self, live: Live) -> None:
        self._store = live.store
        self._clock = live.stage.clock
        # What is deleted comes back when nothing else is due: a Scenario may be emptying all.
        self._timer = live.stage.environment.timer("Aggregator", self._make)

    def start(self) -> None:
        """Register what is there, and from now on what comes."""
        self._make()
        self._store.subscribe(self.on_change, _KINDS)

    def close(self) -> None:
        """Follow them no more."""
        self._store.unsubscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        """Take a definition that came, changed or went, or an APIService that was deleted."""
        if self._store.bootstrap is None:
            return
        if definitions.is_definition(change.kind):
            sides = [each["spec"] for each in (change.old, change.new) if each is not None]
            versions = {version["name"] for spec in sides for version in spec["versions"]}
            local_apis.follow(self._store, sides[0]["group"], sorted(versions))
        elif change.type == DELETED and local_apis.follows_definition(change.new):
            self._timer.set(self._clock.now_ns)

    def _make(self) -> None:
        if self._store.bootstrap is not None:
            local_apis.make_defined(self._store)
