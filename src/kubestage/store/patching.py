"""Patches: from what is stored to what a patch makes of it, refused as a patch where it is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.errors import BadRequest, Invalid, RequestTooLarge
from kubestage.golang import formatting
from kubestage.objects import patches, schema
from kubestage.objects.custom import decoding
from kubestage.objects.patches import PatchType
from kubestage.objects.validation import field, status

if TYPE_CHECKING:
    from collections.abc import MutableSequence, Sequence

    from kubestage.objects.decode import FieldValidation
    from kubestage.objects.kinds import Kind

CUSTOM_PATCHES: Final = (
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
)

_MOST_OPERATIONS: Final = 10_000
GO_NAMES: Final = {dict: "object", list: "array", str: "string", bool: "bool"}
_STRICT: Final = "strict decoding error: "


class PatchRequest(NamedTuple):
    """A PATCH; what the API warns of is added to `warnings`.

    `repeated` is what strict decoding finds in its text.
    """

    patch: Any
    patch_type: PatchType
    subresource: str
    dry_run: bool
    field_validation: FieldValidation | None
    warnings: MutableSequence[str] | None
    manager: str = ""
    repeated: Sequence[str] = ()


def patched(
    original: dict[str, Any], request: PatchRequest, struct: schema.Struct | None
) -> dict[str, Any]:
    """The object after the patch, not yet checked."""
    _check_form(request)
    try:
        desired = patches.apply(request.patch_type, original, request.patch, struct)
    except patches.PatchError as error:
        if request.patch_type is PatchType.JSON:
            text = "the server rejected our request due to an error in our request"
            raise Invalid(text, {}) from error
        raise BadRequest(str(error)) from None
    if not isinstance(desired, dict):
        raise BadRequest("the patch leaves no object")
    return desired


def _check_form(request: PatchRequest) -> None:
    """A JSON Patch is a list of operations, any other an object."""
    desired: type[dict[str, Any]] | type[list[Any]] = dict
    go_type = "map[string]interface {}"
    if request.patch_type is PatchType.JSON:
        desired, go_type = list, "[]handlers.jsonPatchOp"
    if request.patch is None and request.patch_type is PatchType.MERGE:
        raise BadRequest("Invalid JSON Patch")
    if not isinstance(request.patch, desired):
        shown = GO_NAMES.get(type(request.patch), "number")
        raise BadRequest(
            f"error decoding patch: json: cannot unmarshal {shown} into Go value of type {go_type}"
        )
    if request.patch_type is PatchType.JSON and len(request.patch) > _MOST_OPERATIONS:
        raise RequestTooLarge(
            f"The allowed maximum operations in a JSON patch is {_MOST_OPERATIONS}, "
            f"got {len(request.patch)}"
        )


def checked(desired: dict[str, Any], kind: Kind, request: PatchRequest) -> dict[str, Any]:
    """The patched object, refused as a patch if it does not fit its kind."""
    if request.field_validation is None:
        return desired
    repeated = list(request.repeated)
    try:
        decoded = decoding.decode(desired, kind, request.field_validation)
    except BadRequest as error:
        why = error.message.partition(f"cannot be handled as a {kind.kind}: ")[2] or error.message
        if why.startswith(_STRICT):
            why = _STRICT + ", ".join([*repeated, why.removeprefix(_STRICT)])
        raise _refusal(desired, request, why) from None
    if repeated and request.field_validation == "Strict":
        raise _refusal(desired, request, _STRICT + ", ".join(repeated))
    if request.warnings is not None:
        request.warnings.extend([*repeated, *decoded.warnings])
    return decoded.object


def _refusal(desired: dict[str, Any], request: PatchRequest, why: str) -> Invalid:
    if request.patch_type is PatchType.STRATEGIC:
        shown = formatting.show(request.patch)
    else:
        shown = msgspec.json.encode(desired).decode()
    return status.invalid({}, [field.invalid("patch", shown, why)])
