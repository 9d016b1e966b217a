"""Which devices a request may have, by its selectors and those of its device class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler.devices import cel
from kubestage.scheduler.devices.failures import AllocationError, CelError
from kubestage.scheduler.memo import Memo

if TYPE_CHECKING:
    from kubestage.objects.views.node import NodeView
    from kubestage.scheduler.devices.pools import Candidate
    from kubestage.scheduler.devices.requests import ClaimRequests, Request
    from kubestage.scheduler.devices.slices import Device, Facts

# Selectors are few and devices look alike, so most answers are known already.
_answers: Final = Memo(1 << 16)


class Selection:
    """What requests may have on one node."""

    def __init__(self, node: NodeView) -> None:
        self._node = node
        self._known: dict[tuple[Request, Device], bool] = {}

    def matches(self, claim: ClaimRequests, request: Request, candidate: Candidate) -> bool:
        """Whether a device is of the kind that a request selects, and within the node's reach."""
        key = request, candidate.device
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._matches(claim, request, candidate)
        return known

    def _matches(self, claim: ClaimRequests, request: Request, candidate: Candidate) -> bool:
        facts = candidate.device.facts
        class_name = request.device_class["metadata"]["name"]
        return (
            _all_match(request.class_selectors, facts, f"class {class_name}")
            and _all_match(request.selectors, facts, f"claim {claim.key}")
            and (not candidate.slice.per_device or self._is_reached(candidate.device))
        )

    def _is_reached(self, device: Device) -> bool:
        try:
            return device.nodes.matches(self._node.name, self._node.labels)
        except SelectorError as problem:
            raise AllocationError(f"failed to parse node selector: {problem}") from problem


def _all_match(selectors: tuple[str, ...], facts: Facts, where: str) -> bool:
    for index, expression in enumerate(selectors):
        try:
            if not _answer(expression, facts):
                return False
        except CelError as problem:
            raise AllocationError(
                f"{where}: selector #{index}: CEL {problem.stage} error: {problem}"
            ) from problem
    return True


def _answer(expression: str, facts: Facts) -> bool:
    return _answers.get((expression, facts), lambda: cel.compiled(expression).matches(facts))
