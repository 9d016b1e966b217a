"""Captures of k8shark: answers of an API server, polled and watched (``.kshrk``, or NDJSON)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake
    from kubestage.sources.tree import Tree

NAME: Final = "k8shark capture"
_METADATA: Final = re.compile(r"(^|/)k8shark-capture/metadata\.json$")
_RECORD: Final = re.compile(r"(^|/)k8shark-capture/records/[0-9a-f]+/\d+\.json$")
_LINE: Final = re.compile(rb'\s*\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"captured_at"\s*:')
_KNOWN_VERSION: Final = 2
_VERBS: Final[dict[str, Any]] = {"ADDED": "create", "MODIFIED": "update", "DELETED": "delete"}
_State = dict[tuple[str, str, str], tuple[str, Json]]


def is_one(paths: Sequence[str]) -> bool:
    """Whether an archive is a capture."""
    return any(_METADATA.search(path) for path in paths)


def read(tree: Tree, intake: Intake) -> Origin:
    """Take the records of a capture."""
    records: list[Json] = []
    metadata: Json = {}
    for entry in tree.entries():
        if _METADATA.search(entry.path):
            metadata = texts.part({"": texts.json_value(entry.read(), entry.name, "it")}, "")
            version = metadata.get("format_version", 1)
            if not isinstance(version, int) or version > _KNOWN_VERSION:
                problem = f"format_version {version} is not known"
                fix = f"versions up to {_KNOWN_VERSION} are read"
                raise InputError(problem, file=entry.name, fix=fix)
        elif _RECORD.search(entry.path):
            _collect(texts.json_value(entry.read(), entry.name, "the record"), records, entry.name)
    _replay(records, intake)
    return Origin(
        source=tree.name,
        format=NAME,
        captured_ns=texts.time_or_none(metadata.get("captured_until")),
        kubernetes_version=texts.text(metadata, "kubernetes_version"),
    )


def is_stream(entry: Entry) -> bool:
    """Whether a file has the records of a capture, one a line."""
    return _LINE.match(entry.head()) is not None and b'"api_path"' in entry.head()


def read_stream(entry: Entry, intake: Intake) -> Origin:
    """Take the records of such a file."""
    records: list[Json] = []
    for number, line in enumerate(entry.lines(), 1):
        if line.strip():
            record = texts.json_value(line, entry.name, "the record", number)
            _collect(record, records, entry.name)
    _replay(records, intake)
    return Origin(source=entry.path, format=NAME)


def _collect(record: Any, records: list[Json], name: str) -> None:
    """Keep a record with objects in it: no tables, no discovery, no refusals."""
    path = texts.text(record, "api_path")
    if not isinstance(record, dict) or "?" in path or record.get("response_code", 200) != 200:
        return
    body = texts.part(record, "response_body")
    is_event = texts.text(record, "event_type") in _VERBS
    if is_event or (isinstance(body.get("items"), list) and "resources" not in body):
        # The first version had no times.
        time = record.get("captured_at")
        at_ns = 0 if time is None else texts.time_ns(time, name, "captured_at")
        records.append({"at": at_ns, "path": path, "body": body,
                        "event": texts.text(record, "event_type")})  # fmt: skip


def _replay(records: list[Json], intake: Intake) -> None:
    """The first list of a path is the state; differences of later ones, and events, are changes."""
    lists: dict[str, _State] = {}
    for record in sorted(records, key=lambda each: each["at"]):
        body, known = record["body"], lists.get(record["path"])
        if record["event"]:
            obj = body.get("object") if "object" in body else body
            state = lists.setdefault(record["path"], {})
            if isinstance(obj, dict):
                _event(record["at"], record["event"], obj, state, intake)
        elif known is None:
            intake.add(body)
            lists[record["path"]] = {_key(each): (_version(each), each) for each in _items(body)}
        else:
            _difference(record["at"], _items(body), known, intake)


def _event(at_ns: int, event: str, obj: Json, state: _State, intake: Intake) -> None:
    key, version = _key(obj), _version(obj)
    if event == "DELETED":
        if state.pop(key, None) is not None:
            intake.change(at_ns, "delete", texts.reference(obj))
        return
    earlier = state.get(key)
    if earlier is not None and earlier[0] == version:
        return
    state[key] = (version, obj)
    intake.change(at_ns, "create" if earlier is None else "update", texts.reference(obj), obj)


def _difference(at_ns: int, items: Iterable[Json], known: _State, intake: Intake) -> None:
    now = {_key(each): (_version(each), each) for each in items}
    for key in known.keys() - now.keys():
        intake.change(at_ns, "delete", texts.reference(known[key][1]))
    for key, (version, obj) in now.items():
        if key not in known:
            intake.change(at_ns, "create", texts.reference(obj), obj)
        elif known[key][0] != version:
            intake.change(at_ns, "update", texts.reference(obj), obj)
    known.clear()
    known.update(now)


def _items(body: Json) -> list[Json]:
    """The objects of a list, each with its type."""
    kind, version = texts.text(body, "kind").removesuffix("List"), texts.text(body, "apiVersion")
    items = body.get("items")
    listed = items if isinstance(items, list) else ()
    return [{"apiVersion": version, "kind": kind, **each} for each in listed
            if isinstance(each, dict)]  # fmt: skip


def _key(obj: Json) -> tuple[str, str, str]:
    reference = texts.reference(obj)
    return reference.kind, reference.namespace, reference.name


def _version(obj: Json) -> str:
    metadata = texts.part(obj, "metadata")
    return f"{texts.text(metadata, 'uid')} {texts.text(metadata, 'resourceVersion')}"
