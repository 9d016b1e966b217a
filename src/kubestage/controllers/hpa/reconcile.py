"""One sync of one autoscaler, from its target's scale to its own status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.hpa import metric_replicas, normalizing
from kubestage.controllers.hpa.conditions import (
    ABLE_TO_SCALE,
    SCALED_TO_ZERO,
    SCALING_ACTIVE,
    Draft,
    Event,
    HpaStatus,
)
from kubestage.controllers.hpa.context import NoSuchKind, Refused
from kubestage.errors import KubestageError
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.hpa.context import HpaContext, Scale
    from kubestage.controllers.hpa.metric_replicas import Computed
    from kubestage.controllers.hpa.settings import HpaSettings


RESCALED: Final = "SuccessfulRescale"


class SyncResult(NamedTuple):
    """The result of a sync: the status as it is now stored, the replicas that the target was scaled
    to (None if it was not), what the metrics recommended before any limit (None if they were not
    read), the Events as (type, reason, message), and the error if there is one.
    """

    status: HpaStatus
    scaled_to: int | None
    recommendation: int | None
    events: list[Event]
    error: str | None


class DesiredReplicas(NamedTuple):
    """The desired replicas and why, the statuses of the metrics, and an error that is not fatal."""

    replicas: int
    reason: str
    statuses: list[Json] | None
    error: str | None


class _Failure(KubestageError):
    """The sync ends here; the text is its error."""


class HorizontalAutoscaler:
    """One HorizontalPodAutoscaler: its state between syncs, and its sync.

    Make one for each HorizontalPodAutoscaler and call `sync` at each of its ticks, as a rule every
    15 seconds, with the time, the autoscaler as stored (spec with API defaults: see
    `kubestage.objects.defaulting`), and its context. Without a cluster, a `Snapshot` will do::

        autoscaler = HorizontalAutoscaler(HpaSettings())
        context = Snapshot(Scale(3, 3, "app=web"), pods, client)  # any MetricsClient
        result = autoscaler.sync(now_ns, hpa, context)
        hpa = {**hpa, "status": result.status.as_json()}  # for the next sync
        result.scaled_to  # 5, for example: the scale for the next sync

    Times are unix nanoseconds. No argument is changed. A spec may differ from sync to sync.
    """

    def __init__(self, settings: HpaSettings) -> None:
        self.settings = settings
        self._history = normalizing.History()

    def sync(self, now_ns: int, hpa: Json, context: HpaContext) -> SyncResult:
        """Read scale and metrics, rescale if necessary, write the status if it changed."""
        return HpaSync(self.settings, self._history, now_ns, hpa, context).result()


class HpaSync:
    """One sync in progress."""

    def __init__(
        self,
        settings: HpaSettings,
        history: normalizing.History,
        now_ns: int,
        hpa: Json,
        context: HpaContext,
    ) -> None:
        self.settings = settings
        self.history = history
        self.hpa = hpa
        self.spec: Json = hpa["spec"]
        self.context = context
        self.stored = HpaStatus.read(hpa.get("status"))
        self.draft = Draft(self.stored, now_ns)
        self.scaled_to: int | None = None
        self.recommendation: int | None = None
        self.lowest: int = self.spec.get("minReplicas", 1)
        self.highest: int = self.spec["maxReplicas"]
        target, namespace = self.spec["scaleTargetRef"], hpa["metadata"]["namespace"]
        self.reference = f"{target['kind']}/{namespace}/{target['name']}"

    def result(self) -> SyncResult:
        """Run the sync."""
        error: str | None = None
        try:
            error = self._take()
        except _Failure as failure:
            error = str(failure)
        return SyncResult(
            self.stored, self.scaled_to, self.recommendation, self.draft.events, error
        )

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
        desired, reason, statuses, error = self._desired_replicas(scale)
        is_rescaled = desired != current
        if is_rescaled:
            self._rescale(current, desired, self.lowest, reason, statuses)
        self.draft.count(current, desired, statuses, rescaled=is_rescaled)
        return self._write() or error

    def _desired_replicas(self, scale: Scale) -> DesiredReplicas:
        """How many replicas there should be: by the limits, or else by the metrics."""
        current, lowest, highest = scale.spec_replicas, self.lowest, self.highest
        was_zeroed = self.settings.scale_to_zero and self.draft.is_true(SCALED_TO_ZERO)
        if current == 0 and not (was_zeroed and (lowest != 0 or self._has_outer_metrics())):
            self._disable()
            return DesiredReplicas(current, "", None, None)
        if current > highest:
            return DesiredReplicas(
                highest, "Current number of replicas above Spec.MaxReplicas", None, None
            )
        if 0 < current < lowest:
            return DesiredReplicas(
                lowest, "Current number of replicas below Spec.MinReplicas", None, None
            )
        computed = self._compute(scale)
        desired, reason = self._decide(computed, current, lowest, highest, was_zeroed)
        return DesiredReplicas(desired, reason, computed.statuses, computed.error)

    def _scale(self) -> Scale:
        target = self.spec["scaleTargetRef"]
        version = target.get("apiVersion") or ""
        try:
            if version.count("/") > 1:
                raise Refused(f"unexpected GroupVersion string: {version}")
            return self.context.scale()
        except Refused as error:
            self.draft.event(WARNING, "FailedGetScale", str(error))
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
        """What the metrics recommend; without an answer the sync ends here."""
        try:
            return metric_replicas.compute(self.settings, self.hpa, scale, self.context, self.draft)
        except metric_replicas.Unable as error:
            raise self._unable(scale, error) from error

    def _unable(self, scale: Scale, error: metric_replicas.Unable) -> _Failure:
        """The end of a sync without metrics."""
        self.draft.count(scale.spec_replicas, None, error.statuses, rescaled=False)
        self._write()
        self.draft.event(WARNING, "FailedComputeMetricsReplicas", str(error))
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
        request = normalizing.ScaleRequest(current, desired, lowest, highest)
        behavior = self.spec.get("behavior")
        desired = normalizing.normalize(self.history, request, behavior, self.settings, self.draft)
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
            self.context.rescale(desired)
        except Refused as error:
            draft.event(WARNING, "FailedRescale", f"{size}; error: {error}")
            text = f"the HPA controller was unable to update the target scale: {error}"
            draft.set(ABLE_TO_SCALE, "False", "FailedUpdateScale", text)
            draft.count(current, None, statuses, rescaled=False)
            self._write()
            raise _Failure(f"failed to rescale {self.reference}: {error}") from error
        text = f"the HPA controller was able to update the target scale to {desired}"
        draft.set(ABLE_TO_SCALE, "True", "SucceededRescale", text)
        draft.event(NORMAL, RESCALED, size)
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
            self.context.write_status(status)
        except Refused as error:
            self.draft.event(WARNING, "FailedUpdateStatus", str(error))
            return f"failed to update status for {self.hpa['metadata']['name']}: {error}"
        self.stored = status
        return None
