"""Rules that workloads share: counts, shares, selectors and how fast pods are replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, labels
from kubestage.objects.validation import field, internal_json, metadata, names, pod_spec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

LABEL_SELECTOR: Final = "*meta/v1.LabelSelector"
_NO_MATCH: Final = "`selector` does not match template `labels`"


def not_negative(value: int | None, path: str) -> list[FieldError]:
    """A count, if there is one."""
    if value is None or value >= 0:
        return []
    return [field.invalid(path, value, names.NOT_NEGATIVE)]


def counts(holder: dict[str, Any], keys: Iterable[str], path: str) -> list[FieldError]:
    """Several counts of one object."""
    errors: list[FieldError] = []
    for key in keys:
        errors += not_negative(holder.get(key), f"{path}.{key}")
    return errors


def not_above(
    status: dict[str, Any], keys: Iterable[str], limit: str, text: str, path: str
) -> list[FieldError]:
    """Counts that cannot exceed another one."""
    most = status.get(limit) or 0
    return [
        field.invalid(f"{path}.{key}", status.get(key) or 0, f"cannot be greater than {text}")
        for key in keys
        if (status.get(key) or 0) > most
    ]


def not_decremented(status: dict[str, Any], old: dict[str, Any], path: str) -> list[FieldError]:
    """The count of name collisions only grows."""
    now, before = status.get("collisionCount") or 0, old.get("collisionCount")
    if before is None or now >= before:
        return []
    return [field.invalid(f"{path}.collisionCount", now, "cannot be decremented")]


def int_or_percent(value: Any, path: str) -> list[FieldError]:
    """A count, or a share such as ``25%``."""
    if isinstance(value, str):
        return field.invalids(path, value, names.is_valid_percent(value))
    return not_negative(value or 0, path)


def amount(value: Any) -> int:
    """The number in a count or share."""
    if not isinstance(value, str):
        return value or 0
    text = value.removesuffix("%")
    return int(text) if text.isascii() and text.isdecimal() else 0


def at_most_all(value: Any, path: str) -> list[FieldError]:
    """A share of at most everything."""
    if not isinstance(value, str) or names.is_valid_percent(value) or amount(value) <= 100:
        return []
    return [field.invalid(path, value, "must not be greater than 100%")]


def matching(selector: dict[str, Any] | None) -> labels.Selector | None:
    """The selector ready to match, None if it is malformed."""
    try:
        return labels.from_label_selector(selector)
    except labels.SelectorError:
        return None


def shown_selector(selector: dict[str, Any] | None) -> field.Rendered:
    """A selector as messages show it."""
    return internal_json.render(LABEL_SELECTOR, selector)


def no_match(template: dict[str, Any], path: str) -> FieldError:
    """The template's pods would not be selected."""
    held = (template.get("metadata") or {}).get("labels")
    shown = internal_json.render("map[string]string", held)
    return field.invalid(f"{path}.metadata.labels", shown, _NO_MATCH)


def selects(selector: labels.Selector, template: dict[str, Any]) -> bool:
    """Whether the template's pods would be selected."""
    return selector.matches((template.get("metadata") or {}).get("labels") or {})


def template_for_replicas(
    template: dict[str, Any],
    selector: labels.Selector,
    path: str,
    options: PodValidationOptions,
    kind: str,
) -> list[FieldError]:
    """The template of pods that run for ever."""
    errors: list[FieldError] = []
    if not selector.empty and not selects(selector, template):
        errors.append(no_match(template, path))
    errors += pod_spec.validate_pod_template_spec(template, path, options)
    return errors + always_running(template.get("spec") or {}, f"{path}.spec", kind)


def always_running(spec: dict[str, Any], path: str, kind: str) -> list[FieldError]:
    """Pods of a lasting workload are restarted and have no deadline."""
    errors: list[FieldError] = []
    policy = spec.get("restartPolicy") or ""
    if policy != "Always":
        shown = internal_json.text(policy)
        errors.append(field.not_supported(f"{path}.restartPolicy", shown, ("Always",)))
    if spec.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(field.forbidden(f"{path}.activeDeadlineSeconds", detail))
    return errors


def same_selector(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A selector never changes."""
    selector, before = spec.get("selector"), old.get("selector")
    if equality.semantic_equal(LABEL_SELECTOR, selector, before):
        return []
    return [field.invalid("spec.selector", shown_selector(selector), metadata.IMMUTABLE)]
