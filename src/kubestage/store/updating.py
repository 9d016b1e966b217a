"""Update and patch: from what a request holds to the next version of what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.errors import BadRequest, Invalid, UnsupportedMediaType
from kubestage.objects import decode, patches, schema, strategy, timestamps
from kubestage.objects.patches import PatchType
from kubestage.objects.validation import field, rules, status
from kubestage.store import creating, custom_resources, policies, refusals, replacing, versions
from kubestage.store.admission import Request
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_CUSTOM_PATCHES: Final = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
)

_GO_NAMES: Final = {dict: "object", list: "array", str: "string", bool: "bool"}


class UpdateRequest(NamedTuple):
    """A PUT; name and namespace are those of the request, if it has them."""

    obj: dict[str, Any]
    name: str | None
    namespace: str | None
    subresource: str
    dry_run: bool


class PatchRequest(NamedTuple):
    """A PATCH; what field validation tolerates is added to `warnings`."""

    patch: Any
    patch_type: PatchType
    subresource: str
    dry_run: bool
    field_validation: FieldValidation | None
    warnings: MutableSequence[str] | None


def check_name(metadata: dict[str, Any], name: str | None) -> str:
    """The name that a request means, which the object must have too."""
    own: str = metadata.get("name") or ""
    if not own:
        based_on = f" ({name} based on URL)" if name else ""
        raise BadRequest(
            f"the name of the object{based_on} was undeterminable: name must be provided"
        )
    if name is not None and own != name:
        raise BadRequest(
            f"the name of the object ({own}) does not match the name on the URL ({name})"
        )
    return own


def update(core: Core, kind: Kind, request: UpdateRequest) -> dict[str, Any]:
    """Replace an object by what the request holds."""
    metadata = creating.metadata_of(request.obj)
    name = check_name(metadata, request.name)
    namespace = creating.request_namespace(kind, metadata, request.namespace)
    key = key_of(namespace, name)
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        if request.subresource or not policies.created_by_update(kind):
            raise status.not_found(kind, name)
        fresh = {**request.obj, "metadata": {**metadata, "resourceVersion": ""}}
        return creating.create(core, kind, fresh, namespace, dry_run=request.dry_run)
    check_uid(kind, key, existing, metadata.get("uid"))
    check_version(kind, existing, metadata, required=policies.needs_version(kind))
    return apply(core, kind, key, request.obj, request.subresource, dry_run=request.dry_run)


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


def apply(
    core: Core, kind: Kind, key: str, wanted: dict[str, Any], subresource: str, *, dry_run: bool
) -> dict[str, Any]:
    """Make the next version of a stored object from what is wanted, by the rules of its kind."""
    existing = core.ledger.collection(kind).objects[key]
    now = timestamps.format_time(core.clock.unix_ns)
    shaped = creating.defaulted(kind, wanted, now)
    creating.place(shaped["metadata"], existing["metadata"].get("namespace"))
    if not subresource:
        for step in core.admission:
            shaped = step(core, kind, shaped, existing)
    prepared = custom_resources.prepare_for_update(kind, shaped, existing, subresource, now)
    problems = rules.validate_update(prepared, existing, subresource)
    if problems:
        raise status.invalid(prepared, problems)
    asked = Request(kind, prepared, existing, subresource, dry_run)
    for check in core.checks:
        check(core, asked)
    prepared = strategy.stored(prepared)
    return replacing.replace(core, kind, key, prepared, dry_run=dry_run)


def patch(core: Core, kind: Kind, key: str, name: str, request: PatchRequest) -> dict[str, Any]:
    """Change part of an object."""
    existing = core.ledger.collection(kind).objects.get(key)
    if existing is None:
        raise status.not_found(kind, name)
    wanted = patched(existing, request, policies.patch_struct(kind))
    wanted = checked(wanted, kind.api_version, kind.kind, request)
    metadata = creating.metadata_of(wanted)
    check_name(metadata, name)
    creating.request_namespace(kind, metadata, existing["metadata"].get("namespace"))
    check_version(kind, existing, metadata, required=False)
    return apply(core, kind, key, wanted, request.subresource, dry_run=request.dry_run)


def patched(
    original: dict[str, Any], request: PatchRequest, struct: schema.Struct | None
) -> dict[str, Any]:
    """The object after the patch, not yet checked."""
    if request.patch_type is PatchType.STRATEGIC and struct is None:
        raise UnsupportedMediaType(_CUSTOM_PATCHES)
    _check_form(request)
    try:
        wanted = patches.apply(request.patch_type, original, request.patch, struct)
    except patches.PatchError as error:
        if request.patch_type is PatchType.JSON:
            text = "the server rejected our request due to an error in our request"
            raise Invalid(text) from error
        raise BadRequest(str(error)) from None
    if not isinstance(wanted, dict):
        raise BadRequest("the patch leaves no object")
    return wanted


def _check_form(request: PatchRequest) -> None:
    """A JSON Patch is a list of operations, any other an object."""
    wanted: type = dict
    go_type = "map[string]interface {}"
    if request.patch_type is PatchType.JSON:
        wanted, go_type = list, "[]handlers.jsonPatchOp"
    if not isinstance(request.patch, wanted):
        shown = _GO_NAMES.get(type(request.patch), "number")
        raise BadRequest(
            f"error decoding patch: json: cannot unmarshal {shown} into Go value of type {go_type}"
        )


def checked(
    wanted: dict[str, Any], api_version: str, kind: str, request: PatchRequest
) -> dict[str, Any]:
    """The patched object, refused as a patch if it does not fit its kind."""
    if request.field_validation is None:
        return wanted
    try:
        decoded = decode.decode(wanted, api_version, kind, request.field_validation)
    except BadRequest as error:
        why = error.message.partition(f"cannot be handled as a {kind}: ")[2] or error.message
        shown = msgspec.json.encode(wanted).decode()
        raise status.invalid({}, [field.invalid("patch", shown, why)]) from None
    if request.warnings is not None:
        request.warnings.extend(decoded.warnings)
    return decoded.object
