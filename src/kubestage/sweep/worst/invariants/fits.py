"""No pod that fits is left pending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import gvk, timestamps
from kubestage.runs.fit import cluster_copy, cluster_image
from kubestage.sweep.worst.invariants import parameters as stated_parameters
from kubestage.sweep.worst.invariants.invariant import Verdict
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from typing import Self

    from kubestage.aliases import Json
    from kubestage.runs.fit.cluster_image import ClusterImage
    from kubestage.stage import Stage
    from kubestage.sweep.worst.runner import CaseRun

_TRIED: Final = 20
"""So many pending pods are tried at the end of a run."""
_ENDED: Final = ("Succeeded", "Failed")


class NothingFits(msgspec.Struct, frozen=True):
    """Broken by a pod that is pending at the end of a run, although all filters of its profile let
    it pass on some node, without preemption. Pods with gates, with a nominated node, or of no
    profile wait for a reason; so do pods of a living run that are younger than `patience`.
    """

    patience_ns: int

    @classmethod
    def read(cls, parameters: dict[str, str]) -> Self:
        """Its parameter is `patience`, 1m by default."""
        stated_parameters.refuse_others(parameters, ("patience",))
        return cls(stated_parameters.duration_ns(parameters, "patience", "1m"))

    def observe(self, stage: Stage) -> FitObservation:  # noqa: ARG002
        """There is nothing to watch: the end counts."""
        return FitObservation(self.patience_ns)


class FitObservation(msgspec.Struct, frozen=True):
    """Looks at the pods that are pending at the end."""

    patience_ns: int

    def verdict(self, run: CaseRun) -> Verdict:
        """Broken by every pod that is pending and fits."""
        pods = run.stage.store.read(gvk.POD)
        pending = {key: pod for key, pod in pods.items() if self._is_waiting(pod, run)}
        if not pending:
            return Verdict(-2.0)
        image = cluster_image.image_of(run.stage)
        fitting = [key for key in list(pending)[:_TRIED] if _fits(image, pending[key])]
        if not fitting:
            return Verdict(-1 / len(pending))
        number = plural(len(fitting), "pod")
        verb = "fits" if len(fitting) == 1 else "fit"
        sentence = f"{number} {verb} on a node and had none at the end: {few(fitting)}"
        return Verdict(float(len(fitting)), sentence, tuple(fitting))

    def _is_waiting(self, pod: Json, run: CaseRun) -> bool:
        """Whether a pod is pending for no reason of its own."""
        spec, status, metadata = pod["spec"], pod.get("status") or {}, pod["metadata"]
        if spec.get("nodeName") or spec.get("schedulingGates") or "deletionTimestamp" in metadata:
            return False
        if status.get("phase") in _ENDED or status.get("nominatedNodeName"):
            return False
        if not run.is_living:
            return True
        created_ns = timestamps.parse_time(metadata["creationTimestamp"])
        return run.stage.clock.unix_ns - created_ns >= self.patience_ns


def _fits(image: ClusterImage, pod: Json) -> bool:
    """Whether filters leave a node for a pod."""
    found: list[int] = []
    copy = cluster_copy.ClusterCopy(image, pod)
    outcome = copy.attempt(look=lambda attempt: found.append(attempt.feasible_count))
    if outcome.is_placed:
        return not outcome.victims
    return any(found)
