"""Update and patch: from what a request holds to the next version of what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.errors import BadRequest, UnsupportedMediaType
from kubestage.objects import conversion, strategy, warnings
from kubestage.objects.conversion import webhook_versions
from kubestage.objects.ownership import tracking
from kubestage.objects.patches import PatchType
from kubestage.objects.validation import capabilities, field, status
from kubestage.store import (
    creating,
    custom_resources,
    event_window,
    field_managers,
    patching,
    policies,
    refusals,
    replacing,
    versions,
)
from kubestage.store.admission import AdmissionRequest
from kubestage.store.admission import caller as callers
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.event_window import EventWindow
    from kubestage.store.patching import PatchRequest


class UpdateRequest(NamedTuple):
    """A PUT; name and namespace are those of the request, if it has them."""

    obj: dict[str, Any]
    name: str | None
    namespace: str | None
    subresource: str
    dry_run: bool
    manager: str = ""
    warnings: MutableSequence[str] | None = None


class UpdateContext(NamedTuple):
    """How an object is written: through which subresource, by whom, and in earnest or not.

    `is_tracked`: the object comes with the managedFields that it is to have. `through` is
    the subresource of the request where the whole object is written for it, as for a Scale. With a
    `window`, what is written is a part of the object.
    """

    subresource: str = ""
    dry_run: bool = False
    manager: str = ""
    is_tracked: bool = False
    warnings: MutableSequence[str] | None = None
    through: str = ""
    window: EventWindow | None = None


def check_name(metadata: dict[str, Any], name: str | None) -> str:
    """The name that a request means, which the object must have too."""
    in_body: str = metadata.get("name") or ""
    if not in_body:
        based_on = f" ({name} based on URL)" if name else ""
        raise BadRequest(
            f"the name of the object{based_on} was undeterminable: name must be provided"
        )
    if name is not None and in_body != name:
        raise BadRequest(
            f"the name of the object ({in_body}) does not match the name on the URL ({name})"
        )
    return in_body


def update(core: Core, kind: Kind, request: UpdateRequest) -> dict[str, Any]:
    """Replace an object by what the request holds."""
    request = request._replace(obj=custom_resources.opened(kind, request.obj))
    metadata = creating.metadata_of(request.obj)
    name = check_name(metadata, request.name)
    namespace = creating.request_namespace(kind, metadata, request.namespace)
    key = key_of(namespace, name)
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        if request.subresource or not kind.behavior.create_on_update:
            raise status.not_found(kind, name)
        fresh = {**request.obj, "metadata": {**metadata, "resourceVersion": ""}}
        return creating.create(
            core,
            kind,
            fresh,
            namespace,
            dry_run=request.dry_run,
            manager=request.manager,
            advice=request.warnings,
        )
    check_uid(kind, key, existing, metadata.get("uid"))
    check_version(kind, existing, metadata, required=not kind.behavior.unconditional_update)
    return write(core, kind, key, request.obj, _change(request))


def check_uid(kind: Kind, key: str, existing: dict[str, Any], uid: str | None) -> None:
    """A PUT that names a uid means that object and no successor of the same name."""
    metadata = existing["metadata"]
    if uid and uid != metadata["uid"]:
        stored_at = policies.storage_key(kind, key)
        why = refusals.failed_precondition(stored_at, "UID", uid, metadata["uid"])
        raise status.conflict(kind, metadata["name"], why)


def check_version(
    kind: Kind, existing: dict[str, Any], metadata: dict[str, Any], *, required: bool
) -> None:
    """Optimistic concurrency: what is replaced must be what the caller has seen."""
    try:
        version = versions.parse(metadata.get("resourceVersion") or "")
    except versions.NotAVersion as error:
        raise BadRequest(str(error)) from None
    if not version:
        if required:
            text = "must be specified for an update"
            problem = field.invalid("metadata.resourceVersion", 0, text)
            raise status.invalid({**existing, "kind": kind.plural}, [problem])
        return
    if version != int(existing["metadata"]["resourceVersion"]):
        raise status.conflict(kind, existing["metadata"]["name"])


def write(
    core: Core, kind: Kind, key: str, desired: dict[str, Any], change: UpdateContext
) -> dict[str, Any]:
    """Store the desired state as the next version of an object, by the rules of its kind."""
    subresource, dry_run = change.subresource, change.dry_run
    window = change.window
    existing = core.ledger.collection(kind).objects[key] if window is None else window.existing
    existing = webhook_versions.seen(kind, existing)
    now = callers.time_of_write(core)
    sent = field_managers.sent(desired)
    shaped = creating.defaulted(kind, tracking.without_entries(desired), now)
    creating.place(shaped["metadata"], existing["metadata"].get("namespace"))
    if change.is_tracked:
        shaped = field_managers.with_entries(shaped, sent or [])
    else:
        shaped = field_managers.updated(
            core,
            kind,
            conversion.to_served(kind, existing),
            shaped,
            sent,
            change.manager,
            subresource,
            now,
        )
    shaped = conversion.to_stored(kind, shaped)
    shaped = creating.admitted(
        core, kind, shaped, existing, subresource, change.through, dry_run=dry_run,
        advice=change.warnings,
    )  # fmt: skip
    prepared = custom_resources.prepare_for_update(kind, shaped, existing, subresource, now)
    with capabilities.privileged_pods(allowed=core.allow_privileged):
        problems = custom_resources.validate_update(kind, prepared, existing, subresource)
    if problems:
        if window is not None:
            problems = window.placed(problems, prepared)
        raise status.invalid(prepared, problems)
    if change.warnings is not None:
        change.warnings.extend(warnings.on_update(prepared, existing, subresource))
    through = subresource or change.through
    admission_request = AdmissionRequest(
        kind, prepared, existing, through, dry_run, change.warnings
    )
    for check in core.checks:
        check(core, admission_request)
    prepared = field_managers.settled(strategy.stored(prepared), existing)
    if window is not None:
        return replacing.put(core, kind, key, window.whole(prepared), dry_run=dry_run)
    if not dry_run:
        old = core.ledger.collection(kind).objects[key]
        prepared = custom_resources.at_rest(core, kind, prepared, old)
    return replacing.replace(core, kind, key, prepared, dry_run=dry_run)


def patch(core: Core, kind: Kind, key: str, name: str, request: PatchRequest) -> dict[str, Any]:
    """Change part of an object."""
    struct = policies.patch_struct(kind)
    if request.patch_type is PatchType.STRATEGIC and struct is None:
        # How the lists of a custom resource are merged is not known, whether it is there or not.
        raise UnsupportedMediaType(patching.CUSTOM_PATCHES)
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    window = event_window.window_for(existing, request.patch_type, request.patch)
    if window is not None:
        existing = window.existing
    served = conversion.to_served(kind, existing)
    if not field_managers.is_patched(request.patch):
        # NOTE: they are half of what would be patched, checked and read, to stay what they are.
        served = tracking.without_entries(served)
    desired = patching.patched(served, request, struct)
    if request.patch_type is PatchType.STRATEGIC:
        # It gets the kind that it was read as, whatever kind it states.
        desired = {**desired, "apiVersion": kind.api_version, "kind": kind.kind}
    desired = custom_resources.opened(kind, patching.checked(desired, kind, request))
    metadata = creating.metadata_of(desired)
    check_name(metadata, name)
    creating.request_namespace(kind, metadata, existing["metadata"].get("namespace"))
    check_version(kind, existing, metadata, required=False)
    if request.warnings is not None:
        # Unlike what is sent whole, a patched object is looked at only then.
        when = " after mutating admission happens"
        request.warnings.extend(warnings.repeated_owners(desired, when))
    return write(core, kind, key, desired, _change(request)._replace(window=window))


def _change(request: UpdateRequest | PatchRequest) -> UpdateContext:
    return UpdateContext(
        request.subresource, request.dry_run, request.manager, warnings=request.warnings
    )
