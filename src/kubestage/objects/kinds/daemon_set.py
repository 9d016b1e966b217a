"""What the API does to a DaemonSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import integers
from kubestage.objects import equality, markers
from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.defaulting import round_trip
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.pod_templates import IN_SPEC
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    pod_options,
    pod_spec,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"


def _default(obj: Json) -> None:
    spec = obj["spec"]
    strategy = spec["updateStrategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", 10)
    pod_defaults.template(spec["template"])


def _round_trip(obj: Json) -> None:
    round_trip.keep_number(obj["metadata"], _TEMPLATE_GENERATION, keep_empty=True)
    obj["metadata"].setdefault("annotations", {}).setdefault(_TEMPLATE_GENERATION, "0")
    round_trip.complete_rolling(obj["spec"]["updateStrategy"], maxUnavailable=0, maxSurge=0)
    IN_SPEC.round_trip(obj)


def _prepare_create(obj: Json, now: str | None) -> None:
    """The generation of the template is an annotation."""
    IN_SPEC.prepare_create(obj, now)
    _set_template_generation(obj, max(_template_generation(obj), 1))


def _prepare_update(new: Json, old: Json, now: str | None) -> None:
    IN_SPEC.prepare_update(new, old, now)
    templates = (IN_SPEC.find(obj) for obj in (new, old))
    changed = not equality.semantic_equal("core/v1.PodTemplateSpec", *templates)
    _set_template_generation(new, _template_generation(old) + changed)


def _template_generation(obj: Json) -> int:
    text = (obj["metadata"].get("annotations") or {}).get(_TEMPLATE_GENERATION) or "0"
    return integers.parse(text) if text.removeprefix("-").isdecimal() else 0


def _set_template_generation(obj: Json, generation: int) -> None:
    annotations = obj["metadata"].get("annotations") or {}
    obj["metadata"]["annotations"] = {**annotations, _TEMPLATE_GENERATION: str(generation)}


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {}, pod_options.NEW_TEMPLATE)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    spec, old_spec = new.get("spec") or {}, old.get("spec") or {}
    errors = rollouts.same_selector(spec, old_spec)
    options = IN_SPEC.update_options(old, old_selector=old_spec.get("selector"))
    return errors + _validate_spec(spec, options)


def _validate_spec(spec: Json, options: PodValidationOptions) -> list[FieldError]:
    kind = "apps/v1.DaemonSetSpec"
    selector, template = spec.get("selector"), spec.get("template") or {}
    errors = label_selectors.validate_label_selector(
        selector,
        "spec.selector",
        allow_invalid_values=options.allow_invalid_label_value_in_selector,
    )
    matching = rollouts.matching(selector)
    if matching is not None and not rollouts.selects(matching, template):
        errors.append(rollouts.no_match(template, "spec.template"))
    if selector is not None:
        errors += rollouts.not_empty(selector, "daemonset")
    errors += pod_spec.validate_pod_template_spec(template, "spec.template", options)
    errors += rollouts.always_running(template.get("spec") or {}, "spec.template.spec", "DaemonSet")
    errors += markers.check(kind, spec, "spec", "minReadySeconds")
    errors += _validate_strategy(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    return errors + markers.check(kind, spec, "spec", "revisionHistoryLimit")


def _validate_strategy(strategy: Json, path: str) -> list[FieldError]:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    if kind == "OnDelete":
        return []
    if kind != "RollingUpdate":
        shown = internal_json.render("apps/v1.DaemonSetUpdateStrategy", strategy)
        return [field.not_supported(path, shown, ("RollingUpdate", "OnDelete"))]
    at = f"{path}.rollingUpdate"
    if rolling is None:
        return [field.required(at)]
    errors = markers.check("apps/v1.RollingUpdateDaemonSet", rolling, at)
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    errors += rollouts.at_most_all(unavailable, f"{at}.maxUnavailable")
    errors += rollouts.at_most_all(surge, f"{at}.maxSurge")
    has_unavailable, has_surge = rollouts.amount(unavailable) != 0, rollouts.amount(surge) != 0
    if has_unavailable and has_surge:
        shown = internal_json.render("intstr.IntOrString", surge)
        detail = "may not be set when maxUnavailable is non-zero"
        errors.append(field.invalid(f"{at}.maxSurge", shown, detail))
    elif not has_unavailable and not has_surge:
        errors.append(field.required(f"{at}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    return errors


def _validate_status(new: Json, old: Json) -> list[FieldError]:
    status = new.get("status") or {}
    errors = markers.check("apps/v1.DaemonSetStatus", status, "status")
    return errors + rollouts.not_decremented(status, old.get("status") or {}, "status")


def _warn_update(new: Json, old: Json) -> list[str]:
    """Only a new template is checked: it has a generation of its own."""
    return [] if IN_SPEC.find(old) == IN_SPEC.find(new) else IN_SPEC.warn(new)


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    status = cells.part(obj, "status")
    return [
        cells.name(obj),
        cells.number(status, "desiredNumberScheduled"),
        cells.number(status, "currentNumberScheduled"),
        cells.number(status, "numberReady"),
        cells.number(status, "updatedNumberScheduled"),
        cells.number(status, "numberAvailable"),
        cells.label_text(cells.part(obj, "spec", "template", "spec").get("nodeSelector")),
        cells.age(obj, now_ns),
        *cells.template_containers(obj),
        cells.selector_text(cells.part(obj, "spec").get("selector")),
    ]


KIND: Final = Kind(
    group="apps",
    version="v1",
    kind="DaemonSet",
    plural="daemonsets",
    short_names=("ds",),
    categories=("all",),
    subresources=frozenset({"status"}),
    old_versions=("apps/v1beta2", "extensions/v1beta1"),
    declared=Behavior(
        default=_default,
        round_trip=_round_trip,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        generation_fields=("spec",),
        empty_lists=IN_SPEC.empty_lists,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        warn_create=IN_SPEC.warn,
        warn_update={"": _warn_update},
        cells=_cells,
    ),
)
