"""Files of kube-scheduler-simulator among those that a person names, known by what is in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.errors import InputError
from kubestage.objects import manifest
from kubestage.scenario import kss_export, kss_recording

if TYPE_CHECKING:
    from kubestage.aliases import Json

EXPORT: Final = "export"
RECORDING: Final = "recording"

_BOM: Final = b"\xef\xbb\xbf"
_KEY: Final = re.compile(rb"""^["']?([A-Za-z]+)["']?[ \t]*:(?=\s|\Z)""", re.MULTILINE)
_BEGINNING: Final = re.compile(rb"""\{\s*"time"\s*:\s*"[^"]*"\s*,\s*"event"\s*:""")
_fields: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Imported(NamedTuple):
    """A Scenario, the scheduler configuration that comes with it, and notes about it."""

    scenario: Json
    configuration: Json | None
    notes: list[str]


def sniff(text: bytes) -> str | None:
    """Whether a text is an ``export`` or a ``recording``; None for anything else.

    Only the start is read: a file with errors further down is recognised, too.
    """
    data = text.removeprefix(_BOM).lstrip()
    if data[:1] != b"{":
        first = _KEY.search(data)
        if first is None or first[1].decode() not in kss_export.KEYS:
            return None
        return None if {b"apiVersion", b"kind"} & set(_KEY.findall(data)) else EXPORT
    line = data.partition(b"\n")[0]
    if _BEGINNING.match(line):
        return RECORDING
    fields = _decoded(line)
    if fields is not None and {"event", "resource"} <= fields.keys():
        return RECORDING
    fields = _decoded(data) if fields is None else fields
    values = {key: _skeleton(value) for key, value in (fields or {}).items()}
    return EXPORT if kss_export.is_export(values) else None


def _decoded(data: bytes) -> dict[str, msgspec.Raw] | None:
    try:
        return _fields(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _skeleton(value: msgspec.Raw) -> Any:
    """An empty list or object or None, as the JSON value is; an empty text for all else."""
    return {b"[": [], b"{": {}, b"n": None}.get(bytes(value)[:1], "")


def load(text: bytes, source: str, name: str) -> Imported:
    """Read a file that `sniff` knows; InputError has its name and the line."""
    try:
        if sniff(text) == RECORDING:
            notes: list[str] = []
            records = kss_recording.read(text.splitlines(keepends=True), notes)
            return Imported(kss_recording.scenario(records, name, notes), None, notes)
        documents = manifest.load_text(text, source)
        if len(documents) != 1:
            raise InputError("an export is one document", fix="hand them in as files of their own")
        exported = documents[0].object
        imported = kss_export.scenario(exported, name)
        return Imported(imported, kss_export.configuration(exported), [])
    except InputError as error:
        error.file = source
        if error.line is None and error.path is not None:
            error.line = manifest.locate(text, 0, error.path)
        raise
