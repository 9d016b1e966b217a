"""Somebody who watches: told what is there, and then of every change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cluster.access import Seen

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.remote.watch import Watch


class RemoteSubscription:
    """One watcher of a watch that may have others.

    Who joins a watch that is under way has to hear of what is there already: `behind` holds the
    keys of that. A change of such an object is the first that is heard of it.
    """

    def __init__(self, watch: Watch, seen: Callable[[Seen], None], behind: dict[str, None]) -> None:
        self._watch = watch
        self._seen = seen
        self.behind = behind
        self.is_stopped = False
        self._is_synced = False

    @property
    def is_synced(self) -> bool:
        """Whether all that was there at the beginning has been told."""
        return self._is_synced

    @property
    def problem(self) -> str:
        """What stands in the way at the moment, empty if nothing does."""
        return self._watch.problem

    def stop(self) -> None:
        """Be told no more."""
        if not self.is_stopped:
            self.is_stopped = True
            self._watch.leave(self)

    def hear(self, type_: str, key: str, obj: Json, at_ns: int) -> None:
        """There is a change; it is told in its turn."""
        if key in self.behind:
            del self.behind[key]
            if type_ == "DELETED":
                return
            type_ = "ADDED"
        self._watch.loop.tell(self._say, Seen(type_, obj, at_ns))

    def sync(self) -> None:
        """That was all; it becomes true when all of it has been told."""
        self._watch.loop.tell(self._be_synced)

    def _say(self, seen: Seen) -> None:
        if not self.is_stopped:
            self._seen(seen)

    def _be_synced(self) -> None:
        self._is_synced = True
