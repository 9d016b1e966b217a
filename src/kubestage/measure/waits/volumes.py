"""WaitForBoundPVCs and WaitForAvailablePVs: until volumes are bound, or available."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cluster.access import Resource, Selection
from kubestage.golang import durations
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.results import MeasurementResult
from kubestage.measure.waits.counted import CountedWait

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json
    from kubestage.measure.informer import ObjectCounts


CLAIM: Final = Resource("v1", "PersistentVolumeClaim")
VOLUME: Final = Resource("v1", "PersistentVolume")
_PROVISIONER: Final = "pv.kubernetes.io/provisioned-by"
_EVERY_NS: Final = 5 * durations.SECOND


class ClaimsParams(Selecting, frozen=True, kw_only=True):
    """The parameters of WaitForBoundPVCs."""

    desired_pvc_count: int = msgspec.field(name="desiredPVCCount")
    timeout: Duration = Duration(60 * durations.SECOND)


class VolumesParams(Selecting, frozen=True, kw_only=True):
    """The parameters of WaitForAvailablePVs; volumes of another provisioner do not count."""

    desired_pv_count: int = msgspec.field(name="desiredPVCount")
    provisioner: str
    timeout: Duration = Duration(60 * durations.SECOND)


class WaitForBoundPVCs(CountedWait[ClaimsParams]):
    """Waits until so many claims are bound and no other is lost."""

    params_type = ClaimsParams

    def selection(self, params: ClaimsParams) -> Selection:
        """The claims that are waited for."""
        return Selection(CLAIM, params.namespace, params.label_selector, params.field_selector)

    def sort(self, params: ClaimsParams, obj: Json) -> Hashable | None:
        """The phase of a claim."""
        del params
        return phase_of(obj)

    def pace_ns(self, params: ClaimsParams) -> tuple[int, int]:
        """Every five seconds."""
        return _EVERY_NS, params.timeout

    def is_reached(self, params: ClaimsParams, counts: ObjectCounts) -> bool:
        """Whether the right number is bound and the rest may still be."""
        bound = counts.number_of("Bound")
        return bound == params.desired_pvc_count and counts.total == bound + counts.number_of(
            "Pending"
        )

    def missed(self, params: ClaimsParams, counts: ObjectCounts) -> MeasurementResult:
        """How many are bound, and which ones are not."""
        text = (
            f"timeout while waiting for {params.desired_pvc_count} PVCs to be running in "
            f"namespace '{params.namespace}' with labels '{params.label_selector}' and fields "
            f"'{params.field_selector}' - only {counts.number_of('Bound')} found bound"
        )
        return MeasurementResult(errors=(text + _others(counts, "Bound"),))


class WaitForAvailablePVs(CountedWait[VolumesParams]):
    """Waits until so many volumes are provisioned, bound or not."""

    params_type = VolumesParams

    def selection(self, params: VolumesParams) -> Selection:
        """The volumes that are waited for; they have no namespace."""
        return Selection(VOLUME, "", params.label_selector, params.field_selector)

    def sort(self, params: VolumesParams, obj: Json) -> Hashable | None:
        """The phase of a volume of the provisioner."""
        notes = (obj.get("metadata") or {}).get("annotations") or {}
        if params.provisioner and notes.get(_PROVISIONER) != params.provisioner:
            return None
        return phase_of(obj)

    def pace_ns(self, params: VolumesParams) -> tuple[int, int]:
        """Every five seconds."""
        return _EVERY_NS, params.timeout

    def is_reached(self, params: VolumesParams, counts: ObjectCounts) -> bool:
        """Whether the right number is provisioned and the rest may still be."""
        there = counts.number_of("Bound", "Available")
        return there == params.desired_pv_count and counts.total == there + counts.number_of(
            "Pending"
        )

    def missed(self, params: VolumesParams, counts: ObjectCounts) -> MeasurementResult:
        """How many there are, and which ones are not."""
        selected = params.selected
        if params.provisioner:
            selected += f" && provisioner={params.provisioner}"
        text = (
            f"timeout while waiting for {params.desired_pv_count} PVs with selector "
            f"'{selected}' - only {counts.number_of('Bound', 'Available')} found provisioned"
        )
        return MeasurementResult(errors=(text + _others(counts, "Bound", "Available"),))


def phase_of(obj: Json) -> str:
    """The phase of a claim or volume; empty if it has none yet."""
    return str((obj.get("status") or {}).get("phase") or "")


def _others(counts: ObjectCounts, *good: str) -> str:
    """The first of those that are in another phase."""
    bad = counts.keys(*(sort for sort in counts.counts if sort not in good))
    if not bad:
        return ""
    named = [f"{key} ({phase_of(counts.informer.objects[key]) or 'no phase'})" for key in bad[:10]]
    return f"; others: {', '.join(named)}" + (f" and {len(bad) - 10} more" if bad[10:] else "")
