"""Fields and annotations of nodes that Kubernetes no longer uses and still validates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import go_decoder, go_scanner
from kubestage.objects.validation import field, internal_json, json_annotations, names, tolerations

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_TAINTS: Final = "scheduler.alpha.kubernetes.io/taints"
_AVOID_PODS: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"


def validate_source_spec(source: Json, path: str) -> list[FieldError]:
    """Where the kubelet's configuration should come from: exactly one place."""
    config_map = source.get("configMap")
    if config_map is None:
        return [_not_one(source, path)]
    at = f"{path}.configMap"
    errors = [
        field.forbidden(f"{at}.{key}", f"{key} must not be set in spec")
        for key in ("uid", "resourceVersion")
        if config_map.get(key)
    ]
    return errors + _validate_config_map(config_map, at)


def validate_status(status: Json, path: str) -> list[FieldError]:
    """Which configurations the kubelet reports."""
    errors: list[FieldError] = []
    for key in ("assigned", "active", "lastKnownGood"):
        source = status.get(key)
        if source is None:
            continue
        config_map = source.get("configMap")
        if config_map is None:
            errors.append(_not_one(source, f"{path}.{key}"))
            continue
        at = f"{path}.{key}.configMap"
        errors += [
            field.required(f"{at}.{name}")
            for name in ("uid", "resourceVersion")
            if not config_map.get(name)
        ]
        errors += _validate_config_map(config_map, at)
    return errors


def _not_one(source: Json, path: str) -> FieldError:
    shown = internal_json.render("core/v1.NodeConfigSource", source)
    return field.invalid(path, shown, "exactly one reference subfield must be non-nil")


def _validate_config_map(source: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    rules = (
        ("namespace", names.is_dns1123_label),
        ("name", names.is_dns1123_subdomain),
        ("kubeletConfigKey", names.is_config_map_key),
    )
    for key, rule in rules:
        value = source.get(key) or ""
        if not value:
            errors.append(field.required(f"{path}.{key}"))
        else:
            errors += field.invalids(f"{path}.{key}", value, rule(value))
    return errors


def _validate_avoid_pods(text: str, annotation: str, path: str) -> list[FieldError]:
    """The annotation that excluded pods of a controller from a node."""
    try:
        avoid = go_decoder.plain(go_scanner.scan(text.encode()))
    except go_scanner.SyntaxProblem as error:
        return [field.invalid(f"{path}.AvoidPods", annotation, str(error))]
    errors: list[FieldError] = []
    entries = avoid.get("preferAvoidPods") if isinstance(avoid, dict) else None
    for index, entry in enumerate(entries or ()):
        at = f"{path}.{annotation}[{index}].PodSignature"
        controller = (entry.get("podSignature") or {}).get("podController")
        if controller is None:
            errors.append(field.required(at))
        elif not controller.get("controller"):
            detail = "must point to a controller"
            errors.append(field.invalid(f"{at}.PodController.Controller", False, detail))
    return errors


def validate_annotations(annotations: dict[str, str]) -> list[FieldError]:
    """Annotations that came before fields: taints, and pods to avoid."""
    text = annotations.get(_TAINTS)
    errors: list[FieldError] = []
    path = "metadata.annotations"
    if text:
        taints, problem = json_annotations.read_list(text, "Taint")
        if problem is not None:
            errors.append(field.invalid(path, _TAINTS, problem))
        errors += tolerations.validate_taints(taints, f"{path}.{_TAINTS}")
    if annotations.get(_AVOID_PODS):
        errors += _validate_avoid_pods(annotations[_AVOID_PODS], _AVOID_PODS, path)
    return errors
