"""What the API does to a StatefulSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import equality, markers
from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.defaulting import round_trip
from kubestage.objects.defaulting import volumes as volume_defaults
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.pod_templates import IN_SPEC, find, is_new_generation, replace
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    claim_spec,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    pod_annotations,
    pod_options,
    pod_spec,
    rollouts,
)
from kubestage.objects.warnings import cluster as cluster_warnings

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects import labels
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_SPEC: Final = "apps/v1.StatefulSetSpec"
_ROLLING: Final = ("spec", "updateStrategy", "rollingUpdate")
_MUTABLE: Final = (
    "replicas", "template", "updateStrategy", "minReadySeconds", "ordinals",
    "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy",
)  # fmt: skip
_FORBIDDEN: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
    "'minReadySeconds' are forbidden"
)


def _default(obj: Json) -> None:
    """A strategy that is named without details stays as it is."""
    spec = obj["spec"]
    spec.setdefault("podManagementPolicy", "OrderedReady")
    strategy = spec["updateStrategy"]
    if "type" not in strategy:
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
        strategy["rollingUpdate"].setdefault("partition", 0)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    retention.setdefault("whenDeleted", "Retain")
    retention.setdefault("whenScaled", "Retain")
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    pod_defaults.template(spec["template"])
    for claim in spec.get("volumeClaimTemplates", ()):
        volume_defaults.claim(claim)


def _round_trip(obj: Json) -> None:
    round_trip.complete_rolling(obj["spec"]["updateStrategy"], partition=0)
    for claim in obj["spec"].get("volumeClaimTemplates", ()):
        claim["apiVersion"] = "v1"
        claim["kind"] = "PersistentVolumeClaim"
    IN_SPEC.round_trip(obj)


def _prepare_create(obj: Json, now: str | None) -> None:
    IN_SPEC.prepare_create(obj, now)
    _drop_max_unavailable(obj, None)


def _prepare_update(new: Json, old: Json, now: str | None) -> None:
    IN_SPEC.prepare_update(new, old, now)
    _drop_max_unavailable(new, old)


def _drop_max_unavailable(obj: Json, old: Json | None) -> None:
    """Rolling more than one pod at a time is off: its field is dropped unless it was in use."""
    rolling = find(obj, _ROLLING)
    before = None if old is None else find(old, _ROLLING)
    if rolling and "maxUnavailable" in rolling and not (before or {}).get("maxUnavailable"):
        others = {key: value for key, value in rolling.items() if key != "maxUnavailable"}
        replace(obj, _ROLLING, others)


class _Leniency(msgspec.Struct, frozen=True):
    """What an update may keep although it is invalid."""

    service_name: bool = False
    claim_templates: bool = False
    pod_template: bool = False


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {}, pod_options.NEW_TEMPLATE, _Leniency())


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    options = IN_SPEC.update_options(old)
    leniency = _Leniency(service_name=True, claim_templates=True)
    if _validate_spec(before, options, leniency):
        leniency = msgspec.structs.replace(leniency, pod_template=True)
    errors = _validate_spec(spec, options, leniency)
    unchanged = {**spec, **{key: before.get(key) for key in _MUTABLE}}
    if not equality.semantic_equal(_SPEC, unchanged, before):
        errors.append(field.forbidden("spec", _FORBIDDEN))
    return errors


def _validate_spec(
    spec: Json, options: PodValidationOptions, leniency: _Leniency
) -> list[FieldError]:
    errors = markers.check(_SPEC, spec, "spec", "podManagementPolicy")
    errors += _validate_strategy(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    errors += markers.check(_SPEC, spec, "spec", "persistentVolumeClaimRetentionPolicy")
    if not leniency.claim_templates:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            path = f"spec.volumeClaimTemplates[{index}].spec"
            errors += claim_spec.validate_claim_spec(claim.get("spec") or {}, path)
    errors += markers.check(_SPEC, spec, "spec", "replicas", "minReadySeconds", "ordinals")
    if not leniency.service_name:
        errors += markers.check(_SPEC, spec, "spec", "serviceName")
    selector = spec.get("selector")
    if selector is None:
        errors.append(field.required("spec.selector"))
    else:
        errors += label_selectors.validate_label_selector(selector, "spec.selector")
        errors += rollouts.not_empty(selector, "statefulset")
    matching = rollouts.matching(selector)
    if matching is None:
        errors.append(field.invalid("spec.selector", rollouts.shown_selector(selector), ""))
    else:
        errors += _validate_template(spec, matching, options, leniency)
    template_spec = (spec.get("template") or {}).get("spec") or {}
    return errors + rollouts.always_running(template_spec, "spec.template.spec", "StatefulSet")


def _validate_template(
    spec: Json,
    selector: labels.Selector,
    options: PodValidationOptions,
    leniency: _Leniency,
) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "spec.template"
    template = _with_claims(spec)
    if not selector.empty and not rollouts.selects(selector, template):
        errors.append(rollouts.no_match(template, path))
    if not leniency.pod_template:
        errors += pod_spec.validate_pod_template_spec(template, path, options)
    meta = template.get("metadata") or {}
    annotations = meta.get("annotations") or {}
    errors += label_selectors.validate_labels(meta.get("labels"), f"{path}.labels")
    errors += metadata.validate_annotations(annotations, f"{path}.annotations")
    return errors + pod_annotations.validate_pod_annotations(
        annotations, template.get("spec") or {}, f"{path}.annotations", options
    )


def _with_claims(spec: Json) -> Json:
    """The template as its pods will be: with a volume for each claim, and a name of their own."""
    template: Json = spec.get("template") or {}
    pod = dict(template.get("spec") or {})
    for key in ("subdomain", "hostname"):
        pod.pop(key, None)
    names_of_claims = [
        (claim.get("metadata") or {}).get("name") or ""
        for claim in spec.get("volumeClaimTemplates") or ()
    ]
    claimed = {
        name: {"name": name, "persistentVolumeClaim": {"claimName": name}}
        for name in names_of_claims
    }
    if claimed:
        others = [v for v in pod.get("volumes") or () if (v.get("name") or "") not in claimed]
        pod["volumes"] = [*claimed.values(), *others]
    return {**template, "spec": pod}


def _validate_strategy(strategy: Json, path: str) -> list[FieldError]:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    at = f"{path}.rollingUpdate"
    if not kind:
        return [field.required(path)]
    if kind not in ("OnDelete", "RollingUpdate"):
        shown = internal_json.render("apps/v1.StatefulSetUpdateStrategy", strategy)
        return [field.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")]
    if rolling is None:
        return []
    if kind == "OnDelete":
        shown = internal_json.render("apps/v1.RollingUpdateStatefulSetStrategy", rolling)
        detail = "only allowed for updateStrategy 'RollingUpdate'"
        return [field.invalid(at, shown, detail)]
    errors = markers.check("apps/v1.RollingUpdateStatefulSetStrategy", rolling, at)
    unavailable = rolling.get("maxUnavailable")
    if unavailable is not None:
        at = f"{at}.maxUnavailable"
        if not rollouts.amount(unavailable):
            errors.append(field.invalid(at, unavailable, "cannot be 0"))
        errors += rollouts.at_most_all(unavailable, at)
    return errors


def _validate_status(new: Json, old: Json) -> list[FieldError]:
    status = new.get("status") or {}
    errors = markers.check("apps/v1.StatefulSetStatus", status, "status")
    replicas = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    errors += rollouts.not_above(status, replicas, "replicas", "status.replicas", "status")
    errors += rollouts.not_above(
        status, ("availableReplicas",), "readyReplicas", "status.readyReplicas", "status"
    )
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + rollouts.not_decremented(status, old.get("status") or {}, "status")


def _warn_create(obj: Json) -> list[str]:
    return IN_SPEC.warn(obj) + _warn_spec(obj.get("spec") or {}, "")


def _warn_update(new: Json, old: Json) -> list[str]:
    found = IN_SPEC.warn(new) if is_new_generation(new, old) else []
    return found + _warn_spec(new.get("spec") or {}, ".Spec")


def _warn_spec(spec: Json, part: str) -> list[str]:
    found: list[str] = []
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        path = f"spec.volumeClaimTemplates[{index}]{part}"
        found += cluster_warnings.claim_spec(claim.get("spec") or {}, path)
    if (spec.get("revisionHistoryLimit") or 0) < 0:
        found.append(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
            "a value >= 0 is recommended"
        )
    return found


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    ready, desired = (
        cells.number(obj, "status", "readyReplicas"),
        cells.number(obj, "spec", "replicas"),
    )
    return [
        cells.name(obj),
        f"{ready}/{desired}",
        cells.age(obj, now_ns),
        *cells.template_containers(obj),
    ]


KIND: Final = Kind(
    group="apps",
    version="v1",
    kind="StatefulSet",
    plural="statefulsets",
    short_names=("sts",),
    categories=("all",),
    subresources=frozenset({"scale", "status"}),
    old_versions=("apps/v1beta1", "apps/v1beta2"),
    declared=Behavior(
        default=_default,
        round_trip=_round_trip,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        generation_fields=("spec",),
        empty_lists=IN_SPEC.empty_lists,
        name_rule=names.name_is_dns_label,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=("status",),
        warn_create=_warn_create,
        warn_update={"": _warn_update},
        cells=_cells,
    ),
)
