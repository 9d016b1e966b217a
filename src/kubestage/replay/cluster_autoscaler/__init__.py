"""Plays recorded worlds of the real cluster-autoscaler again, on ours, and compares each decision.

A world is a cluster, flags, groups of nodes and a list of steps: what the outside world did, and
what the autoscaler did then. `play` has the same done on a small cluster in virtual time, with a
provider that answers as the recorded one, and returns what ours does in the same form;
`compare` reports where the two differ. How the autoscaler decides does not belong here.
"""

from __future__ import annotations

from kubestage.replay.cluster_autoscaler.comparison import compare
from kubestage.replay.cluster_autoscaler.player import play
from kubestage.replay.cluster_autoscaler.recorded_world import RecordedWorld, read

__all__ = ["RecordedWorld", "compare", "play", "read"]
