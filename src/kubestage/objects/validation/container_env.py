"""Environment variables of a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import markers
from kubestage.objects.validation import (
    container_paths,
    downward_api,
    field,
    local_paths,
    names,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_ONE_SOURCE = "may not have more than one field specified at a time"
_NO_VALUE_SOURCE = (
    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
    "`fileKeyRef`"
)


def validate_env(variables: list[Json], path: str) -> list[FieldError]:
    """The list of variables."""
    errors: list[FieldError] = []
    for index, variable in enumerate(variables):
        name = variable.get("name") or ""
        if not name:
            errors.append(field.required(f"{path}[{index}].name"))
        elif problems := names.is_relaxed_env_var_name(name):
            errors += field.invalids(f"{path}[{index}].name", name, problems)
        source = variable.get("valueFrom")
        if source is not None:
            value = variable.get("value") or ""
            errors += _validate_value_from(source, value, f"{path}[{index}].valueFrom")
    return errors


def _validate_value_from(source: Json, value: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    count = 0
    if (selector := source.get("fieldRef")) is not None:
        count += 1
        errors += downward_api.validate_field_selector(
            selector, downward_api.ENV_FIELDS, f"{path}.fieldRef"
        )
    if (selector := source.get("resourceFieldRef")) is not None:
        count += 1
        errors += downward_api.validate_resource_selector(
            selector, f"{path}.resourceFieldRef", in_volume=False
        )
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if (selector := source.get(kind)) is not None:
            count += 1
            errors += _validate_key_selector(selector, f"{path}.{kind}")
    if (selector := source.get("fileKeyRef")) is not None:
        count += 1
        errors += _validate_file_key_selector(selector, f"{path}.fileKeyRef")
    if count == 0:
        errors.append(field.invalid(path, "", _NO_VALUE_SOURCE))
    elif value:
        errors.append(field.invalid(path, "", "may not be specified when `value` is not empty"))
    elif count > 1:
        errors.append(field.invalid(path, "", _ONE_SOURCE))
    return errors


def _validate_key_selector(selector: Json, path: str) -> list[FieldError]:
    """A key of a ConfigMap or Secret."""
    name = selector.get("name") or ""
    errors = field.invalids(f"{path}.name", name, names.is_dns1123_subdomain(name))
    return errors + markers.check("core/v1.ConfigMapKeySelector", selector, path)


def _validate_file_key_selector(selector: Json, path: str) -> list[FieldError]:
    """A key in a file of a volume."""
    errors = markers.check("core/v1.FileKeySelector", selector, path)
    target = selector.get("path") or ""
    return errors + local_paths.validate_no_backsteps(target, f"{path}.path")


def validate_env_from(sources: list[Json], path: str) -> list[FieldError]:
    """Variables taken from all keys of a ConfigMap or Secret."""
    errors: list[FieldError] = []
    for index, source in enumerate(sources):
        if prefix := source.get("prefix"):
            problems = names.is_relaxed_env_var_name(prefix)
            errors += field.invalids(f"{path}[{index}].prefix", prefix, problems)
        count = 0
        for kind in ("configMapRef", "secretRef"):
            if (reference := source.get(kind)) is not None:
                count += 1
                errors += _validate_reference(reference, f"{path}[{index}].{kind}.name")
        # Upstream names the list here, not the entry.
        if count == 0:
            detail = "must specify one of: `configMapRef` or `secretRef`"
            errors.append(field.invalid(path, "", detail))
        elif count > 1:
            errors.append(field.invalid(path, "", _ONE_SOURCE))
    return errors


def _validate_reference(reference: Json, path: str) -> list[FieldError]:
    name = reference.get("name") or ""
    if not name:
        return [field.required(path)]
    return field.invalids(path, name, names.name_is_dns_subdomain(name, prefix=True))


def validate_file_key_volumes(spec: Json, path: str) -> list[FieldError]:
    """Variables read from files: the volume must be there and be an emptyDir."""
    if not any(_reads_files(container) for container in container_paths.every(spec)):
        return []
    errors: list[FieldError] = []
    sources = {volume.get("name") or "": volume for volume in spec.get("volumes") or ()}
    for container, container_path in container_paths.with_paths(spec, path):
        for index, variable in enumerate(container.get("env") or ()):
            selector = (variable.get("valueFrom") or {}).get("fileKeyRef")
            if selector is None:
                continue
            name = selector.get("volumeName") or ""
            at = f"{container_path}.env[{index}].valueFrom.fileKeyRef.volumeName"
            if name not in sources:
                errors.append(field.not_found(at, name))
            elif sources[name].get("emptyDir") is None:
                detail = "referenced volume must be of type emptyDir"
                errors.append(field.invalid(at, name, detail))
    return errors


def _reads_files(container: Json) -> bool:
    for variable in container.get("env") or ():
        source = variable.get("valueFrom")
        if source is not None and source.get("fileKeyRef") is not None:
            return True
    return False
