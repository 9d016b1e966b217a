"""Plays recorded scenarios of the real kube-controller-manager again, on our controllers.

A scenario is a list of steps: operations of a user, and what the cluster looked like when it had
become quiet. `play` has the same operations done on a small cluster in virtual time, with the
scheduler and kubelet that the recording used, and reports exactly where the two differ. How loops
work does not belong here, nor anything about one scenario: only what holds for all recordings.
"""

from __future__ import annotations

from kubestage.replay.comparison import Difference
from kubestage.replay.player import ReplayResult, play
from kubestage.replay.scenario import RecordedScenario, load

__all__ = ["Difference", "RecordedScenario", "ReplayResult", "load", "play"]
