"""The managers of an object, between the entries of managedFields and sets of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.objects.ownership import field_set

if TYPE_CHECKING:
    from kubestage.objects.ownership.field_set import FieldSet

UPDATE: Final = "Update"
APPLY: Final = "Apply"
# How many managers that update an object it remembers one by one.
MAX_UPDATERS: Final = 10
_ANCIENT: Final = "ancient-changes"

# Sets that were written lately, by their text: a cluster has many objects that are owned alike.
_written: Final[dict[bytes, FieldSet]] = {}
_MOST_WRITTEN: Final = 4096
_encode: Final = msgspec.json.Encoder().encode


class ManagerIdentity(NamedTuple):
    """Who manages: an applier is the same in whatever version it applies."""

    manager: str
    operation: str
    api_version: str = ""
    subresource: str = ""

    @property
    def order(self) -> str:
        """By what managers are sorted: their JSON text."""
        version = f',"apiVersion":"{self.api_version}"' if self.api_version else ""
        return (
            f'{{"manager":"{self.manager}","operation":"{self.operation}"{version}'
            f"{self.subresource and f',{self.subresource}'}"
        )


class Owned(NamedTuple):
    """The fields of a manager, in which version they are written, and since when.

    `entry` is the entry of managedFields that says just this, if there is one.
    """

    fields: FieldSet
    api_version: str
    time: str | None = None
    entry: dict[str, Any] | None = None


Managers = dict[ManagerIdentity, Owned]


def identify(manager: str, operation: str, api_version: str, subresource: str) -> ManagerIdentity:
    """Who writes in this way."""
    version = "" if operation == APPLY else api_version
    return ManagerIdentity(manager, operation, version, subresource)


def _who(entry: dict[str, Any]) -> ManagerIdentity:
    return identify(
        entry.get("manager") or "",
        entry.get("operation") or "",
        entry.get("apiVersion") or "",
        entry.get("subresource") or "",
    )


def stored(entries: list[dict[str, Any]] | None) -> Managers:
    """The managers of a stored object, whose sets are in canonical form."""
    return {
        _who(entry): Owned(
            entry.get("fieldsV1") or {}, entry.get("apiVersion") or "", entry.get("time"), entry
        )
        for entry in entries or ()
    }


def decode(entries: Any) -> Managers:
    """The managers that a client wrote down; ValueError if an entry makes no sense."""
    found: Managers = {}
    if not isinstance(entries, list):
        raise ValueError("managedFields must be a list")
    for index, entry in enumerate(entries):
        _check(index, entry)
        fields = field_set.decode(entry.get("fieldsV1"))
        found[_who(entry)] = Owned(fields, entry["apiVersion"], entry.get("time"))
    return found


def _check(index: int, entry: Any) -> None:
    if not isinstance(entry, dict) or not all(
        isinstance(value, str) or value is None or name == "fieldsV1"
        for name, value in entry.items()
    ):
        raise ValueError(f"entry {index} has a value of the wrong type")
    if entry.get("operation") not in (UPDATE, APPLY):
        raise ValueError("operation must be `Apply` or `Update`")
    if not entry.get("apiVersion"):
        raise ValueError("apiVersion must not be empty")
    kind = entry.get("fieldsType")
    if kind != "FieldsV1":
        what = f'invalid fieldsType "{kind}"' if kind else "missing fieldsType"
        raise ValueError(f"{what} in managed fields entry {index}")


def is_reset(entries: Any) -> bool:
    """Whether a client clears all managers: by an empty list, or one empty entry."""
    if not isinstance(entries, list) or len(entries) > 1:
        return False
    only = entries[0] if entries else None
    return only is None or (
        isinstance(only, dict) and all(value is None or value == "" for value in only.values())
    )


def encode(managers: Managers) -> list[dict[str, Any]]:
    """The entries of managedFields, in the server's order."""
    entries = [_entry(who, owned) for who, owned in managers.items()]
    if len(entries) > 1:
        entries.sort(key=_order)
    return entries


def _entry(who: ManagerIdentity, owned: Owned) -> dict[str, Any]:
    if owned.entry is not None:
        return owned.entry
    entry: dict[str, Any] = {} if not who.manager else {"manager": who.manager}
    entry["operation"], entry["apiVersion"] = who.operation, owned.api_version
    if owned.time is not None:
        entry["time"] = owned.time
    entry["fieldsType"], entry["fieldsV1"] = "FieldsV1", _shared(owned.fields)
    if who.subresource:
        entry["subresource"] = who.subresource
    return entry


def _shared(fields: FieldSet) -> FieldSet:
    """The set as it is written, one copy for all who have the same."""
    written = field_set.in_order(fields)
    text = _encode(written)
    known = _written.get(text)
    if known is None:
        if len(_written) >= _MOST_WRITTEN:
            _written.clear()
        known = _written[text] = written
    return known


def _order(entry: dict[str, Any]) -> tuple[str, ...]:
    return (
        entry["operation"],
        entry.get("time") or "",
        entry.get("manager") or "",
        entry["apiVersion"],
        entry.get("subresource") or "",
    )


def capped(managers: Managers) -> Managers:
    """At most ten managers that update: the oldest are one, for each version."""
    updaters = [who for who in managers if who.operation == UPDATE]
    surplus = len(updaters) - MAX_UPDATERS
    if surplus <= 0:
        return managers
    out = dict(managers)
    first: dict[str, ManagerIdentity] = {}
    for who in sorted(updaters, key=lambda who: (out[who].time or "", who.order)):
        if surplus <= 0:
            break
        owned = out[who]
        bucket = ManagerIdentity(_ANCIENT, UPDATE, owned.api_version)
        if owned.api_version not in first:
            first[owned.api_version] = who
            continue
        if bucket not in out:
            out[bucket] = out.pop(first[owned.api_version])
        both = field_set.union(owned.fields, out[bucket].fields)
        out[bucket] = Owned(both, owned.api_version, owned.time)
        if who != bucket:
            del out[who]
        surplus -= 1
    return out
