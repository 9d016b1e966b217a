"""The live twin of a cluster: what it will do next, predicted before it does it.

`shadow` follows the cluster and nothing else; `placements` predicts where pods go, `replica_steps`
what HPAs do, `node_arrivals` which nodes come, `questions` asks rehearsals of the present state.
`ordered_mirror` has them see changes in the order in which the cluster made them.
Nothing is written to the cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.shadow_options import ShadowOptions
    from kubestage.runs.shadowing.result import ShadowResult, ShadowStatus
    from kubestage.runs.shadowing.shadow import Shadow, shadow

__all__ = ["Shadow", "ShadowOptions", "ShadowResult", "ShadowStatus", "shadow"]

__getattr__ = lazy.exports(__name__)
