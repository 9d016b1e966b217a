"""The machines of all groups as they were last listed, which is not at every scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider, Instance

REFRESH_NS: Final = 2 * MINUTE_NS
"""How often all machines are listed again."""


class InstanceCache:
    """The machines as they were listed."""

    def __init__(self, provider: CloudProvider) -> None:
        self._provider = provider
        self._known: dict[str, list[Instance]] = {}

    def refresh(self) -> None:
        """List all machines again."""
        self._known = {
            group.name: self._provider.instances(group.name) for group in self._provider.groups()
        }

    def invalidate(self, name: str) -> None:
        """Have the machines of a group listed again when they are needed."""
        self._known.pop(name, None)

    def of_all(self, names: Iterable[str]) -> dict[str, list[Instance]]:
        """The machines of groups."""
        for name in names:
            if name not in self._known:
                self._known[name] = self._provider.instances(name)
        return {name: self._known[name] for name in names}
