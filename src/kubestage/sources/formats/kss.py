"""Exports and recordings of kube-scheduler-simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.objects import manifest
from kubestage.scenario import kss_export, kss_input, kss_recording
from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin

if TYPE_CHECKING:
    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake

EXPORT: Final = "kube-scheduler-simulator export"
RECORDING: Final = "kube-scheduler-simulator recording"
_CONFIGURATION: Final = (
    "the scheduler's configuration in the export is not imported: save its schedulerConfig as a "
    "file, and name it with --config"
)
_VERBS: Final[dict[str, Any]] = {"Add": "create", "Update": "update", "Delete": "delete"}


def is_export(entry: Entry) -> bool:
    """Whether a file is an export."""
    head = entry.head().lstrip()
    if not any(key.encode() in head for key in kss_export.KEYS):
        return False
    return kss_input.sniff(entry.read()) == kss_input.EXPORT


def is_recording(entry: Entry) -> bool:
    """Whether a file is a recording."""
    line = entry.head().partition(b"\n")[0]
    return b'"resource"' in line and kss_input.sniff(line) == kss_input.RECORDING


def read_export(entry: Entry, intake: Intake) -> Origin:
    """Take the objects of an export."""
    data = entry.read()
    documents = manifest.load_text(data, entry.name)
    if len(documents) != 1:
        raise InputError("an export is one document", file=entry.name, fix="split the file")
    exported = documents[0].object
    try:
        scenario = kss_export.scenario(exported)
    except InputError as error:
        error.file = entry.name
        raise
    for event in scenario["spec"]["events"]:
        intake.add(texts.part(event, "createOperation", "object"))
    if exported.get("schedulerConfig"):
        intake.note(_CONFIGURATION)
    return Origin(source=entry.path, format=EXPORT)


def read_recording(entry: Entry, intake: Intake) -> Origin:
    """Take the changes of a recording; what is listed at its beginning was there already."""
    notes: list[str] = []
    first_ns: int | None = None
    seen: set[tuple[str, str, str, str]] = set()
    listed: set[str] = set()
    try:
        for record in kss_recording.read(entry.lines(), notes):
            first_ns = record.time_ns if first_ns is None else first_ns
            obj = record.resource
            reference = texts.reference(obj)
            created = texts.time_or_none(obj["metadata"].get("creationTimestamp"))
            is_first = reference.key not in seen
            seen.add(reference.key)
            if record.event != "Add":
                listed.add(reference.kind)
            was_there = created is not None and created <= first_ns
            if is_first and was_there and reference.kind not in listed and record.event == "Add":
                intake.add(obj)
                continue
            if is_first and record.event != "Add":
                intake.add(obj)
            verb: Any = "update" if record.event == "Add" and not is_first else _VERBS[record.event]
            if verb == "delete":
                seen.discard(reference.key)
            intake.change(record.time_ns, verb, reference, None if verb == "delete" else obj)
    except InputError as error:
        error.file = entry.name
        raise
    for note in notes:
        intake.note(f"{entry.path}: {note}")
    return Origin(source=entry.path, format=RECORDING)
