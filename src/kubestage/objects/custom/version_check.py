"""One version of a definition: its schema, its subresources, and what can be shown and selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom import (
    default_check,
    field_paths,
    nodes,
    schema_form,
    structural_form,
)
from kubestage.objects.custom.rule_costs import RuleCosts
from kubestage.objects.validation import field, internal_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.definition_view import VersionParts
    from kubestage.objects.validation.field import FieldError


_SCHEMA: Final = "apiextensions/v1.JSONSchemaProps"
_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = (
    "byte", "date", "date-time", "double", "float", "int32", "int64", "password",
)  # fmt: skip
_MAX_SELECTABLE: Final = 8
_WARNING_LIMIT: Final = 256
_AT_ROOT: Final = {
    "description": "Description", "type": "Type", "format": "Format", "title": "Title",
    "maximum": "Maximum", "exclusiveMaximum": "ExclusiveMaximum", "minimum": "Minimum",
    "exclusiveMinimum": "ExclusiveMinimum", "maxLength": "MaxLength", "minLength": "MinLength",
    "pattern": "Pattern", "maxItems": "MaxItems", "minItems": "MinItems",
    "uniqueItems": "UniqueItems", "multipleOf": "MultipleOf", "required": "Required",
    "items": "Items", "properties": "Properties", "externalDocs": "ExternalDocs",
    "example": "Example", nodes.PRESERVE: "XPreserveUnknownFields", nodes.RULES: "XValidations",
}  # fmt: skip


def validate(
    version: Json, parts: VersionParts, path: str, *, is_unchanged: bool
) -> Iterator[FieldError]:
    """What is wrong with the settings of one version, of which the schema may be the old one."""
    warning = version.get("deprecationWarning")
    where = f"{path}.deprecationWarning"
    yield from field.invalids(where, warning, _warning_problems(version, warning))
    has_status = (version.get("subresources") or {}).get("status") is not None
    yield from validate_schema(
        parts.schema, f"{path}.schema", has_status=has_status, is_unchanged=is_unchanged
    )
    yield from validate_subresources(parts.subresources, f"{path}.subresources")
    yield from validate_columns(parts.columns, f"{path}.additionalPrinterColumns")
    if parts.selectable:
        schema = parts.schema or version.get("schema")
        yield from validate_selectable(parts.selectable, schema, f"{path}.selectableFields")


def _warning_problems(version: Json, warning: str | None) -> Iterator[str]:
    if warning is None:
        return
    if not version.get("deprecated"):
        yield "can only be set for deprecated versions"
        return
    if len(warning.encode()) > _WARNING_LIMIT:
        yield "must be <= 256 characters long"
    if not warning:
        yield "must not be an empty string"
    for index, char in enumerate(warning):
        if not char.isprintable():
            at = len(warning[:index].encode())
            text = "must only contain printable UTF-8 characters; non-printable character found"
            yield f"{text} at index {at}"
            return


def has_defaults(spec: Json) -> bool:
    """Whether any schema of a definition declares a default."""
    schemas = ((each.get("schema") or {}) for each in spec.get("versions") or ())
    return any(_has_default(each.get("openAPIV3Schema")) for each in schemas)


def _has_default(schema: Any) -> bool:
    if isinstance(schema, list):
        return any(map(_has_default, schema))
    if not isinstance(schema, dict):
        return False
    if schema.get("default") is not None:
        return True
    below = ("items", "allOf", "anyOf", "oneOf", "not", "additionalProperties")
    fields = [*(schema.get("properties") or {}).values()]
    return any(_has_default(schema.get(each)) for each in below) or any(map(_has_default, fields))


def validate_schema(
    section: Json | None, path: str, *, has_status: bool, is_unchanged: bool = False
) -> list[FieldError]:
    """What is wrong with a schema of whole objects.

    Each rule of one that stays as it was may cost what it did.
    """
    schema = (section or {}).get("openAPIV3Schema")
    if schema is None:
        return []
    where = f"{path}.openAPIV3Schema"
    errors = [*_beside_status(schema, where)] if has_status else []
    if schema.get("nullable"):
        errors.append(field.forbidden(f"{where}.nullable", "nullable cannot be true at the root"))
    obstacle = structural_form.obstacle(schema)
    found: list[FieldError] = []
    if obstacle is None:
        found = structural_form.validate(schema, where)
        found = found or default_check.validate(nodes.root(schema), where)
    errors += found
    costs = RuleCosts(ignores_single=is_unchanged)
    checks_rules = obstacle is None and not found
    place = schema_form.SchemaPlace(is_root=True, costs=costs if checks_rules else None)
    errors += schema_form.validate(schema, where, place)
    if not errors and obstacle is not None:
        errors.append(field.invalid(where, "", obstacle))
    return errors + costs.errors(where)


def _beside_status(schema: Json, path: str) -> Iterator[FieldError]:
    """With a status apart, the schema's root may say little: the status is cut out of it."""
    for keyword, value in schema.items():
        if value in (None, False, "", [], {}):
            continue
        if keyword == "type" and value != "object":
            text = (
                'only "object" is allowed as the type at the root of the schema if the status '
                "subresource is enabled"
            )
            yield field.invalid(f"{path}.type", value, text)
            return
        if keyword not in _AT_ROOT:
            text = (
                f"only [{' '.join(_AT_ROOT.values())}] fields are allowed at the root of the "
                "schema if the status subresource is enabled"
            )
            yield field.invalid(path, internal_json.render(_SCHEMA, schema), text)
            return


