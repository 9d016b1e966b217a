"""Extenders may strike candidates off, or want other victims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.extender import ExtenderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.extender import Extender
    from kubestage.scheduler.preemption.candidates import Candidate


def heard(
    extenders: Sequence[Extender], pod: PodView, candidates: list[Candidate], columns: Columns
) -> list[Candidate]:
    """What is left of the candidates after every extender with a preempt verb was asked.

    An ignorable extender that fails, or names no victims for a node, is not heeded; any other
    raises ExtenderError.
    """
    for extender in extenders:
        if not candidates:
            break
        if not extender.supports_preemption or not extender.is_interested(pod):
            continue
        try:
            answer = extender.process_preemption(pod, candidates, columns)
        except ExtenderError:
            if extender.is_ignorable:
                continue
            raise
        candidates = [candidate for candidate in answer if candidate.victims]
        if len(candidates) < len(answer) and not extender.is_ignorable:
            bare = next(candidate for candidate in answer if not candidate.victims)
            raise ExtenderError(f'expected at least one victim pod on node "{bare.node_name}"')
    return candidates
