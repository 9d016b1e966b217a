"""Pods that want nothing of a node but room and labels: where one of them fits, all like it do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.requirements.requirement import EXISTS, IN

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.requirements.requirement import Requirement
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape

_UNCHANGING: Final = frozenset({IN, EXISTS})


class PlainShape:
    """What pods of several shapes have in common, by a number; namespace and labels differ."""

    __slots__ = ("number", "shape")

    def __init__(self, number: int, shape: PodShape) -> None:
        self.number = number
        self.shape = shape


class PlainShapes:
    """The plain shapes of some NodePools."""

    def __init__(self, options: Options, *, tolerate_prefer_no_schedule: bool) -> None:
        self._options = options
        self._tolerate = tolerate_prefer_no_schedule
        self._known: dict[object, PlainShape] = {}

    def of(self, shape: PodShape) -> PlainShape | None:
        """What a shape has in common with others if it is plain; the shape has it from now on."""
        if shape.plain is None and self._is_plain(shape):
            requests = tuple((name, str(amount)) for name, amount in shape.requests.items())
            key = (requests, shape.requirements, shape.tolerations)
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = PlainShape(len(self._known), shape)
            shape.plain = known
        return shape.plain

    def _is_plain(self, shape: PodShape) -> bool:
        """Whether no other pod matters, and there is nothing that could be given up."""
        spec = shape.pod["spec"]
        affinity = spec.get("affinity") or {}
        return (
            not (affinity.get("podAffinity") or affinity.get("podAntiAffinity"))
            and not spec.get("topologySpreadConstraints")
            and not shape.host_ports
            and not shape.has_claims
            and all(map(_leaves_nodes_alone, shape.requirements))
            and shape.relaxed(self._options, tolerate_prefer_no_schedule=self._tolerate) is None
        )


def _leaves_nodes_alone(required: Requirement) -> bool:
    """Whether a node that meets a requirement is the same with the pod as it was without."""
    return required.operator in _UNCHANGING and required.gte is None and required.lte is None
