"""A pod of a run and the attempts at it, as they are written in JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.results.analysis import PodState
    from kubestage.results.comparison import Tried


def as_dict(
    pod: PodState,
    victims: Iterable[PodState],
    rows: Iterable[tuple[int, Tried]],
    explanations: Mapping[int, Json],
) -> Json:
    """The history of a pod; `rows` are attempts with their places, `explanations` their details."""
    return {
        "pod": pod.key,
        "uid": pod.uid or None,
        "status": pod.status,
        "node": pod.node or None,
        "createdAt": pod.created,
        "boundAt": pod.bound,
        "preemptedAt": pod.preempted,
        "preemptedBy": pod.preempted_by,
        "preempted": [each.key for each in victims],
        "attempts": [
            {
                "attempt": place,
                **msgspec.to_builtins(each),
                "explanation": explanations.get(each.number),
            }
            for place, each in rows
        ],
    }
