"""Carrying out the events of a step: create, patch and delete objects as a client would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.errors import ApiError, InputError, KubestageError, NotFound
from kubestage.objects.custom import decoding
from kubestage.objects.patches import PatchType
from kubestage.scenario import patch_text
from kubestage.scenario.resource import CREATE, DELETE, PATCH
from kubestage.store import policies, write_options
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind
    from kubestage.scenario.resource import Event
    from kubestage.store.store import Store


class WriteOptions(NamedTuple):
    """The options of an operation that creates or patches, as the API has them."""

    dry_run: bool
    manager: str
    field_validation: FieldValidation | None
    force: bool | None

    @classmethod
    def read(cls, body: Json, field: str, *, is_apply: bool = False) -> WriteOptions:
        """The options of an operation; refused as the API refuses them."""
        stated = body.get(field) or {}
        dry_run, manager = stated.get("dryRun") or [], stated.get("fieldManager") or ""
        validation: Any = stated.get("fieldValidation") or ""
        force: bool | None = stated.get("force")
        write_options.check(
            field[0].upper() + field[1:],
            dry_run=dry_run,
            manager=manager,
            field_validation=validation,
            force=force,
            is_apply=is_apply,
        )
        return cls(bool(dry_run), manager, validation or None, force)


class OperationFailed(KubestageError):
    """An event that the cluster refused to carry out, or that could not be read."""

    def __init__(self, event: Event, cause: ApiError | InputError | ValueError) -> None:
        message = cause.message if isinstance(cause, ApiError) else cause
        super().__init__(f'event "{event.id}": {message}')
        self.event_id = event.id
        self.cause = cause


def perform(store: Store, event: Event) -> Json:
    """Carry out an event; returns its entry of the timeline."""
    try:
        if event.operation == CREATE:
            return {"create": _create(store, event.body)}
        if event.operation == PATCH:
            return {"patch": _patch(store, event.body)}
        if event.operation == DELETE:
            return {"delete": _delete(store, event.body)}
    except NotFound as error:
        if not event.body.get("asRecorded"):
            raise OperationFailed(event, error) from None
        # Here things went another way than where this was recorded.
        return {event.operation.lower(): {"operation": event.body}}
    except (ApiError, InputError, ValueError) as error:
        raise OperationFailed(event, error) from None
    return {"done": {"operation": event.body}}


def _create(store: Store, body: Json) -> Json:
    """Create an object, or put it there as it was recorded."""
    obj = body.get("object")
    if not isinstance(obj, dict):
        raise ValueError("createOperation.object is missing")
    if body.get("asRecorded"):
        return {"operation": body, "result": _put(store, obj)}
    options = WriteOptions.read(body, "createOptions")
    if options.field_validation is not None:
        decoding.decode(obj, store.kinds.of(obj), options.field_validation)
    created = store.create(obj, dry_run=options.dry_run, manager=options.manager)
    return {"operation": body, "result": created}


def _put(store: Store, obj: Json) -> Json:
    """Put an object there with its status, its uid and its times.

    A pod that was never in a cluster, which has neither a uid nor a priority, is admitted as a new
    one would be, and then gets its status.
    """
    is_known = "uid" in (obj.get("metadata") or {}) or "priority" in (obj.get("spec") or {})
    if obj.get("kind") != "Pod" or is_known:
        return store.load(obj)
    created = store.create(obj)
    if not obj.get("status"):
        return created
    status = {**created["status"], **obj["status"]}
    return store.update({**created, "status": status}, subresource="status")


def _target(store: Store, body: Json) -> tuple[Kind, str, str | None]:
    kind = body.get("typeMeta") or {}
    metadata = body.get("objectMeta") or {}
    if not metadata.get("name"):
        raise ValueError("objectMeta.name is missing")
    row = store.kinds.of({"apiVersion": kind.get("apiVersion"), "kind": kind.get("kind")})
    return row, metadata["name"], metadata.get("namespace")


def _patch(store: Store, body: Json) -> Json:
    kind, name, namespace = _target(store, body)
    patch = body.get("patch")
    if isinstance(patch, str):
        patch = patch_text.parse(patch)
    if not isinstance(patch, dict | list):
        raise ValueError("patchOperation.patch is missing")
    stated = body.get("patchType")
    options = WriteOptions.read(body, "patchOptions", is_apply=stated in patch_text.APPLY)
    if stated in patch_text.APPLY:
        return {"operation": body, "result": _apply(store, (kind, name, namespace), patch, options)}
    result = store.patch(
        kind,
        name,
        patch,
        namespace,
        patch_type=_patch_type(kind, patch, stated),
        dry_run=options.dry_run,
        field_validation=options.field_validation,
        manager=options.manager,
    )
    if body.get("asRecorded") and isinstance(patch, dict) and "status" in patch:
        status = {"status": patch["status"]}
        result = store.patch(kind, name, status, namespace, subresource="status")
    return {"operation": body, "result": result}


def _apply(
    store: Store,
    target: tuple[Kind, str, str | None],
    configuration: Json | list[Any],
    options: WriteOptions,
) -> Json:
    """Apply a configuration on the server's side; what is not there is created.

    The event names the object, so the configuration need not.
    """
    if not isinstance(configuration, dict):
        raise ValueError("patchOperation.patch: what is applied is an object, not a list")
    kind, name, namespace = target
    metadata = configuration.get("metadata") or {}
    whole = {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        **configuration,
        "metadata": {"name": name, **metadata},
    }
    return store.apply(
        kind,
        name,
        whole,
        namespace,
        manager=options.manager,
        force=bool(options.force),
        dry_run=options.dry_run,
        field_validation=options.field_validation,
    ).object


def _patch_type(kind: Kind, patch: Json | list[Any], stated: str | None) -> PatchType:
    """The type that is stated, or else what ``kubectl patch`` would take for it."""
    if stated is not None:
        misfit = patch_text.misfit(patch, stated)
        if misfit is not None:
            raise ValueError(f"patchOperation.patchType: {misfit}")
        return patch_text.TYPES[stated]
    if isinstance(patch, list):
        return PatchType.JSON
    return PatchType.MERGE if policies.patch_struct(kind) is None else PatchType.STRATEGIC


def _delete(store: Store, body: Json) -> Json:
    kind, name, namespace = _target(store, body)
    options = body.get("deleteOptions") or {}
    conditions = options.get("preconditions") or {}
    store.delete(
        kind,
        name,
        namespace,
        DeleteOptions(
            grace_period_seconds=options.get("gracePeriodSeconds"),
            propagation_policy=options.get("propagationPolicy"),
            orphan_dependents=options.get("orphanDependents"),
            uid=conditions.get("uid"),
            resource_version=conditions.get("resourceVersion"),
            dry_run=bool(options.get("dryRun")),
        ),
    )
    return {"operation": body}
