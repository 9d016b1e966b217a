"""Where the pods of some nodes would go if the nodes went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.scheduling.errors import Plain
from kubestage.controllers.karpenter.scheduling.results import PodError
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.disruption.snapshot import Snapshot
    from kubestage.controllers.karpenter.scheduling.first_fit import Fitted
    from kubestage.controllers.karpenter.scheduling.results import PlacedOn, Results
    from kubestage.controllers.karpenter.state.state_node import StateNode


def simulate(
    context: Context,
    candidates: Sequence[Candidate],
    *,
    consolidating: bool,
    fitted: Fitted | None = None,
) -> Results | None:
    """Schedule what waits, and the pods of the candidates and of nodes on their way out.

    None if a candidate is on its way out itself by now, or no NodePool is usable. Nodes that are
    not ready for pods yet must not be relied on, other than by pods of nodes that go anyway.
    `fitted` is where plain pods go, if that is known.
    """
    snapshot = context.snapshot
    is_late = any(each.name in snapshot.leaving_names for each in candidates)
    if is_late or not snapshot.usable_node_pools:
        return None
    found = snapshot.simulate(
        candidates, context.publish, consolidating=consolidating, fitted=fitted
    )
    # NOTE: consolidation looks at many new nodes, and orders the types of those that it makes
    # (`benchmarks/karpenter_day.py`).
    options = snapshot.options(consolidating=consolidating)
    found.truncate(options, may_stay_unordered=consolidating)
    found.pod_errors += premature(snapshot, found.existing_nodes)
    return found


def premature(snapshot: Snapshot, placed: Sequence[PlacedOn]) -> list[PodError]:
    """The pods that would have to go to nodes which are not ready for any yet."""
    errors = []
    for each in placed:
        if not each.node.initialized:
            error = _uninitialized(each.node)
            errors += [
                PodError(pod, error)
                for pod in each.pods
                if pod_state.key_of(pod) not in snapshot.going_keys
            ]
    return errors


def blocking_text(results: Results) -> str:
    """Why pods that have a place now would have none, as a sentence."""
    text = results.non_pending_errors
    return text[0].upper() + text[1:]


def _uninitialized(node: StateNode) -> Plain:
    where = [
        f"{word}/{obj['metadata']['name']}"
        for word, obj in (("nodeclaim", node.node_claim), ("node", node.node))
        if obj is not None
    ]
    return Plain(f"would schedule against uninitialized {', '.join(where)}")
