"""``cluster.yaml`` of an import: where its objects come from, and what they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import yaml_text
from kubestage.sources.imported import format_ns

if TYPE_CHECKING:
    from kubestage.aliases import Json

API_VERSION: Final = "kubestage.dev/v1alpha1"
KIND: Final = "ImportedCluster"
FILE: Final = "cluster.yaml"


class SourceEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel",
                  forbid_unknown_fields=True):  # fmt: skip
    """One source."""

    name: str
    format: str
    captured_at: str = ""
    kubernetes_version: str = ""
    cluster: str = ""


class LeftOutEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Objects of a kind that are not imported, and why."""

    kind: str
    count: int
    reason: str


class RecordingEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True,
                     rename={"begin": "from", "end": "to"}):  # fmt: skip
    """The changes that were recorded, and when."""

    file: str
    begin: str
    end: str
    changes: int


class Spec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel",
           forbid_unknown_fields=True):  # fmt: skip
    """All that is known about an import."""

    sources: list[SourceEntry]
    objects: dict[str, int]
    rebuilt: dict[str, int] = {}
    """Objects that the source lacks and others refer to; counted in `objects` as well."""
    captured_at: str = ""
    anonymised: bool = False
    left_out: list[LeftOutEntry] = []
    notes: list[str] = []
    recording: RecordingEntry | None = None


def is_one(obj: Any) -> bool:
    """Whether an object describes an import; in whichever version."""
    return (
        isinstance(obj, dict)
        and obj.get("kind") == KIND
        and str(obj.get("apiVersion", "")).startswith("kubestage.dev/")
    )


def load(obj: Json) -> Spec:
    """What a file states; InputError if it was changed beyond recognition."""
    if obj.get("apiVersion") != API_VERSION:
        fix = f"import the cluster again: this version reads {API_VERSION}"
        raise InputError("was written by another version", path="apiVersion", fix=fix)
    try:
        return msgspec.convert(obj.get("spec"), Spec)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$")
        path = f"spec{where.strip('`')}"
        raise InputError(message, path=path, fix="import the cluster again") from None


def dump(name: str, spec: Spec) -> str:
    """The text of a file."""
    return yaml_text.dump({
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name},
        "spec": msgspec.to_builtins(spec),
    })  # fmt: skip


def time_text(time_ns: int | None) -> str:
    """A moment as files have it; empty if it is not known."""
    return "" if time_ns is None else format_ns(time_ns)