def validate_subresources(section: Json | None, path: str) -> Iterator[FieldError]:
    """What is wrong with the paths of a scale."""
    scale = (section or {}).get("scale")
    if scale is None:
        return
    for name, parent in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
        text, where = scale.get(name) or "", f"{path}.scale.{name}"
        if not text:
            yield field.required(where)
        elif not text.startswith("."):
            yield _not_simple(text, where)
        elif not text.startswith(f"{parent}."):
            yield field.invalid(where, text, f"should be a json path under {parent}")
    text, where = scale.get("labelSelectorPath") or "", f"{path}.scale.labelSelectorPath"
    if text and not text.startswith("."):
        yield _not_simple(text, where)
    elif text and not text.startswith((".spec.", ".status.")):
        why = "should be a json path under either .spec or .status"
        yield field.invalid(where, text, why)


def _not_simple(text: str, path: str) -> FieldError:
    return field.invalid(path, text, "must be a simple json path starting with .")


def validate_columns(columns: list[Json] | None, path: str) -> Iterator[FieldError]:
    """What is wrong with the columns of tables."""
    for index, column in enumerate(columns or ()):
        where = f"{path}[{index}]"
        if not column.get("name"):
            yield field.required(f"{where}.name")
        kind, form = column.get("type") or "", column.get("format") or ""
        text = f"must be one of {','.join(_COLUMN_TYPES)}"
        if not kind:
            yield field.required(f"{where}.type", text)
        elif kind not in _COLUMN_TYPES:
            yield field.invalid(f"{where}.type", kind, text)
        if form and form not in _COLUMN_FORMATS:
            text = f"must be one of {','.join(_COLUMN_FORMATS)}"
            yield field.invalid(f"{where}.format", form, text)
        json_path = column.get("jsonPath") or ""
        if not json_path:
            yield field.required(f"{where}.JSONPath")
        elif not json_path.startswith("."):
            yield _not_simple(json_path, f"{where}.JSONPath")


def validate_selectable(
    selectable: list[Json], section: Json | None, path: str
) -> Iterator[FieldError]:
    """What is wrong with the fields that objects can be selected by."""
    schema = (section or {}).get("openAPIV3Schema")
    if schema is None:
        text = "may only be set when `version.schema.openAPIV3Schema` is not included"
        if path == "spec.selectableFields":
            text = "may only be set when validations.schema is included"
        yield field.invalid(path, "", text)
        return
    node = nodes.Node(schema)
    seen: set[str] = set()
    for index, each in enumerate(selectable):
        where, text = f"{path}[{index}].jsonPath", each.get("jsonPath") or ""
        if not text:
            yield field.required(where)
            continue
        try:
            found = field_paths.find(text, node, allows_brackets=False)
        except field_paths.FieldPathError as error:
            yield field.invalid(where, text, f"is an invalid path: {error}")
            continue
        if found.first == "metadata":
            yield field.invalid(where, text, "must not point to fields in metadata")
        if found.node is None or found.node.type not in ("string", "boolean", "integer"):
            why = (
                "must point to a field of type string, boolean or integer. Enum string fields "
                "and strings with formats are allowed."
            )
            yield field.invalid(where, text, why)
        if found.path in seen:
            yield field.duplicate(where, text)
        seen.add(found.path)
    if len(seen) > _MAX_SELECTABLE:
        yield field.too_many(path, len(seen), _MAX_SELECTABLE)
