"""What all metrics of an autoscaler together ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.controllers.hpa import metric_kinds
from kubestage.controllers.hpa.conditions import SCALING_ACTIVE
from kubestage.controllers.hpa.replica_count import ReplicaCalculator, Tolerances
from kubestage.errors import KubestageError
from kubestage.objects import labels, quantity
from kubestage.store.event_recorder import WARNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import Draft
    from kubestage.controllers.hpa.context import HpaContext, Scale
    from kubestage.controllers.hpa.settings import HpaSettings


class Computed(NamedTuple):
    """The highest recommendation, its metric, all statuses, and what failed, if any."""

    replicas: int
    metric: str
    statuses: list[Json]
    error: str | None


class Unable(KubestageError):
    """There is no recommendation; `statuses` are those of the metrics, if they were read."""

    def __init__(self, why: str, statuses: list[Json] | None = None) -> None:
        super().__init__(why)
        self.statuses = statuses


def compute(
    settings: HpaSettings, hpa: Json, scale: Scale, context: HpaContext, draft: Draft
) -> Computed:
    """Read every metric, and set the condition ScalingActive to the result.

    Metrics that fail are passed over as long as the others do not ask for fewer replicas.
    """
    pods = pods_of(scale.selector, context, draft)
    calculator = ReplicaCalculator(
        settings,
        hpa["metadata"]["namespace"],
        pods,
        context.metrics(pods),
        _tolerances(hpa["spec"].get("behavior"), settings),
        draft.now_ns,
    )
    replicas = metric_kinds.Replicas(scale.spec_replicas, scale.status_replicas)
    metrics = hpa["spec"]["metrics"]
    most, name = 0, ""
    statuses: list[Json] = []
    unusable: list[metric_kinds.Unusable] = []
    for metric in metrics:
        try:
            proposed = metric_kinds.propose(metric, replicas, calculator)
        except metric_kinds.Unusable as failure:
            draft.event(WARNING, failure.reason, failure.cause)
            unusable.append(failure)
            statuses.append({"type": ""})
            continue
        statuses.append(proposed.status)
        if most == 0 or proposed.replicas > most:
            most, name = proposed.replicas, proposed.metric
    error: str | None = None
    if unusable:
        share = f"{len(unusable)} invalid out of {len(metrics)}"
        error = f"invalid metrics ({share}), first error is: {unusable[0]}"
        if len(unusable) == len(metrics) or most < scale.spec_replicas:
            text = f"the HPA was unable to compute the replica count: {unusable[0].cause}"
            draft.set(SCALING_ACTIVE, "False", unusable[0].reason, text)
            raise Unable(error, statuses)
    text = f"the HPA was able to successfully calculate a replica count from {name}"
    draft.set(SCALING_ACTIVE, "True", "ValidMetricFound", text)
    return Computed(most, name, statuses, error)


def pods_of(selector: str, context: HpaContext, draft: Draft) -> Sequence[Json]:
    """The pods of the target, if it is clear that they are this autoscaler's."""
    if not selector:
        text = "the HPA target's scale is missing a selector"
        raise _no_pods(draft, ("SelectorRequired", "InvalidSelector"), "selector is required", text)
    try:
        parsed = labels.parse(selector)
    except labels.SelectorError as error:
        what = "couldn't convert selector into a corresponding internal selector object"
        text = f"{what}: {error}"
        reasons = ("InvalidSelector", "InvalidSelector")
        raise _no_pods(draft, reasons, text, text) from error
    pods = context.pods(parsed)
    sharers = context.sharers(parsed, pods)
    if len(sharers) > 1:
        who = f"[{' '.join(sharers)}]"
        text = f"pods by selector {selector} are controlled by multiple HPAs: {who}"
        raise _no_pods(draft, ("AmbiguousSelector", "AmbiguousSelector"), text, text)
    return pods


def _no_pods(draft: Draft, reasons: tuple[str, str], why: str, message: str) -> Unable:
    """Reasons are those of the Event and of the condition."""
    draft.event(WARNING, reasons[0], why)
    draft.set(SCALING_ACTIVE, "False", reasons[1], message)
    return Unable(why)


def _tolerances(behavior: Json | None, settings: HpaSettings) -> Tolerances:
    """Those of the flag, unless the autoscaler has its own."""
    general = settings.tolerance
    if behavior is None or not settings.configurable_tolerance:
        return Tolerances(general, general)
    stated = [behavior[way].get("tolerance") for way in ("scaleDown", "scaleUp")]
    return Tolerances(*(general if each is None else _float(each) for each in stated))


def _float(amount: Any) -> float:
    """A quantity as Go makes a float of it."""
    found = quantity.of(amount)
    return float(found.unscaled) * float(f"1e{found.scale}")
