"""The status of NodeOverlays: whether they are valid, and contradict no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
from kubestage.controllers.karpenter.provider.overlaid_types import OVERLAY

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork

_VALIDATED: Final = "ValidationSucceeded"


def sync(at_work: AtWork) -> None:
    """Write the status of all NodeOverlays: each may contradict any other."""
    if not at_work.settings.node_overlay:
        return
    problems = at_work.cloud.overlay_problems()
    for overlay in at_work.lister.all(OVERLAY):
        problem = problems.get(overlay["metadata"]["name"])
        conditions = ConditionSet(overlay, (_VALIDATED,), at_work.now_ns)
        if problem is None:
            conditions.set_true(_VALIDATED)
        else:
            conditions.set_false(_VALIDATED, problem.reason, problem.message)
        at_work.write_status(OVERLAY, overlay, conditions.status)
