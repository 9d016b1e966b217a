"""KWOK: ``kwokctl snapshot save --format k8s``, and recordings with ResourcePatches after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects.patches import PatchType
from kubestage.scenario import recorded_times
from kubestage.sim.clock import EPOCH_2026_NS
from kubestage.sources import canonical_kinds, folding
from kubestage.sources.formats import kubectl_dump, texts
from kubestage.sources.imported import Origin, Reference

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake

NAME: Final = "KWOK recording"
_GROUP: Final = b"action.kwok.x-k8s.io/"
_KIND: Final = "ResourcePatch"
_TIMES: Final = (
    "a KWOK recording has durations and no times: it begins at the newest moment of its snapshot, "
    "or with 2026"
)
_NOT_THERE: Final = "change of an object that the recording has not shown"


def is_one(entry: Entry) -> bool:
    """Whether there are patches among the objects of a file; without any it is a plain dump."""
    if not kubectl_dump.is_one(entry):
        return False
    return b"ResourcePatch" in entry.read() and _GROUP in entry.read()


def read(entry: Entry, intake: Intake) -> Origin:
    """Take the snapshot, then the changes."""
    documents = texts.documents(entry.read(), entry.name)
    snapshot = [each for each in documents if each.get("kind") != _KIND]
    for obj in snapshot:
        intake.add(obj)
    state = folding.State()
    for obj in snapshot:
        state.put(texts.reference(obj), obj)
    start_ns = recorded_times.newest_ns(snapshot) or EPOCH_2026_NS
    for each in documents:
        if each.get("kind") == _KIND:
            _take(each, start_ns, state, intake, entry.name)
    intake.note(_TIMES)
    return Origin(source=entry.path, format=NAME, captured_ns=start_ns)


def _take(patch: Json, start_ns: int, state: folding.State, intake: Intake, name: str) -> None:
    resource, target = texts.part(patch, "resource"), texts.part(patch, "target")
    group, plural = texts.text(resource, "group"), texts.text(resource, "resource")
    found = canonical_kinds.by_plural(group, plural)
    if found is None:
        intake.leave_out(plural or "?", canonical_kinds.NOT_SIMULATED)
        return
    reference = Reference(*found, texts.text(target, "namespace"), texts.text(target, "name"))
    duration_ns = patch.get("durationNanosecond")
    if not isinstance(duration_ns, int):
        fix = "record it again with `kwokctl snapshot record`"
        raise InputError("is no number", file=name, path="durationNanosecond", fix=fix)
    _change(start_ns + duration_ns, patch, reference, state, intake)


def _change(
    at_ns: int, patch: Json, reference: Reference, state: folding.State, intake: Intake
) -> None:
    method, template = patch.get("method"), patch.get("template")
    if method == "delete":
        if state.remove(reference):
            intake.change(at_ns, "delete", reference)
        else:
            intake.leave_out(reference.kind, _NOT_THERE)
        return
    obj: Any = template if method == "create" else None
    if method == "patch":
        obj = state.patched(reference, PatchType.STRATEGIC, template)
    if not isinstance(obj, dict):
        intake.leave_out(reference.kind, _NOT_THERE)
        return
    obj = {"apiVersion": reference.api_version, "kind": reference.kind, **obj}
    state.put(reference, obj)
    intake.change(at_ns, "create" if method == "create" else "update", reference, obj)
