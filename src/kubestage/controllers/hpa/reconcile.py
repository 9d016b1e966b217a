"""One look of one autoscaler, from its target's scale to its own status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.event_recorder import NORMAL, WARNING
from kubestage.controllers.hpa import metric_replicas, normalizing
from kubestage.controllers.hpa.conditions import (
    ABLE_TO_SCALE,
    SCALED_TO_ZERO,
    SCALING_ACTIVE,
    Draft,
    Event,
    Status,
)
from kubestage.controllers.hpa.surroundings import NoSuchKind, Refused
from kubestage.errors import KubestageError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.hpa.metric_replicas import Computed
    from kubestage.controllers.hpa.settings import HpaSettings
    from kubestage.controllers.hpa.surroundings import Scale, Surroundings


RESCALED: Final = "SuccessfulRescale"


class Outcome(NamedTuple):
    """What came of a look: the status as it is now stored, the replicas that the target was asked
    for (None if it was not), what the metrics asked for before anything tempered it (None if they
    were not asked), the Events as (type, reason, message), and the error if there is one.
    """

    status: Status
    scaled_to: int | None
    recommendation: int | None
    events: list[Event]
    error: str | None


class Wish(NamedTuple):
    """What a look comes to: replicas and why, what metrics say, and an error that is no stop."""

    replicas: int
    reason: str
    statuses: list[Json] | None
    error: str | None


class _Failure(KubestageError):
    """The look ends here; the text is its error."""


class Autoscaler:
    """What one HorizontalPodAutoscaler remembers, and how it looks again.

    Make one for each HorizontalPodAutoscaler and call `sync` at each of its ticks, as a rule every
    15 seconds, with the time, the autoscaler as stored (spec with API defaults: see
    `kubestage.objects.defaulting`), and its surroundings. Without a cluster, a `Snapshot` will do::

        autoscaler = Autoscaler(HpaSettings())
        around = Snapshot(Scale(3, 3, "app=web"), pods, client)  # any MetricsClient
        outcome = autoscaler.sync(now_ns, hpa, around)
        hpa = {**hpa, "status": outcome.status.as_json()}  # for the next look
        outcome.scaled_to  # 5, say: the scale for the next look

    Times are unix nanoseconds. Nothing given is changed. A spec may differ from look to look.
    """

    def __init__(self, settings: HpaSettings) -> None:
        self.settings = settings
        self._history = normalizing.History()

    def sync(self, now_ns: int, hpa: Json, around: Surroundings) -> Outcome:
        """Look once: read scale and metrics, rescale if need be, write the status if it changed."""
        return HpaLook(self.settings, self._history, now_ns, hpa, around).outcome()


class HpaLook:
    """One look while it is under way."""

    def __init__(
        self,
        settings: HpaSettings,
        history: normalizing.History,
        now_ns: int,
        hpa: Json,
        around: Surroundings,
    ) -> None:
        self.settings = settings
        self.history = history
        self.hpa = hpa
        self.spec: Json = hpa["spec"]
        self.around = around
        self.stored = Status.of(hpa.get("status"))
        self.draft = Draft(self.stored, now_ns)
        self.scaled_to: int | None = None
        self.recommendation: int | None = None
        self.lowest: int = self.spec.get("minReplicas", 1)
        self.highest: int = self.spec["maxReplicas"]
        target, namespace = self.spec["scaleTargetRef"], hpa["metadata"]["namespace"]
        self.reference = f"{target['kind']}/{namespace}/{target['name']}"

    def outcome(self) -> Outcome:
        """Take the look, and tell what came of it."""
        error: str | None = None
        try:
            error = self._take()
        except _Failure as failure:
            error = str(failure)
        return Outcome(self.stored, self.scaled_to, self.recommendation, self.draft.events, error)

    def _take(self) -> str | None:
        """All of it; an error that did not keep it from its end is returned."""
        scale = self._scale()
        self.draft.set(
            ABLE_TO_SCALE,
            "True",
            "SucceededGetScale",
            "the HPA controller was able to get the target's current scale",
        )
        current = scale.spec_replicas
        self.history.begin(current, self.draft.now_ns)
        desired, reason, statuses, error = self._wish(scale)
        is_rescaled = desired != current
        if is_rescaled:
            self._rescale(current, desired, self.lowest, reason, statuses)
        self.draft.count(current, desired, statuses, rescaled=is_rescaled)
        return self._write() or error

    def _wish(self, scale: Scale) -> Wish:
        """How many replicas there should be: by the limits, or else by the metrics."""
        current, lowest, highest = scale.spec_replicas, self.lowest, self.highest
        was_zeroed = self.settings.scale_to_zero and self.draft.is_true(SCALED_TO_ZERO)
        if current == 0 and not (was_zeroed and (lowest != 0 or self._has_outer_metrics())):
            self._disable()
            return Wish(current, "", None, None)
        if current > highest:
            return Wish(highest, "Current number of replicas above Spec.MaxReplicas", None, None)
        if 0 < current < lowest:
            return Wish(lowest, "Current number of replicas below Spec.MinReplicas", None, None)
        computed = self._compute(scale)
        desired, reason = self._decide(computed, current, lowest, highest, was_zeroed)
        return Wish(desired, reason, computed.statuses, computed.error)

    def _scale(self) -> Scale:
        target = self.spec["scaleTargetRef"]
        version = target.get("apiVersion") or ""
        try:
            if version.count("/") > 1:
                raise Refused(f"unexpected GroupVersion string: {version}")
            return self.around.scale()
        except Refused as error:
            self.draft.tell(WARNING, "FailedGetScale", str(error))
            text = f"the HPA controller was unable to get the target's current scale: {error}"
            self.draft.set(ABLE_TO_SCALE, "False", "FailedGetScale", text)
            self._write()
            if version.count("/") > 1:
                what = "invalid API version in scale target reference"
            elif isinstance(error, NoSuchKind):
                what = "unable to determine resource for scale target reference"
            else:
                what = f"failed to query scale subresource for {self.reference}"
            raise _Failure(f"{what}: {error}") from error

    def _disable(self) -> None:
        text = "scaling is disabled since the replica count of the target is zero"
        self.draft.set(SCALING_ACTIVE, "False", "ScalingDisabled", text)
        if not self.settings.scale_to_zero:
            self.draft.remove(SCALED_TO_ZERO)

    def _has_outer_metrics(self) -> bool:
        metrics = self.spec["metrics"]
        return any(metric["type"] in ("Object", "External") for metric in metrics)

    def _compute(self, scale: Scale) -> Computed:
        """What the metrics ask for; without an answer the look ends here."""
        try:
            return metric_replicas.compute(self.settings, self.hpa, scale, self.around, self.draft)
        except metric_replicas.Unable as error:
            raise self._unable(scale, error) from error

    def _unable(self, scale: Scale, error: metric_replicas.Unable) -> _Failure:
        """The end of a look that has nothing to go by."""
        self.draft.count(scale.spec_replicas, None, error.statuses, rescaled=False)
        self._write()
        self.draft.tell(WARNING, "FailedComputeMetricsReplicas", str(error))
        what = "failed to compute desired number of replicas based on listed metrics for"
        return _Failure(f"{what} {self.reference}: {error}")

    def _decide(
        self, computed: Computed, current: int, lowest: int, highest: int, was_zeroed: bool
    ) -> tuple[int, str]:
        """What is done about what the metrics ask for, and why."""
        desired = max(computed.replicas, 0)
        metric = computed.metric if computed.replicas > 0 else ""
        reason = f"{metric} above target" if desired > current else ""
        if desired < current:
            reason = "All metrics below target"
        self.recommendation = desired
        wanted = normalizing.Wanted(current, desired, lowest, highest)
        behavior = self.spec.get("behavior")
        desired = normalizing.normalize(self.history, wanted, behavior, self.settings, self.draft)
        if current == 0 and was_zeroed and desired < lowest:
            desired = lowest
            reason = reason or "Current number of replicas below Spec.MinReplicas"
        return desired, reason

    def _rescale(
        self, current: int, desired: int, lowest: int, reason: str, statuses: list[Json] | None
    ) -> None:
        self.scaled_to = desired
        draft = self.draft
        size = f"New size: {desired}; reason: {reason}"
        try:
            self.around.rescale(desired)
        except Refused as error:
            draft.tell(WARNING, "FailedRescale", f"{size}; error: {error}")
            text = f"the HPA controller was unable to update the target scale: {error}"
            draft.set(ABLE_TO_SCALE, "False", "FailedUpdateScale", text)
            draft.count(current, None, statuses, rescaled=False)
            self._write()
            raise _Failure(f"failed to rescale {self.reference}: {error}") from error
        text = f"the HPA controller was able to update the target scale to {desired}"
        draft.set(ABLE_TO_SCALE, "True", "SucceededRescale", text)
        draft.tell(NORMAL, RESCALED, size)
        behavior = self.spec.get("behavior")
        if behavior is not None:
            self.history.events.store(behavior, current, desired, draft.now_ns)
        if not self.settings.scale_to_zero:
            draft.remove(SCALED_TO_ZERO)
        elif current > 0 and desired == 0 and lowest == 0 and self._has_outer_metrics():
            text = "the HPA controller scaled the workload to zero"
            draft.set(SCALED_TO_ZERO, "True", "ScaledToZero", text)
        else:
            text = "the HPA controller did not scale the workload to zero"
            draft.set(SCALED_TO_ZERO, "False", "NotScaledToZero", text)

    def _write(self) -> str | None:
        """Store the status if it changed; the error if that is refused."""
        status = self.draft.status
        if status == self.stored:
            return None
        try:
            self.around.write_status(status)
        except Refused as error:
            self.draft.tell(WARNING, "FailedUpdateStatus", str(error))
            return f"failed to update status for {self.hpa['metadata']['name']}: {error}"
        self.stored = status
        return None
