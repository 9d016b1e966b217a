"""What the API does to an Event, which two API groups show.

The rules are stricter for events that come by way of ``events.k8s.io``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_CORE_NAMES: Final = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_SERVED: Final = {stored: served for served, stored in _CORE_NAMES.items()}
_LIMITS: Final = (("reportingInstance", 128), ("action", 128), ("reason", 128))
_NOTE_LIMIT: Final = 1024
_SHORTEST_SERIES: Final = 2
_TYPES: Final = ("Normal", "Warning")
# Immutable fields, in the order in which the API server checks them; the reason twice.
_IMMUTABLE: Final = (
    ("involvedObject", "core/v1.ObjectReference"),
    ("reason", "string"),
    ("message", "string"),
    ("source", "core/v1.EventSource"),
    ("firstTimestamp", "meta/v1.Time"),
    ("lastTimestamp", "meta/v1.Time"),
    ("count", "int32"),
    ("reason", "string"),
    ("type", "string"),
    ("eventTime", "meta/v1.MicroTime"),
    ("action", "string"),
    ("related", "*core/v1.ObjectReference"),
    ("reportingComponent", "string"),
    ("reportingInstance", "string"),
)


def _to_core(event: Json) -> Json:
    """As the core group has it."""
    return {_CORE_NAMES.get(key, key): value for key, value in event.items()}


def _from_core(event: Json) -> Json:
    """As ``events.k8s.io`` has it."""
    return {_SERVED.get(key, key): value for key, value in event.items()}


def _validate(obj: Json) -> list[FieldError]:
    """The rules of the core group are lenient."""
    errors = _validate_event(obj, "reportingComponent")
    return errors or metadata.validate_object_meta(
        obj["metadata"], True, names.path_segment_name, kube_finalizers=False
    )


def _validate_update(new: Json, _: Json) -> list[FieldError]:
    """Metadata is not validated again."""
    return _validate_event(new, "reportingComponent")


def _validate_new_style(obj: Json) -> list[FieldError]:
    """An event of ``events.k8s.io``: none of the old fields is set."""
    errors = _validate_event(obj, "reportingController")
    errors += metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    errors += _validate_series(obj)
    if not obj.get("eventTime"):
        errors.append(field.required("eventTime"))
    kind = obj.get("type") or ""
    if kind not in _TYPES:
        errors.append(field.invalid("type", "", f"has invalid value: {kind}"))
    for key in ("firstTimestamp", "lastTimestamp", "count", "source"):
        if obj.get(key):
            errors.append(field.invalid(key, "", "needs to be unset"))
    return errors


def _validate_new_style_update(new: Json, old: Json) -> list[FieldError]:
    """Only the series may change."""
    errors = _validate_event(new, "reportingController")
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if new.get("series") != old.get("series"):
        errors += _validate_series(new)
    for key, shape in _IMMUTABLE:
        if equality.semantic_equal(shape, new.get(key), old.get(key)):
            continue
        path = "reportingController" if key == "reportingComponent" else key
        value = new.get(key)
        shown = value or "" if shape == "string" else internal_json.render(shape, value)
        errors.append(field.invalid(path, shown, metadata.IMMUTABLE))
    return errors


def _validate_series(obj: Json) -> list[FieldError]:
    series = obj.get("series")
    errors: list[FieldError] = []
    if series is not None:
        if (series.get("count") or 0) < _SHORTEST_SERIES:
            errors.append(field.invalid("series.count", "", "should be at least 2"))
        if not series.get("lastObservedTime"):
            errors.append(field.required("series.lastObservedTime"))
    return errors


def _validate_event(obj: Json, reporter: str) -> list[FieldError]:
    namespace = obj["metadata"].get("namespace") or ""
    involved = (obj.get("involvedObject") or {}).get("namespace") or ""
    path, detail = "involvedObject.namespace", "does not match event.namespace"
    errors: list[FieldError] = []
    if not obj.get("eventTime"):
        if namespace != involved and (involved or namespace != "default"):
            errors.append(field.invalid(path, involved, detail))
    else:
        if not involved and namespace not in ("default", "kube-system"):
            errors.append(field.invalid(path, involved, detail))
        errors += _validate_reporter(obj, reporter)
    return errors + field.invalids("namespace", namespace, names.is_dns1123_subdomain(namespace))


def _validate_reporter(obj: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    controller = obj.get("reportingComponent") or ""
    if not controller:
        errors.append(field.required(path))
    problems = names.is_qualified_name(controller)
    errors += field.invalids(path, controller, problems)
    for key, limit in _LIMITS:
        text = obj.get(key) or ""
        if not text:
            errors.append(field.required(key))
        if names.size(text) > limit:
            errors.append(field.invalid(key, "", f"can have at most {limit} characters"))
    if names.size(obj.get("message") or "") > _NOTE_LIMIT:
        errors.append(field.invalid("message", "", f"can have at most {_NOTE_LIMIT} characters"))
    return errors


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    return _row(
        obj,
        now_ns,
        first=obj.get("firstTimestamp"),
        last=obj.get("lastTimestamp"),
        count=cells.number(obj, "count"),
        target=cells.part(obj, "involvedObject"),
        source=cells.part(obj, "source"),
        reporter=cells.text(obj, "reportingComponent"),
        message=cells.text(obj, "message"),
    )


def _cells_new_style(obj: Json, now_ns: int) -> list[Cell]:
    return _row(
        obj,
        now_ns,
        first=obj.get("deprecatedFirstTimestamp"),
        last=obj.get("deprecatedLastTimestamp"),
        count=cells.number(obj, "deprecatedCount"),
        target=cells.part(obj, "regarding"),
        source=cells.part(obj, "deprecatedSource"),
        reporter=cells.text(obj, "reportingController"),
        message=cells.text(obj, "note"),
    )


def _row(
    obj: Json,
    now_ns: int,
    *,
    first: str | None,
    last: str | None,
    count: int,
    target: Json,
    source: Json,
    reporter: str,
    message: str,
) -> list[Cell]:
    first_seen = cells.since(first, now_ns)
    if first_seen == cells.UNKNOWN:
        first_seen = cells.since(obj.get("eventTime"), now_ns)
    last_seen = cells.since(last, now_ns)
    if last_seen == cells.UNKNOWN:
        last_seen = first_seen
    series = obj.get("series")
    if series is not None:
        last_seen = cells.since(series.get("lastObservedTime"), now_ns)
        count = cells.number(series, "count")
    elif not count:
        count = 1
    kind, name = cells.text(target, "kind").lower(), cells.text(target, "name")
    component = cells.text(source, "component") or reporter
    instance = cells.text(source, "host") or cells.text(obj, "reportingInstance")
    return [
        last_seen,
        cells.text(obj, "type"),
        cells.text(obj, "reason"),
        f"{kind}/{name}" if name else kind,
        cells.text(target, "fieldPath"),
        f"{component}, {instance}" if instance else component,
        message.strip(),
        first_seen,
        count,
        cells.name(obj),
    ]


KINDS: Final = (
    Kind(
        group="",
        version="v1",
        kind="Event",
        plural="events",
        short_names=("ev",),
        declared=Behavior(
            validate=_validate,
            validate_update={"": _validate_update},
            validates_metadata=(CREATE, ""),
            cells=_cells,
            is_counted=False,
            create_on_update=True,
            has_dependents=False,
            is_cached=False,
        ),
    ),
    Kind(
        group="events.k8s.io",
        version="v1",
        kind="Event",
        plural="events",
        short_names=("ev",),
        old_versions=("events.k8s.io/v1beta1",),
        stored_as=("v1", "Event"),
        declared=Behavior(
            to_stored=_to_core,
            to_served=_from_core,
            validate=_validate_new_style,
            validate_update={"": _validate_new_style_update},
            validates_metadata=(CREATE, ""),
            cells=_cells_new_style,
            is_counted=False,
            create_on_update=True,
            has_dependents=False,
            is_cached=False,
        ),
    ),
)
