"""WaitForBoundPVCs and WaitForAvailablePVs: until volumes are claimed, or there to be claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cluster.access import Resource, Selection
from kubestage.measure.outcome import Outcome
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.waits.counted import CountedWait
from kubestage.objects import durations

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json
    from kubestage.measure.informer import Tally


CLAIM: Final = Resource("v1", "PersistentVolumeClaim")
VOLUME: Final = Resource("v1", "PersistentVolume")
_PROVISIONER: Final = "pv.kubernetes.io/provisioned-by"
_EVERY_NS: Final = 5 * durations.SECOND


class ClaimsParams(Selecting, frozen=True, kw_only=True):
    """What WaitForBoundPVCs is told."""

    desired_pvc_count: int = msgspec.field(name="desiredPVCCount")
    timeout: Duration = Duration(60 * durations.SECOND)


class VolumesParams(Selecting, frozen=True, kw_only=True):
    """What WaitForAvailablePVs is told; volumes of another provisioner do not count."""

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

    def is_reached(self, params: ClaimsParams, tally: Tally) -> bool:
        """Whether the right number is bound and the rest may still be."""
        bound = tally.of("Bound")
        return bound == params.desired_pvc_count and tally.total == bound + tally.of("Pending")

    def missed(self, params: ClaimsParams, tally: Tally) -> Outcome:
        """How many are bound, and which ones are not."""
        text = (
            f"timeout while waiting for {params.desired_pvc_count} PVCs to be running in "
            f"namespace '{params.namespace}' with labels '{params.label_selector}' and fields "
            f"'{params.field_selector}' - only {tally.of('Bound')} found bound"
        )
        return Outcome(errors=(text + _others(tally, "Bound"),))


class WaitForAvailablePVs(CountedWait[VolumesParams]):
    """Waits until so many volumes are provisioned, be they bound already or not."""

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

    def is_reached(self, params: VolumesParams, tally: Tally) -> bool:
        """Whether the right number is provisioned and the rest may still be."""
        there = tally.of("Bound", "Available")
        return there == params.desired_pv_count and tally.total == there + tally.of("Pending")

    def missed(self, params: VolumesParams, tally: Tally) -> Outcome:
        """How many there are, and which ones are not."""
        selected = params.selected
        if params.provisioner:
            selected += f" && provisioner={params.provisioner}"
        text = (
            f"timeout while waiting for {params.desired_pv_count} PVs with selector "
            f"'{selected}' - only {tally.of('Bound', 'Available')} found provisioned"
        )
        return Outcome(errors=(text + _others(tally, "Bound", "Available"),))


def phase_of(obj: Json) -> str:
    """The phase of a claim or volume; one that has none yet has the empty one."""
    return str((obj.get("status") or {}).get("phase") or "")


def _others(tally: Tally, *good: str) -> str:
    """The first of those that are in no good phase."""
    bad = tally.keys(*(sort for sort in tally.counts if sort not in good))
    if not bad:
        return ""
    named = [f"{key} ({phase_of(tally.informer.objects[key]) or 'no phase'})" for key in bad[:10]]
    return f"; others: {', '.join(named)}" + (f" and {len(bad) - 10} more" if bad[10:] else "")
