"""From what metrics ask for to what is done: stabilisation, rates, minimum and maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers.hpa import go_numbers
from kubestage.controllers.hpa.behavior import ScaleEvents
from kubestage.controllers.hpa.conditions import ABLE_TO_SCALE, SCALING_LIMITED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.hpa.conditions import Draft
    from kubestage.controllers.hpa.settings import HpaSettings


_FASTER = "the desired replica count is {} faster than the maximum scale rate"
_TOO_MANY = "the desired replica count is more than the maximum replica count"
_TOO_FEW = "the desired replica count is less than the minimum replica count"
_IN_RANGE = "the desired count is within the acceptable range"
_STABILIZED = (
    "recent recommendations were {} than current one, applying the {} recent recommendation"
)


class PastRecommendation(NamedTuple):
    """What the metrics recommended at some time."""

    replicas: int
    at_ns: int


class ScaleRequest(NamedTuple):
    """The present replicas, those that the metrics recommend, and the limits of both."""

    current: int
    desired: int
    lowest: int
    highest: int


class Limited(NamedTuple):
    """Replicas within limits, and which limit they ran into."""

    replicas: int
    reason: str
    message: str


class History:
    """What one autoscaler retains from one sync to the next."""

    def __init__(self) -> None:
        self.recommendations: list[PastRecommendation] = []
        self.events = ScaleEvents()

    def begin(self, current: int, now_ns: int) -> None:
        """Before the first recommendation, what is there counts as one."""
        if not self.recommendations:
            self.recommendations.append(PastRecommendation(current, now_ns))

    def keep(self, replicas: int, now_ns: int, place: int | None) -> None:
        """Remember a recommendation, in the place of one that is too old to matter."""
        if place is None:
            self.recommendations.append(PastRecommendation(replicas, now_ns))
        else:
            self.recommendations[place] = PastRecommendation(replicas, now_ns)


def normalize(
    history: History,
    desired: ScaleRequest,
    behavior: Json | None,
    settings: HpaSettings,
    draft: Draft,
) -> int:
    """The replicas to have; sets the conditions AbleToScale and ScalingLimited."""
    if behavior is None:
        stabilized = _highest_recent(history, desired, settings, draft.now_ns)
        reason, how = "ScaleDownStabilized", ("higher", "highest")
    else:
        stabilized = _stabilized(history, desired, behavior, settings, draft.now_ns)
        reason, how = "ScaleDownStabilized", ("higher", "highest")
        if desired.desired >= desired.current:
            reason, how = "ScaleUpStabilized", ("lower", "lowest")
    if stabilized != desired.desired:
        draft.set(ABLE_TO_SCALE, "True", reason, _STABILIZED.format(*how))
    else:
        draft.set(
            ABLE_TO_SCALE, "True", "ReadyForNewScale", "recommended size matches current size"
        )
    steady = desired._replace(desired=stabilized)
    if behavior is None:
        limited = _by_rules(steady)
    else:
        limited = _by_rates(steady, history.events, behavior, draft.now_ns)
    status = "False" if limited.replicas == stabilized else "True"
    draft.set(SCALING_LIMITED, status, limited.reason, limited.message)
    return limited.replicas


def _highest_recent(
    history: History, desired: ScaleRequest, settings: HpaSettings, now_ns: int
) -> int:
    """The highest recommendation of the window, and the new one kept."""
    cutoff_ns = now_ns - settings.downscale_stabilization_ns
    highest, place = desired.desired, None
    for at, each in enumerate(history.recommendations):
        if each.at_ns < cutoff_ns:
            place = at
        else:
            highest = max(highest, each.replicas)
    history.keep(desired.desired, now_ns, place)
    return highest


def _stabilized(
    history: History, desired: ScaleRequest, behavior: Json, settings: HpaSettings, now_ns: int
) -> int:
    """What is there, raised to the lowest of the window up, lowered to the highest of that down."""
    up_cutoff_ns = now_ns - behavior["scaleUp"]["stabilizationWindowSeconds"] * SECOND_NS
    down_seconds = behavior["scaleDown"].get("stabilizationWindowSeconds")
    if down_seconds is None:
        down_seconds = settings.downscale_stabilization_ns // SECOND_NS
    down_cutoff_ns = now_ns - down_seconds * SECOND_NS
    up = down = desired.desired
    place: int | None = None
    for at, each in enumerate(history.recommendations):
        if each.at_ns > up_cutoff_ns:
            up = min(up, each.replicas)
        if each.at_ns > down_cutoff_ns:
            down = max(down, each.replicas)
        if each.at_ns < up_cutoff_ns and each.at_ns < down_cutoff_ns:
            place = at
    history.keep(desired.desired, now_ns, place)
    return min(max(desired.current, up), down)


def within(desired: int, lowest: int, highest: int) -> Limited:
    """Replicas between two limits, at whatever speed."""
    if desired < lowest:
        return Limited(lowest, "TooFewReplicas", _TOO_FEW)
    if desired > highest:
        return Limited(highest, "TooManyReplicas", _TOO_MANY)
    return Limited(desired, "DesiredWithinRange", _IN_RANGE)


def _by_rules(desired: ScaleRequest) -> Limited:
    """At most twice as many at once, or four; and within minimum and maximum."""
    fastest = go_numbers.truncated_int32(max(2.0 * float(desired.current), 4.0))
    if desired.desired < desired.lowest:
        return Limited(desired.lowest, "TooFewReplicas", _TOO_FEW)
    if desired.desired > min(desired.highest, fastest):
        if desired.highest > fastest:
            return Limited(fastest, "ScaleUpLimit", _FASTER.format("increasing"))
        return Limited(desired.highest, "TooManyReplicas", _TOO_MANY)
    return Limited(desired.desired, "DesiredWithinRange", _IN_RANGE)


def _by_rates(desired: ScaleRequest, events: ScaleEvents, behavior: Json, now_ns: int) -> Limited:
    """As fast as policies allow; the maximum counts on the way up, the minimum on the way down."""
    current = desired.current
    if desired.desired > current:
        fastest = max(events.up_limit(current, behavior["scaleUp"], now_ns), current)
        if desired.desired > min(desired.highest, fastest):
            if desired.highest > fastest:
                return Limited(fastest, "ScaleUpLimit", _FASTER.format("increasing"))
            return Limited(desired.highest, "TooManyReplicas", _TOO_MANY)
    elif desired.desired < current:
        fastest = min(events.down_limit(current, behavior["scaleDown"], now_ns), current)
        if desired.desired < max(desired.lowest, fastest):
            if desired.lowest < fastest:
                return Limited(fastest, "ScaleDownLimit", _FASTER.format("decreasing"))
            return Limited(desired.lowest, "TooFewReplicas", _TOO_FEW)
    return Limited(desired.desired, "DesiredWithinRange", _IN_RANGE)
