"""A cluster without a control plane: objects are put in by hand, and time is moved by hand.

It keeps the promises of the port (kubestage.cluster.access) and no others: answers and what is
told to watchers come later, at the same instant, never from within a call.
"""

from __future__ import annotations

import functools
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from kubestage.cluster.access import Answer, Call, Page, Resource, Selection, WatchEvent
from kubestage.errors import ApiError, NotFound
from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json


UNIX_NS = 1_767_225_600_000_000_000
"""2026-01-01T00:00:00Z, where the calendar of a fake begins."""


class FakeTimer:
    """A callback that waits for its time."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Have nobody called."""
        self.callback = None


class FakeMoments:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now_ns = 0
        self._due: list[tuple[int, int, FakeTimer]] = []
        self._count = 0

    @property
    def unix_ns(self) -> int:
        """The calendar."""
        return UNIX_NS + self.now_ns

    @property
    def pending(self) -> int:
        """How many callbacks wait for their time."""
        return sum(timer.callback is not None for _, _, timer in self._due)

    def at(self, at_ns: int, callback: Callable[[], None]) -> FakeTimer:
        """Call somebody at a time."""
        timer = FakeTimer(callback)
        self._count += 1
        heappush(self._due, (max(at_ns, self.now_ns), self._count, timer))
        return timer

    def run_until(self, at_ns: int) -> None:
        """Let all happen that is due up to and at a time."""
        while self._due and self._due[0][0] <= at_ns:
            self.step()
        self.now_ns = max(self.now_ns, at_ns)

    def step(self) -> None:
        """Let the next thing happen."""
        self.now_ns, _, timer = heappop(self._due)
        callback, timer.callback = timer.callback, None
        if callback is not None:
            callback()

    def run(self, seconds: float = 0) -> None:
        """Let all happen that is due within some seconds from now."""
        self.run_until(self.now_ns + round(seconds * 1e9))


class FakeWatch:
    """One who watches."""

    def __init__(self, selection: Selection, seen: Callable[[WatchEvent], None]) -> None:
        self.selection = selection
        self.is_synced = False
        self.is_stopped = False
        self._seen = seen
        self._known: set[str] = set()

    def stop(self) -> None:
        """Be told no more."""
        self.is_stopped = True

    def tell(self, obj: Json, at_ns: int, *, is_there: bool) -> None:
        """What an object is now, as far as this watch selects it."""
        if self.is_stopped or Resource.of(obj) != self.selection.resource:
            return
        key = _key(obj)
        if not (is_there and selects(self.selection, obj)):
            if key in self._known:
                self._known.discard(key)
                self._seen(WatchEvent("DELETED", obj, at_ns))
            return
        word = "MODIFIED" if key in self._known else "ADDED"
        self._known.add(key)
        self._seen(WatchEvent(word, obj, at_ns))


class FakeCluster:
    """Objects by hand, and answers by script where `answers` has one for a verb and kind."""

    def __init__(self, *, is_stage: bool = True) -> None:
        self.moments = FakeMoments()
        self.is_stage = is_stage
        self.objects: dict[tuple[Resource, str], Json] = {}
        self.calls: list[Call] = []
        self.answers: dict[tuple[str, str], Json | ApiError] = {}
        self.pages: dict[str, Page] = {}
        self.watches: list[FakeWatch] = []
        self._version = 0

    def put(self, obj: Json) -> Json:
        """Create or replace an object; it is given a new resourceVersion and, if need be, a uid."""
        self._version += 1
        key = (Resource.of(obj), _key(obj))
        uid = obj["metadata"].get("uid") or f"{obj['kind']}/{_key(obj)}"
        meta = {**obj["metadata"], "uid": uid, "resourceVersion": str(self._version)}
        stored = self.objects[key] = {**obj, "metadata": meta}
        self._tell(stored, is_there=True)
        return stored

    def remove(self, obj: Json) -> None:
        """Delete an object."""
        self._version += 1
        stored = self.objects.pop((Resource.of(obj), _key(obj)))
        meta = {**stored["metadata"], "resourceVersion": str(self._version)}
        self._tell({**stored, "metadata": meta}, is_there=False)

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        """Answer as scripted, or from what was put in, at this instant."""
        self.calls.append(call)
        self.moments.at(self.moments.now_ns, functools.partial(self._answer, call, done))

    def watch(self, selection: Selection, seen: Callable[[WatchEvent], None]) -> FakeWatch:
        """Tell of what is there, at this instant, and of what is put in afterwards."""
        watch = FakeWatch(selection, seen)
        self.moments.at(self.moments.now_ns, functools.partial(self._begin, watch))
        return watch

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        """Answer with a page of `pages`, or 404."""
        page = self.pages.get(path, Page(404, "404 page not found"))
        self.moments.at(self.moments.now_ns, functools.partial(done, page))

    def _begin(self, watch: FakeWatch) -> None:
        for obj in list(self.objects.values()):
            watch.tell(obj, self.moments.now_ns, is_there=True)
        watch.is_synced = True
        self.watches.append(watch)

    def _tell(self, obj: Json, *, is_there: bool) -> None:
        for watch in list(self.watches):
            tell = functools.partial(watch.tell, obj, self.moments.now_ns, is_there=is_there)
            self.moments.at(self.moments.now_ns, tell)

    def _answer(self, call: Call, done: Callable[[Answer], None]) -> None:
        now_ns = self.moments.now_ns
        answer = self.answers.get((call.verb, call.resource.kind))
        if answer is None:
            answer = self._carry_out(call)
        if isinstance(answer, ApiError):
            done(Answer(None, answer, now_ns, now_ns))
        else:
            done(Answer(answer, None, now_ns, now_ns))

    def _carry_out(self, call: Call) -> Json | ApiError:
        if call.verb == "list":
            selection = Selection(
                call.resource, call.namespace, call.label_selector, call.field_selector
            )
            found = [
                obj
                for (resource, _), obj in self.objects.items()
                if resource == call.resource and selects(selection, obj)
            ]
            return {"metadata": {"resourceVersion": str(self._version)}, "items": found}
        if call.verb == "create":
            return self.put(call.body)
        if call.verb == "deletecollection":
            return {}
        key = f"{call.namespace}/{call.name}" if call.namespace else call.name
        stored = self.objects.get((call.resource, key))
        if stored is None:
            return NotFound(f"{call.resource.kind} {key} not found")
        if call.verb == "patch":
            return self.put(_merged(stored, call.body))
        if call.verb == "delete":
            self.remove(stored)
        return stored


def selects(selection: Selection, obj: Json) -> bool:
    """Whether an object is among those of a selection; fields are compared as they are."""
    meta = obj["metadata"]
    if selection.namespace and meta.get("namespace") != selection.namespace:
        return False
    if not labels.parse(selection.label_selector).matches(meta.get("labels") or {}):
        return False
    terms = [term.partition("=") for term in selection.field_selector.split(",") if term]
    return all(
        (_field(obj, path.rstrip("!")) == value) != path.endswith("!") for path, _, value in terms
    )


def _field(obj: Json, path: str) -> str:
    value: Any = obj
    for name in path.split("."):
        value = (value or {}).get(name)
    return "" if value is None else str(value)


def _key(obj: Json) -> str:
    meta = obj["metadata"]
    return f"{meta['namespace']}/{meta['name']}" if meta.get("namespace") else str(meta["name"])


def _merged(obj: Json, patch: Json) -> Json:
    """A JSON merge patch."""
    merged = dict(obj)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict):
            merged[name] = _merged(merged.get(name) or {}, value)
        else:
            merged[name] = value
    return merged
