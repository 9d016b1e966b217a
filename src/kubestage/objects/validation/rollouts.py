"""Rules that workloads share: counts, shares, selectors and how fast pods are replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import integers
from kubestage.objects import equality, labels
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    pod_spec,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

LABELED_REPLICAS: Final = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
"""The counts of a ReplicaSet or ReplicationController that are parts of all replicas."""
LABEL_SELECTOR: Final = "*meta/v1.LabelSelector"
_NO_MATCH: Final = "`selector` does not match template `labels`"


def not_above(
    status: Json, keys: Iterable[str], limit: str, text: str, path: str
) -> list[FieldError]:
    """Counts that cannot exceed another one."""
    most = status.get(limit) or 0
    return [
        field.invalid(f"{path}.{key}", status.get(key) or 0, f"cannot be greater than {text}")
        for key in keys
        if (status.get(key) or 0) > most
    ]


def not_decremented(status: Json, old: Json, path: str) -> list[FieldError]:
    """The count of name collisions only grows."""
    now, before = status.get("collisionCount") or 0, old.get("collisionCount")
    if before is None or now >= before:
        return []
    return [field.invalid(f"{path}.collisionCount", now, "cannot be decremented")]


def amount(value: Any) -> int:
    """The number in a count or share."""
    if not isinstance(value, str):
        return value or 0
    text = value.removesuffix("%")
    return integers.parse(text) if text.isascii() and text.isdecimal() else 0


def at_most_all(value: Any, path: str) -> list[FieldError]:
    """A share of at most everything."""
    if not isinstance(value, str) or names.is_valid_percent(value) or amount(value) <= 100:
        return []
    return [field.invalid(path, value, "must not be greater than 100%")]


def matching(selector: Json | None) -> labels.Selector | None:
    """The selector ready to match, None if it is malformed."""
    try:
        return labels.from_label_selector(selector)
    except labels.SelectorError:
        return None


def shown_selector(selector: Json | None) -> field.Rendered:
    """A selector as messages show it."""
    return internal_json.render(LABEL_SELECTOR, selector)


def no_match(template: Json, path: str) -> FieldError:
    """The template's pods would not be selected."""
    held = (template.get("metadata") or {}).get("labels")
    shown = internal_json.render("map[string]string", held)
    return field.invalid(f"{path}.metadata.labels", shown, _NO_MATCH)


def selects(selector: labels.Selector, template: Json) -> bool:
    """Whether the template's pods would be selected."""
    return selector.matches((template.get("metadata") or {}).get("labels") or {})


def template_for_replicas(
    template: Json,
    selector: labels.Selector,
    path: str,
    options: PodValidationOptions,
    kind: str,
) -> list[FieldError]:
    """The template of pods that are always restarted."""
    errors: list[FieldError] = []
    if not selector.empty and not selects(selector, template):
        errors.append(no_match(template, path))
    errors += pod_spec.validate_pod_template_spec(template, path, options)
    return errors + always_running(template.get("spec") or {}, f"{path}.spec", kind)


def always_running(spec: Json, path: str, kind: str) -> list[FieldError]:
    """Pods of such a workload are restarted and have no deadline."""
    errors: list[FieldError] = []
    policy = spec.get("restartPolicy") or ""
    if policy != "Always":
        shown = internal_json.text(policy)
        errors.append(field.not_supported(f"{path}.restartPolicy", shown, ("Always",)))
    if spec.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(field.forbidden(f"{path}.activeDeadlineSeconds", detail))
    return errors


def selector_and_template(spec: Json, options: PodValidationOptions) -> list[FieldError]:
    """Selector and template of a deployment or replica set."""
    errors: list[FieldError] = []
    path = "spec.selector"
    selector = spec.get("selector")
    if selector is None:
        errors.append(field.required(path))
    else:
        errors += label_selectors.validate_label_selector(selector, path)
        errors += not_empty(selector, "deployment")
    selected = matching(selector)
    if selected is None:
        errors.append(field.invalid(path, shown_selector(selector), "invalid label selector"))
        return errors
    template = spec.get("template") or {}
    return errors + template_for_replicas(
        template, selected, "spec.template", options, "ReplicaSet"
    )


def not_empty(selector: Json, kind: str) -> list[FieldError]:
    """A selector that selects something less than everything."""
    if selector.get("matchLabels") or selector.get("matchExpressions"):
        return []
    detail = f"empty selector is invalid for {kind}"
    return [field.invalid("spec.selector", shown_selector(selector), detail)]


def replica_counts(status: Json, keys: tuple[str, ...]) -> list[FieldError]:
    """Counts of pods that cannot exceed the number of all, or of the ready ones."""
    errors = not_above(status, keys, "replicas", "status.replicas", "status")
    available = ("availableReplicas",)
    return errors + not_above(status, available, "readyReplicas", "readyReplicas", "status")


def same_selector(spec: Json, old: Json) -> list[FieldError]:
    """A selector never changes."""
    selector, before = spec.get("selector"), old.get("selector")
    if equality.semantic_equal(LABEL_SELECTOR, selector, before):
        return []
    return [field.invalid("spec.selector", shown_selector(selector), metadata.IMMUTABLE)]
