"""What a ReplicaSet's status counts, counted from scratch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import ownership, pods
from kubestage.controllers.replicaset.pod_counter import Counts
from kubestage.objects import labels

if TYPE_CHECKING:
    from kubestage.aliases import Json


def count(replica_set: Json, all_pods: list[Json], now_unix_ns: int) -> Counts:
    """The counts of a ReplicaSet at a moment."""
    spec = replica_set["spec"]
    selector = labels.from_label_selector(spec["selector"])
    template_labels = labels.selector_from_set(spec["template"]["metadata"].get("labels") or {})
    min_ready_seconds = spec.get("minReadySeconds") or 0
    claimed = [
        pod
        for pod in all_pods
        if ownership.is_controlled_by(pod, replica_set)
        and selector.matches(ownership.labels_of(pod))
        and not pods.is_terminal(pod)
    ]
    active = [pod for pod in claimed if not pods.is_terminating(pod)]
    return Counts(
        replicas=len(active),
        fully_labeled=sum(template_labels.matches(ownership.labels_of(pod)) for pod in active),
        ready=sum(map(pods.is_ready, active)),
        available=sum(pods.is_available(pod, min_ready_seconds, now_unix_ns) for pod in active),
        terminating=len(claimed) - len(active),
    )
