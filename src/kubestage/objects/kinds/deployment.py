"""What the API does to a Deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import labels, markers
from kubestage.objects.defaulting import pod as pod_defaults
from kubestage.objects.defaulting import round_trip
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.ownership import filters
from kubestage.objects.pod_templates import IN_SPEC
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, internal_json, pod_options, rollouts

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_ROLLBACK_TO: Final = "deprecated.deployment.rollback.to"


def _default(obj: Json) -> None:
    spec = obj["spec"]
    spec.setdefault("replicas", 1)
    strategy = spec["strategy"]
    strategy.setdefault("type", "RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    pod_defaults.template(spec["template"])


def _round_trip(obj: Json) -> None:
    round_trip.keep_number(obj["metadata"], _ROLLBACK_TO, keep_empty=False)
    round_trip.complete_rolling(obj["spec"]["strategy"], maxUnavailable=0, maxSurge=0)
    IN_SPEC.round_trip(obj)


def _prepare_status(new: Json, old: Json, _: str | None) -> None:
    """A controller that reports progress cannot relabel the deployment."""
    new["metadata"].pop("labels", None)
    if "labels" in old["metadata"]:
        new["metadata"]["labels"] = old["metadata"]["labels"]


def _validate(obj: Json) -> list[FieldError]:
    return _validate_spec(obj.get("spec") or {}, pod_options.NEW_TEMPLATE)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    spec = new.get("spec") or {}
    errors = _validate_spec(spec, IN_SPEC.update_options(old))
    return errors + rollouts.same_selector(spec, old.get("spec") or {})


def _validate_spec(spec: Json, options: PodValidationOptions) -> list[FieldError]:
    kind = "apps/v1.DeploymentSpec"
    errors = markers.check(kind, spec, "spec", "replicas")
    errors += rollouts.selector_and_template(spec, options)
    errors += _validate_strategy(spec.get("strategy") or {}, "spec.strategy")
    rest = ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    errors += markers.check(kind, spec, "spec", *rest)
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        detail = "must be greater than minReadySeconds"
        errors.append(field.invalid("spec.progressDeadlineSeconds", deadline, detail))
    return errors


def _validate_strategy(strategy: Json, path: str) -> list[FieldError]:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    at = f"{path}.rollingUpdate"
    if kind == "Recreate":
        if rolling is None:
            return []
        detail = "may not be specified when strategy `type` is 'Recreate'"
        return [field.forbidden(at, detail)]
    if kind != "RollingUpdate":
        shown = internal_json.render("apps/v1.DeploymentStrategy", strategy)
        return [field.not_supported(path, shown, ("Recreate", "RollingUpdate"))]
    if rolling is None:
        return [field.required(at, "this should be defaulted and never be nil")]
    errors = markers.check("apps/v1.RollingUpdateDeployment", rolling, at)
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    if not rollouts.amount(unavailable) and not rollouts.amount(surge):
        detail = "may not be 0 when `maxSurge` is 0"
        shown = internal_json.render("intstr.IntOrString", unavailable)
        errors.append(field.invalid(f"{at}.maxUnavailable", shown, detail))
    return errors + rollouts.at_most_all(unavailable, f"{at}.maxUnavailable")


def _validate_status(new: Json, old: Json) -> list[FieldError]:
    status = new.get("status") or {}
    errors = markers.check("apps/v1.DeploymentStatus", status, "status")
    replicas = ("updatedReplicas", "readyReplicas", "availableReplicas")
    errors += rollouts.replica_counts(status, replicas)
    return errors + rollouts.not_decremented(status, old.get("status") or {}, "status")


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    status = cells.part(obj, "status")
    try:
        selector = str(labels.from_label_selector(cells.part(obj, "spec").get("selector")))
    except labels.SelectorError:
        selector = "<invalid>"
    return [
        cells.name(obj),
        f"{cells.number(status, 'readyReplicas')}/{cells.number(obj, 'spec', 'replicas')}",
        cells.number(status, "updatedReplicas"),
        cells.number(status, "availableReplicas"),
        cells.age(obj, now_ns),
        *cells.template_containers(obj),
        selector,
    ]


KIND: Final = Kind(
    group="apps",
    version="v1",
    kind="Deployment",
    plural="deployments",
    short_names=("deploy",),
    categories=("all",),
    subresources=frozenset({"scale", "status"}),
    old_versions=("apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"),
    declared=Behavior(
        default=_default,
        round_trip=_round_trip,
        prepare_create=IN_SPEC.prepare_create,
        prepare_update={"": IN_SPEC.prepare_update, "status": _prepare_status},
        generation_fields=("spec",),
        generation_metadata="annotations",
        empty_lists=IN_SPEC.empty_lists,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        warn_create=IN_SPEC.warn_create,
        warn_update={"": IN_SPEC.warn_update},
        cells=_cells,
        reset_fields={"status": filters.without("spec", "metadata.labels")},
    ),
)
