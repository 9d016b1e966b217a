"""Lines of an audit log: one Event each, or EventLists as a webhook receives them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.sources.formats import texts
from kubestage.sources.imported import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.sources.entries import Entry
    from kubestage.sources.intake import Intake

NAME: Final = "audit log"
_KIND: Final = re.compile(rb'\\?"apiVersion\\?"\s*:\s*\\?"audit\.k8s\.io/')
_CHANGING: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
# Requests that no import has a use for, and that are most of a log.
_NOISE: Final = frozenset({
    "leases", "events", "endpoints", "endpointslices", "tokenreviews", "subjectaccessreviews",
    "selfsubjectaccessreviews", "selfsubjectrulesreviews", "localsubjectaccessreviews",
    "selfsubjectreviews",
})  # fmt: skip
LEVELS: Final = ("Metadata", "Request", "RequestResponse")
_FIX: Final = 'a line is {"kind":"Event","apiVersion":"audit.k8s.io/v1",...}'


class User(msgspec.Struct):
    """Who has sent a request."""

    username: str = ""


class ObjectRef(msgspec.Struct, rename="camel"):
    """The object of a request."""

    resource: str = ""
    namespace: str = ""
    name: str = ""
    api_group: str = ""
    api_version: str = ""
    subresource: str = ""


class ResponseStatus(msgspec.Struct):
    """How a request ended."""

    code: int = 0


class Event(msgspec.Struct, rename={
    "request_uri": "requestURI", "object_ref": "objectRef", "user_agent": "userAgent",
    "response_status": "responseStatus", "request_object": "requestObject",
    "response_object": "responseObject", "received": "requestReceivedTimestamp",
    "completed": "stageTimestamp",
}):  # fmt: skip
    """One request at one stage."""

    level: str = ""
    stage: str = ""
    verb: str = ""
    request_uri: str = ""
    user: User = msgspec.field(default_factory=User)
    user_agent: str = ""
    object_ref: ObjectRef | None = None
    response_status: ResponseStatus | None = None
    request_object: Any = None
    response_object: Any = None
    received: str = ""
    completed: str = ""
    timestamp: str = ""
    at_ns: int = 0


class _Line(msgspec.Struct, rename={"cloud_watch": "@message"}):
    """A line: an Event, a list of some, or one that a log service has put into a text."""

    kind: str = ""
    items: list[msgspec.Raw] | None = None
    events: list[msgspec.Raw] | None = None
    message: str = ""
    cloud_watch: str = ""


_line: Final = msgspec.json.Decoder(_Line).decode
_event: Final = msgspec.json.Decoder(Event).decode


def is_one(entry: Entry) -> bool:
    """Whether a file is an audit log."""
    head = entry.head()
    return head.lstrip()[:1] == b"{" and _KIND.search(head) is not None


def read(entry: Entry, intake: Intake) -> Origin:
    """Keep the requests of a log that changed something; they are sorted when all logs are read."""
    pending = intake.pending(NAME)
    for event in _events(entry, intake):
        if event.level in LEVELS:
            intake.levels[event.level] += 1
        if is_change(event):
            event.at_ns = texts.time_ns(
                event.completed or event.received or event.timestamp or None,
                entry.name,
                "stageTimestamp",
            )
            pending.append(event)
    return Origin(source=entry.path, format=NAME)


def is_change(event: Event) -> bool:
    """Whether a request has changed something: it is complete, succeeded, and was no dry run."""
    if event.stage not in ("ResponseComplete", "") or event.verb not in _CHANGING:
        return False
    status, ref = event.response_status, event.object_ref
    if ref is None or ref.resource in _NOISE or "dryRun=" in event.request_uri:
        return False
    return status is None or 200 <= status.code < 300


def _events(entry: Entry, intake: Intake) -> Iterator[Event]:
    """All events of a file, which has one a line, or is one document."""
    lines = entry.lines()
    for number, data in enumerate(lines, 1):
        if not data.strip():
            continue
        try:
            yield from _of_text(data)
        except msgspec.ValidationError as error:
            problem = f"not an audit event: {error}"
            raise InputError(problem, file=entry.name, line=number, fix=_FIX) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            rest = b"".join(lines)
            if not rest.strip() and number > 1:
                intake.note(
                    f"{entry.path}: line {number}, the last one, is cut off: it is left out"
                )
                return
            if number > 1:
                raise texts.broken(error, entry.name, "the event", number) from None
            # One document over several lines.
            yield from _of_document(data + rest, entry)
            return


def _of_document(data: bytes, entry: Entry) -> Iterator[Event]:
    try:
        yield from _of_text(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise texts.broken(error, entry.name, "the log") from None


def _of_text(data: bytes) -> Iterator[Event]:
    line = _line(data)
    wrapped = line.message or line.cloud_watch
    if line.kind == "Event":
        yield _event(data)
    elif wrapped.lstrip().startswith("{"):
        yield from _of_text(wrapped.encode())
    else:
        for each in line.items or line.events or ():
            yield from _of_text(bytes(each))
