"""The naive model: every change in one list, every answer by a scan of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubestage.store.watch import Watch

Ref = tuple[str, str]
Snapshot = dict[str, dict[str, Any]]

SELECTORS = (
    ("", ""), ("x=1", ""), ("x!=1", ""), ("x in (1,2)", ""), ("!x", ""), ("", "metadata.name=b"),
)  # fmt: skip
"""Label and field selectors that `matches` knows."""


def matches(obj: dict[str, Any] | None, namespace: str | None, selector: tuple[str, str]) -> bool:
    """Selection, written down a second time and as plainly as can be."""
    if obj is None or namespace not in (None, obj["metadata"]["namespace"]):
        return False
    x = obj["metadata"].get("labels", {}).get("x")
    verdicts: dict[tuple[str, str], bool] = {
        ("", ""): True,
        ("x=1", ""): x == "1",
        ("x!=1", ""): x != "1",
        ("x in (1,2)", ""): x in ("1", "2"),
        ("!x", ""): x is None,
        ("", "metadata.name=b"): obj["metadata"]["name"] == "b",
    }
    return verdicts[selector]


class OpenWatch:
    """A watch, and the version up to which it must have told everything."""

    def __init__(
        self,
        watch: Watch,
        kind: Ref,
        namespace: str | None,
        selector: tuple[str, str],
        revision: int,
    ) -> None:
        self.watch = watch
        self.kind = kind
        self.namespace = namespace
        self.selector = selector
        self.revision = revision


class Model:
    """What a store of some kinds must hold and must have told."""

    def __init__(self, *kinds: Ref) -> None:
        self.now: dict[Ref, Snapshot] = {kind: {} for kind in kinds}
        self.changes: list[tuple[int, Ref, str, Any, Any]] = []

    def note(self, kind: Ref, key: str, new: dict[str, Any]) -> None:
        """An object has a new version."""
        old = self.now[kind].get(key)
        self.now[kind][key] = new
        self._append(int(new["metadata"]["resourceVersion"]), kind, key, old, new)

    def note_removal(self, kind: Ref, key: str, revision: int) -> None:
        """An object is gone."""
        self._append(revision, kind, key, self.now[kind].pop(key), None)

    def _append(self, revision: int, kind: Ref, key: str, old: Any, new: Any) -> None:
        assert not self.changes or revision > self.changes[-1][0], "a version went back"
        self.changes.append((revision, kind, key, old, new))

    def at(self, kind: Ref, revision: int) -> Snapshot:
        """What there was at a version."""
        snapshot: Snapshot = {}
        for changed_at, changed_kind, key, _, new in self.changes:
            if changed_kind == kind and changed_at <= revision:
                snapshot.pop(key, None)
                if new is not None:
                    snapshot[key] = new
        return snapshot

    def changes_after(self, kind: Ref, revision: int) -> int:
        """How many changes of a kind came after a version."""
        return sum(each[1] == kind and each[0] > revision for each in self.changes)

    def expected_events(self, watch: OpenWatch) -> list[tuple[str, str, int]]:
        """Type, key and version of each event that a watch must still tell."""
        events = []
        for revision, kind, key, old, new in self.changes:
            if kind != watch.kind or revision <= watch.revision:
                continue
            was = matches(old, watch.namespace, watch.selector)
            fits = matches(new, watch.namespace, watch.selector)
            if was or fits:
                word = "DELETED" if not fits else ("MODIFIED" if was else "ADDED")
                events.append((word, key, revision))
        return events
