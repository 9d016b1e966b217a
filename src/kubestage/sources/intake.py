"""Takes objects and changes of a source: keeps what an import has, and counts all else."""

from __future__ import annotations

import collections
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import field_check, gvk
from kubestage.objects.field_check import Misfit
from kubestage.sources import canonical_kinds, cleaning
from kubestage.sources.cleaning import Kept
from kubestage.sources.imported import Change, Imported, Reference, reference_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.sources.imported import Verb

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,252}")
_NAMESPACE: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
NAMELESS: Final = "has no valid name or namespace"
NO_OBJECT: Final = "is no object with apiVersion and kind"
TWICE: Final = "is there twice; the newer one is kept"
DATA: Final = "data is not imported"
MISFIT: Final = "has a field that does not fit its kind"
MISFIT_NOTE: Final = "left out, as a field does not fit: "
_MOST_NOTES: Final = 5
_Key = tuple[str, str, str, str]


class Intake:
    """Receives what formats read; `finish` returns what is kept of it."""

    def __init__(self, kept: Kept | None = None) -> None:
        self.kept = Kept() if kept is None else kept
        self.imported = Imported()
        self.levels: collections.Counter[str] = collections.Counter()
        """Audit events by level."""
        self._pending: dict[str, list[Any]] = {}
        self._objects: dict[_Key, Json] = {}

    def objects(self) -> list[Json]:
        """The objects of the state so far."""
        return list(self._objects.values())

    def pending(self, form: str) -> list[Any]:
        """What a format keeps until all sources are read, as several files belong together."""
        return self._pending.setdefault(form, [])

    def note(self, text: str) -> None:
        """Add what a user should know; the same note is added once."""
        if text not in self.imported.notes:
            self.imported.notes.append(text)

    def leave_out(self, kind: str, reason: str, count: int = 1) -> None:
        """Count what is not imported."""
        self.imported.left_out[kind, reason] += count

    def add(self, value: Any) -> None:
        """Take an object of the state; a list is its items."""
        if isinstance(value, list):
            for each in value:
                self.add(each)
            return
        if isinstance(value, dict) and str(value.get("kind", "")).endswith("List"):
            self._add_items(value)
            return
        obj = self.accepted(value)
        if obj is not None:
            self.put(obj)

    def put(self, obj: Json) -> None:
        """Take an object that was accepted."""
        key = reference_of(obj).key
        earlier = self._objects.get(key)
        if earlier is not None:
            self.leave_out(obj["kind"], TWICE)
            if not is_newer(obj, earlier):
                return
        self._objects[key] = obj

    def _add_items(self, value: Json) -> None:
        """Items of a typed list need not state their type."""
        kind, items = str(value["kind"])[:-4], value.get("items")
        if not isinstance(items, list):
            if items is not None:
                self.leave_out(str(value["kind"]), NO_OBJECT)
            return
        typed = {"apiVersion": value.get("apiVersion"), "kind": kind} if kind else {}
        for item in items:
            self.add(typed | item if typed and isinstance(item, dict) else item)

    def change(
        self,
        at_ns: int,
        verb: Verb,
        reference: Reference,
        obj: Json | None = None,
        *,
        user: str = "",
        manager: str = "",
    ) -> None:
        """Take a change; that of a kind which is not imported is counted."""
        if verb in ("create", "update"):
            obj = self.accepted(obj)
            if obj is None:
                return
            reference = reference_of(obj)
        else:
            row = canonical_kinds.find(reference.api_version, reference.kind)
            if row is None or not is_named(reference.name, reference.namespace):
                why = canonical_kinds.reason_left_out(reference.api_version, reference.kind)
                self.leave_out(reference.kind, NAMELESS if row is not None else why)
                return
            typed = {"apiVersion": reference.api_version, "kind": reference.kind, **(obj or {})}
            if not self._fits(typed, reference.name):
                return
        self.imported.changes.append(
            Change(at_ns=at_ns, verb=verb, reference=reference, object=obj, user=user,
                   manager=manager)
        )  # fmt: skip

    def accepted(self, value: Any) -> Json | None:
        """The object as it is imported; None if it is left out, which is counted."""
        if not isinstance(value, dict):
            self.leave_out("?", NO_OBJECT)
            return None
        api_version, kind = value.get("apiVersion"), value.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str) or not kind:
            self.leave_out(kind if isinstance(kind, str) and kind else "?", NO_OBJECT)
            return None
        reason, row = _reason(value, api_version, kind)
        if row is None or reason:
            self.leave_out(kind, reason)
            return None
        metadata = dict(value["metadata"])
        if not row.namespaced:
            metadata.pop("namespace", None)
        elif not metadata.get("namespace"):
            metadata["namespace"] = "default"
        if isinstance(metadata.get("annotations"), dict):
            metadata["annotations"] = dict(metadata["annotations"])
        read_as = canonical_kinds.version_read(api_version, kind)
        obj = {**value, "apiVersion": read_as, "metadata": metadata}
        has_lost_data = cleaning.clean(obj, self.kept)
        if not self._fits(obj, f"{metadata.get('namespace', '')}/{metadata['name']}".lstrip("/")):
            return None
        if has_lost_data:
            self.leave_out(kind, DATA)
        return obj

    def _fits(self, obj: Json, name: str) -> bool:
        """Whether fields have the types of their kind; unknown ones may be of a newer version."""
        for misfit in (*field_check.misfits(obj), *_empty_items(obj)):
            if not misfit.problem.startswith("unknown"):
                self.leave_out(obj["kind"], MISFIT)
                if sum(each.startswith(MISFIT_NOTE) for each in self.imported.notes) < _MOST_NOTES:
                    self.note(f"{MISFIT_NOTE}{obj['kind']} {name}: {misfit.path}: {misfit.problem}")
                return False
        return True

    def finish(self) -> Imported:
        """All that was taken."""
        imported = self.imported
        imported.objects = list(self._objects.values())
        imported.changes.sort(key=lambda each: each.at_ns)
        return imported


