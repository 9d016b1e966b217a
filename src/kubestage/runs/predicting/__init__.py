"""Where a scheduler would put a pod of a cluster that is only observed.

The cluster is mirrored from its changes, which come from a recording or from a live watch.
Nothing is bound, evicted or written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.predicting.prediction import Prediction, Preemption, Rejection
    from kubestage.runs.predicting.predictor import Predictor

__all__ = ["Prediction", "Predictor", "Preemption", "Rejection"]

__getattr__ = lazy.exports(__name__)
