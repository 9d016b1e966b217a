"""The events of a large Scenario that is to be created, prepared some at a time.

They are treated as those of any Scenario: they are read, defaulted and validated
by the same rules, as Scenarios of a few events each. The caller may do other work in between;
nothing is stored until all of them are ready.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import BadRequest, RequestTooLarge
from kubestage.objects import event_ids, nesting, strategy
from kubestage.objects.custom import decoding
from kubestage.objects.validation import field, status
from kubestage.store import creating, custom_resources
from kubestage.store.event_window import owned_as_one, shifted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind
    from kubestage.objects.validation.field import FieldError


_PART: Final = 100
_PART_BYTES: Final = 64 * 1024
_PLACE: Final = re.compile(r"\bspec\.(events|operations)\[(\d+)\]")
_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


class EventParts:
    """A Scenario in two parts: `head`, the object without its events, and these, as text.

    `warnings` are what was tolerated in the events.
    """

    def __init__(self, head: Json, name: str, texts: list[msgspec.Raw]) -> None:
        self.head = head
        self.warnings: list[str] = []
        self._name = name
        self._texts = texts
        self._events: list[Json] = []

    def __len__(self) -> int:
        return len(self._texts)

    def prepare(self, kind: Kind, validation: FieldValidation, now: str) -> Iterator[None]:
        """Read and validate all events, a few at each step; refused if one of them is wrong."""
        naming = event_ids.EventIds()
        read: list[list[Any]] = []
        for first, texts in self._parts():
            read.append(self._read(kind, validation, first, texts))
            for event in read[-1]:
                naming.reserve(event)
            yield
        seen: dict[str, None] = {}
        for events in read:
            self._add(kind, naming, seen, events, now)
            yield

    def complete(self, prepared: Json) -> Json:
        """The Scenario with its events, from what became of the head."""
        spec = {**prepared["spec"], self._name: self._events}
        return {**prepared, "metadata": owned_as_one(prepared["metadata"]), "spec": spec}

    def _parts(self) -> Iterator[tuple[int, list[msgspec.Raw]]]:
        first, size = 0, 0
        for at, text in enumerate(self._texts):
            size += len(bytes(text))
            if at + 1 - first == _PART or size > _PART_BYTES or at + 1 == len(self._texts):
                yield first, self._texts[first : at + 1]
                first, size = at + 1, 0

    def _read(
        self, kind: Kind, validation: FieldValidation, first: int, texts: Sequence[msgspec.Raw]
    ) -> list[Any]:
        """Some events as values; of their fields only the names are checked here."""
        body = self._text_of(kind, b",".join(map(bytes, texts)))
        if nesting.is_too_large(body):
            raise RequestTooLarge(f"limit is {nesting.MOST_VALUES} values in one event")
        try:
            decoded = decoding.decode(body, kind, validation)
        except BadRequest as error:
            raise BadRequest(_shifted(error.message, first)) from None
        self.warnings += [_shifted(each, first) for each in decoded.warnings]
        events: list[Any] = decoded.object["spec"][self._name]
        return events

    def _text_of(self, kind: Kind, events: bytes) -> bytes:
        """A Scenario of some events."""
        named = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "part"}}
        start = msgspec.json.encode(named)[:-1]
        return start + b',"spec":{"' + self._name.encode() + b'":[' + events + b"]}}"

    def _add(
        self, kind: Kind, naming: event_ids.EventIds, seen: dict[str, None], events: list[Any],
        now: str,
    ) -> None:  # fmt: skip
        """Default and validate some events, and keep them."""
        first = len(self._events)
        named = [
            {**event, "id": naming.id_of(first + at, event)} if isinstance(event, dict) else event
            for at, event in enumerate(events)
        ]
        part = {"metadata": {"name": "part"}, "spec": {self._name: named}}
        shaped = creating.defaulted(kind, part, now)
        prepared = custom_resources.prepare_for_create(kind, shaped, now)
        found = custom_resources.validate_create(kind, prepared)
        problems = shifted(found, lambda at: first + at)
        ready = strategy.stored(prepared)["spec"][self._name]
        problems += self._repeated(ready, seen, first)
        if problems:
            raise status.invalid({**self.head, "kind": kind.kind}, problems)
        self._events += ready

    def _repeated(
        self, events: list[Any], seen: dict[str, None], first: int
    ) -> Iterator[FieldError]:
        """Ids that an earlier part has; those within a part are found with all else."""
        ids = [each.get("id") if isinstance(each, dict) else None for each in events]
        for at, identity in enumerate(ids):
            if isinstance(identity, str) and identity in seen:
                yield field.duplicate(f"spec.{self._name}[{first + at}]", {"id": identity})
        seen.update(dict.fromkeys(each for each in ids if isinstance(each, str)))


def split(body: bytes, least: int) -> EventParts | None:
    """A Scenario in JSON, its events apart; None if it has fewer than so many, or is none."""
    try:
        parts = _fields(body)
        spec = _fields(parts["spec"])
        for name in event_ids.LISTS:
            texts = _items(spec[name]) if name in spec else []
            if len(texts) >= least:
                rest, head = _decoded(spec, name), _decoded(parts, "spec")
                return EventParts({**head, "spec": {**rest, name: []}}, name, texts)
    except (KeyError, RecursionError, UnicodeDecodeError, msgspec.DecodeError):
        # What is wrong with it is reported when it is read as a whole.
        pass
    return None


def _decoded(fields: dict[str, msgspec.Raw], but: str) -> Json:
    return {name: msgspec.json.decode(text) for name, text in fields.items() if name != but}


def _shifted(text: str, by: int) -> str:
    """A message about events of a part, with the places that they have in the whole."""
    return _PLACE.sub(lambda match: f"spec.{match[1]}[{int(match[2]) + by}]", text)
