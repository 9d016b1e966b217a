"""The folder that an import writes: manifests by namespace, ``cluster.yaml``, and a recording."""

from __future__ import annotations

import collections
import pathlib
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files.claiming import Claim
from kubestage.files.writing import WRITING
from kubestage.objects import yaml_text
from kubestage.sources import canonical_kinds, cluster_file, folding, owners, recording
from kubestage.sources.cluster_file import LeftOutEntry, RecordingEntry, SourceEntry, Spec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.sources.imported import Imported

CLUSTER_SCOPED: Final = "cluster-scoped"
NAMESPACES: Final = "namespaces"
# NOTE: an import of 21,000 objects takes 17 s with JSON, an object a line, and 79 s with YAML on
# the same busy machine; few people read that many objects.
_MOST_AS_YAML: Final = 500
_MOST_IN_ALL: Final = 5_000
_FIX: Final = "name another folder, new or empty"


def check(out: str) -> None:
    """InputError unless an import may be written here."""
    place = pathlib.Path(out)
    if place.exists() and not place.is_dir():
        raise InputError("is a file", file=out, fix=_FIX)
    if place.is_dir() and any(not each.name.startswith(WRITING) for each in place.iterdir()):
        raise InputError("is not empty", file=out, fix=_FIX)


def write(imported: Imported, out: str, *, anonymised: bool = False,
          at_ns: int | None = None) -> Spec:  # fmt: skip
    """Write an import; the manifests are the state at `at_ns`, or at the end of the source."""
    check(out)
    state = folding.state_at(imported.objects, imported.changes, at_ns)
    completed = owners.complete(state)
    state += completed.added
    with Claim(pathlib.Path(out)) as claim:
        check(out)
        unfinished = claim.beside
        _write_objects(state, unfinished)
        recorded = None
        if imported.changes:
            (unfinished / recording.FOLDER).mkdir()
            header = recording.write(
                unfinished / recording.FILE, imported.objects, imported.changes
            )
            recorded = RecordingEntry(
                file=recording.FILE, begin=header.begin, end=header.end, changes=header.changes
            )
        spec = _spec(imported, state, recorded, anonymised=anonymised, at_ns=at_ns)
        rebuilt = collections.Counter(each["kind"] for each in completed.added)
        spec = msgspec.structs.replace(
            spec, rebuilt=dict(sorted(rebuilt.items())), notes=[*spec.notes, *completed.notes]
        )
        name = next((each.cluster for each in imported.origins if each.cluster), "")
        text = cluster_file.dump("cluster" if anonymised else name or "cluster", spec)
        (unfinished / cluster_file.FILE).write_text(text)
        for each in sorted(unfinished.iterdir()):
            each.rename(claim.path / each.name)
    return spec


def replace(
    imported: Imported,
    out: pathlib.Path,
    beside: pathlib.Path,
    recorded: RecordingEntry,
    *,
    anonymised: bool,
) -> Spec:
    """Replace the manifests of a recording and its ``cluster.yaml``; all else stays.

    Each file is replaced as a whole. `beside` is an empty folder in the same place.
    """
    completed = owners.complete(imported.objects)
    state = imported.objects + completed.added
    _write_objects(state, beside)
    spec = _spec(imported, state, recorded, anonymised=anonymised, at_ns=None)
    rebuilt = collections.Counter(each["kind"] for each in completed.added)
    spec = msgspec.structs.replace(
        spec, rebuilt=dict(sorted(rebuilt.items())), notes=[*spec.notes, *completed.notes]
    )
    name = next((each.cluster for each in imported.origins if each.cluster), "")
    text = cluster_file.dump("cluster" if anonymised else name or "cluster", spec)
    (beside / cluster_file.FILE).write_text(text)
    written = {each.relative_to(beside) for each in beside.rglob("*") if each.is_file()}
    old = {each.relative_to(out) for each in _manifests(out)}
    (out / NAMESPACES).mkdir(exist_ok=True)
    for each in sorted(written):
        (beside / each).replace(out / each)
    for each in old - written:
        (out / each).unlink()
    return spec


def _manifests(out: pathlib.Path) -> list[pathlib.Path]:
    """The files with objects of a folder."""
    return [
        *(out / NAMESPACES).glob("*.yaml"), *(out / NAMESPACES).glob("*.json"),
        *out.glob(f"{CLUSTER_SCOPED}.yaml"), *out.glob(f"{CLUSTER_SCOPED}.json"),
    ]  # fmt: skip


def _write_objects(state: list[Json], place: pathlib.Path) -> None:
    by_namespace: dict[str, list[Json]] = collections.defaultdict(list)
    for obj in state:
        by_namespace[obj["metadata"].get("namespace") or ""].append(obj)
    if set(by_namespace) - {""}:
        (place / NAMESPACES).mkdir()
    for namespace, objects in sorted(by_namespace.items()):
        file = place / NAMESPACES / namespace if namespace else place / CLUSTER_SCOPED
        objects.sort(key=_order)
        if len(objects) > _MOST_AS_YAML or len(state) > _MOST_IN_ALL:
            _write_json(objects, file.with_name(f"{file.name}.json"))
        else:
            text = "---\n".join(yaml_text.dump(_sorted(each)) for each in objects)
            file.with_name(f"{file.name}.yaml").write_text(text)


def _write_json(objects: Iterable[Json], file: pathlib.Path) -> None:
    with file.open("wb") as out:
        out.write(b'{"apiVersion":"v1","kind":"List","items":[\n')
        for number, obj in enumerate(objects):
            out.write(b",\n" if number else b"")
            out.write(msgspec.json.encode(_sorted(obj)))
        out.write(b"\n]}\n")


def _sorted(obj: Json) -> Json:
    """An object as kubectl orders it: its type first."""
    head = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": obj["metadata"]}
    return head | {key: obj[key] for key in sorted(obj) if key not in head}


def _order(obj: Json) -> tuple[int, str, str]:
    kind = obj["kind"]
    return canonical_kinds.order(obj["apiVersion"], kind), kind, obj["metadata"]["name"]


def _spec(
    imported: Imported,
    state: list[Json],
    recorded: RecordingEntry | None,
    *,
    anonymised: bool,
    at_ns: int | None,
) -> Spec:
    counts = collections.Counter(each["kind"] for each in state)
    captured = imported.captured_ns if at_ns is None else at_ns
    return Spec(
        sources=[
            SourceEntry(
                name="" if anonymised else each.source,
                format=each.format,
                captured_at=cluster_file.time_text(each.captured_ns),
                kubernetes_version=each.kubernetes_version,
                cluster="" if anonymised else each.cluster,
            )
            for each in imported.origins
        ],
        objects=dict(sorted(counts.items())),
        captured_at=cluster_file.time_text(captured),
        anonymised=anonymised,
        left_out=[
            LeftOutEntry(kind=kind, count=count, reason=reason)
            for (kind, reason), count in sorted(imported.left_out.items())
        ],
        notes=list(imported.notes),
        recording=recorded,
    )
