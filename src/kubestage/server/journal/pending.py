"""Changes that have happened and are in no batch yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.server.journal.state import Batch
from kubestage.store.log import DELETED
from kubestage.store.restoring import Place

if TYPE_CHECKING:
    from kubestage.server.journal.state import State
    from kubestage.store.ledger import Ledger
    from kubestage.store.log import Change


class Pending:
    """The newest state of each object that has changed: versions in between need not be kept."""

    def __init__(self) -> None:
        self._gone: dict[tuple[str, str, str], None] = {}
        self._changed: dict[tuple[str, str, str], dict[str, Any]] = {}

    def add(self, change: Change) -> None:
        """Another change; one that is made again after its end comes after those that stayed."""
        kind = change.kind
        place = kind.group, kind.plural, change.key
        if change.type == DELETED:
            self._changed.pop(place, None)
            self._gone[place] = None
        else:
            self._changed[place] = change.new

    def add_all(self, ledger: Ledger) -> None:
        """All that is there, in the order of its creation."""
        found = [
            (int(obj["metadata"]["resourceVersion"]), (each.kind.group, each.kind.plural, key), obj)
            for each in ledger.collections()
            for key, obj in each.objects.items()
        ]
        found.sort(key=lambda entry: entry[0])
        for _, place, obj in found:
            self._changed[place] = obj

    def take(self, state: State) -> Batch:
        """A batch of all of them, with the state that they lead to."""
        gone = [Place(*place) for place in self._gone]
        changed = [(Place(*place), obj) for place, obj in self._changed.items()]
        self._gone, self._changed = {}, {}
        return Batch(gone, changed, state)

    def clear(self) -> None:
        """Forget them."""
        self._gone, self._changed = {}, {}

    def __bool__(self) -> bool:
        return bool(self._gone or self._changed)
