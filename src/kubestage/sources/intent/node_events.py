"""What happens to a node from outside: it stops to report, and reports again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import pods
from kubestage.sources.intent.action import Action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.sources.imported import Change


class NodeEvents:
    """Nodes that are ready, and those of them that have failed.

    A node that was just created is not ready yet, which is no failure.
    """

    def __init__(self, objects: Iterable[Json]) -> None:
        nodes = [each for each in objects if each["kind"] == "Node"]
        self._failed = {each["metadata"]["name"] for each in nodes if not _is_ready(each)}

    def actions(self, change: Change, old: Json, new: Json) -> Iterator[Action]:
        """A node that is no longer ready has failed; when it is ready again, it has recovered."""
        name = change.reference.name
        if _is_ready(old) and not _is_ready(new):
            self._failed.add(name)
            yield Action(at_ns=change.at_ns, verb="fail", reference=change.reference)
        elif name in self._failed and _is_ready(new):
            self._failed.discard(name)
            yield Action(at_ns=change.at_ns, verb="recover", reference=change.reference)


def _is_ready(node: Json) -> bool:
    return pods.is_true(node.get("status"), "Ready")