def is_named(name: Any, namespace: Any) -> bool:
    """Whether names are ones that a cluster accepts; they become names of files."""
    return (
        isinstance(name, str) and _NAME.fullmatch(name) is not None
        and (not namespace or (isinstance(namespace, str)
                               and _NAMESPACE.fullmatch(namespace) is not None))
    )  # fmt: skip


def _empty_items(obj: Json) -> Iterator[Misfit]:
    """Lists of a pod that have nothing in place of an item, which is no wrong type to the API."""
    spec = obj.get("spec")
    template = spec.get("template") if isinstance(spec, dict) else None
    inner = template.get("spec") if isinstance(template, dict) else None
    for path, found in (("spec", spec), ("spec.template.spec", inner)):
        for name, listed in found.items() if isinstance(found, dict) else ():
            if isinstance(listed, list) and None in listed:
                yield Misfit(f"{path}.{name}", "an item is null")


def is_newer(obj: Json, than: Json) -> bool:
    """Whether an object is the newer state of two with one name; the later one in doubt."""
    versions = [each["metadata"].get("resourceVersion") for each in (obj, than)]
    if all(isinstance(each, str) and each.isdecimal() for each in versions):
        return int(versions[0]) >= int(versions[1])
    return True


def _reason(
    value: Json, api_version: str, kind: str
) -> tuple[str, canonical_kinds.CanonicalKind | None]:
    """Why an object is left out, or the row of its kind."""
    row = canonical_kinds.find(api_version, kind)
    metadata = value.get("metadata")
    if row is None:
        return canonical_kinds.reason_left_out(api_version, kind), None
    if canonical_kinds.version_read(api_version, kind) is None:
        return f"{canonical_kinds.UNKNOWN_VERSION}: {api_version}", None
    if not isinstance(metadata, dict) or not is_named(
        metadata.get("name"), metadata.get("namespace")
    ):
        return NAMELESS, None
    if cleaning.is_token(value):
        return cleaning.TOKEN, None
    if (api_version, kind) == gvk.CUSTOM_RESOURCE_DEFINITION:
        return canonical_kinds.definition_reason(value), row
    return "", row
