"""What would make a pod fit: numbers, and changes that are proved on a copy of the cluster.

Here belongs the search for such changes (`search`, one module for each sort of change), the copy on
which the scheduler tries them (`cluster_image`, `cluster_copy`), and the result (`advice`). Nothing
here changes the stage. Here does not belong the explanation of attempts that were made
(`runs.explain`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.runs.fit import cluster_copy, cluster_image, numbers
from kubestage.runs.fit.advice import FitAdvice, FitChange
from kubestage.runs.fit.search import Search
from kubestage.runs.observer import SILENT
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.fit.cluster_image import ClusterImage
    from kubestage.runs.observer import Observer
    from kubestage.stage import Stage

__all__ = ["FitAdvice", "FitChange", "advise", "advise_on"]


def advise(stage: Stage, pod: Json, *, observer: Observer = SILENT) -> FitAdvice:
    """Whether a pod fits now, and what would make it fit; the stage is not changed.

    A pod that is not on the stage, which has no uid, is tried as if it were created now.
    """
    return advise_on(cluster_image.image_of(stage), pod, observer=observer)


def advise_on(image: ClusterImage, pod: Json, *, observer: Observer = SILENT) -> FitAdvice:
    """The same in a cluster of which an image was taken (`cluster_image.image_of`)."""
    node = pod["spec"].get("nodeName")
    if node:
        metadata = pod["metadata"]
        return FitAdvice(key=key_of(metadata["namespace"], metadata["name"]), fits=True, node=node)
    with observer.progress("looking for what would make it fit", 1, noticeable=2) as advance:
        advice = _advice(cluster_copy.ClusterCopy(image, pod))
        advance(1)
    return advice


def _advice(copy: cluster_copy.ClusterCopy) -> FitAdvice:
    outcome = copy.attempt()
    if outcome.is_placed:
        victims = [
            key_of(each["metadata"]["namespace"], each["metadata"]["name"])
            for each in outcome.victims
        ]
        return FitAdvice(key=copy.key, fits=True, node=outcome.node, victims=victims)
    return FitAdvice(
        key=copy.key,
        fits=False,
        message=outcome.refusal or outcome.message,
        numbers=[] if outcome.attempt is None else numbers.lines(outcome.attempt),
        changes=Search(copy, outcome).changes(),
    )
