"""ImageLocality: nodes that have a pod's images already are quicker to start it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.scheduler.arrays import same
from kubestage.scheduler.framework import MAX_NODE_SCORE

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle

_MEBIBYTE: Final = 1024 * 1024
_LEAST: Final = 23 * _MEBIBYTE
_MOST_PER_CONTAINER: Final = 1000 * _MEBIBYTE


class ImageLocality:
    """Scores nodes by the sizes of the images they have, scaled by how widespread each is."""

    name = "ImageLocality"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        del args, handle

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del state
        images, containers = pod.images, pod.container_count
        scores = columns.derived(
            (self.name, images, containers), lambda whole: _scores(whole, images, containers)
        )
        return same(0, len(rows)) if scores is None else scores[rows]


def _scores(columns: Columns, images: tuple[str, ...], containers: int) -> Ints | None:
    sums: Ints = np.zeros(len(columns), np.int64)
    for image in images:
        found = columns.images.get(image)
        if found is not None:
            # The fewer nodes have an image, the less it counts: one node must not attract all pods.
            spread = len(found.nodes) / len(columns)
            amount = int(found.size * spread)
            if len(found.nodes) == len(columns):
                sums += amount
            else:
                sums[list(map(columns.row_of.__getitem__, found.nodes))] += amount
    most = _MOST_PER_CONTAINER * containers
    scores: Ints = MAX_NODE_SCORE * (sums.clip(_LEAST, most) - _LEAST) // (most - _LEAST)
    return scores if scores.any() else None
