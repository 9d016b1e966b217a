"""Which stage comes next for an object, and after how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.kwok import amounts, cel_programs, requirements
from kubestage.controllers.kwok.stage_types import SelectorJq
from kubestage.errors import LimitExceeded
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.kwok.stage_types import MatchExpression, Stage


# KWOK holds these in Go's own types, and changes them by strategic merge patch.
_TYPED: Final = (("v1", "Pod"), ("v1", "Node"))


def is_typed(api_version: str, kind: str) -> bool:
    """Whether KWOK knows the fields of this kind."""
    return (api_version, kind) in _TYPED


def jq_requirement(expression: MatchExpression) -> SelectorJq | None:
    """The requirement in jq, whichever form has it."""
    if expression.jq is not None:
        return expression.jq
    if not expression.key:
        return None
    return SelectorJq(key=expression.key, operator=expression.operator, values=expression.values)


class StageLimitError(LimitExceeded):
    """A stage with an expression that takes too much time or memory on an object."""

    def __init__(self, stage: Stage, problem: str) -> None:
        super().__init__(problem)
        self.stage = stage


class Lifecycle:
    """The stages of one kind, in order of name. A stage without a selector is for no object."""

    def __init__(self, stages: Iterable[Stage], typed: bool = False) -> None:
        self._typed = typed
        ordered = sorted(stages, key=lambda stage: stage.name)
        self._stages = [stage for stage in ordered if stage.spec.selector is not None]
        self._questions: dict[str, list[SelectorJq | str]] = {
            stage.name: _questions(stage) for stage in self._stages
        }

    def match(self, obj: Json, rng: random.Random) -> Stage | None:
        """The stage that comes next, drawn by weight where several match."""
        stages, weights = self._weighed(obj)
        if len(stages) <= 1:
            return stages[0] if stages else None
        if not any(weights):
            return stages[rng.randrange(len(stages))]
        left = rng.randrange(sum(weights))
        for stage, weight in zip(stages, weights, strict=True):
            left -= weight
            if left < 0:
                return stage
        return stages[-1]

    def possible(self, obj: Json) -> list[Stage]:
        """All stages that could come next."""
        return self._weighed(obj)[0]

    def _weighed(self, obj: Json) -> tuple[list[Stage], list[int]]:
        """Stages that may be drawn, and their weights: all zero if each is as likely."""
        stages = [stage for stage in self._stages if self._matches(stage, obj)]
        if len(stages) <= 1:
            return stages, [0] * len(stages)
        found = [self.weight(stage, obj) for stage in stages]
        known = [weight for weight in found if weight is not None]
        total = sum(known)
        if not known or (total == 0 and len(known) == len(stages)):
            return stages, [0] * len(stages)
        chosen = [
            (stage, weight if total else 0)
            for stage, weight in zip(stages, found, strict=True)
            if weight is not None and (weight > 0 if total else weight >= 0)
        ]
        return [stage for stage, _ in chosen], [weight for _, weight in chosen]

    def weight(self, stage: Stage, obj: Json) -> int | None:
        """The weight of a stage; None if the object's value is not a number."""
        try:
            return amounts.number(stage.spec.weight, stage.spec.weight_from, obj, self._typed)
        except LimitExceeded as problem:
            raise StageLimitError(stage, problem.problem) from problem

    def _matches(self, stage: Stage, obj: Json) -> bool:
        selector = stage.spec.selector
        assert selector is not None, "kept out by the constructor"
        metadata = obj.get("metadata") or {}
        for expected, field in (
            (selector.match_labels, "labels"),
            (selector.match_annotations, "annotations"),
        ):
            if expected:
                actual = metadata.get(field) or {}
                if any(actual.get(key) != value for key, value in expected.items()):
                    return False
        try:
            return all(self._holds(question, obj) for question in self._questions[stage.name])
        except LimitExceeded as problem:
            raise StageLimitError(stage, problem.problem) from problem

    def _holds(self, question: SelectorJq | str, obj: Json) -> bool:
        if isinstance(question, str):
            return cel_programs.as_bool(cel_programs.ask(question, obj, self._typed))
        return requirements.meets(question, obj)

    def delays_ns(self, stage: Stage, obj: Json, now_unix_ns: int) -> tuple[int, int] | None:
        """The shortest and the longest that an object waits for the stage; None if not at all."""
        delay = stage.spec.delay
        if delay is None:
            return None
        typed = self._typed
        stated_ns = (delay.duration_milliseconds or 0) * MILLISECOND_NS
        least_ns = amounts.duration_ns(stated_ns, delay.duration_from, obj, now_unix_ns, typed)
        if least_ns is None:
            return None
        source = delay.jitter_duration_from
        if source is not None and amounts.jq_of(source) is None:
            source = None
        milliseconds = delay.jitter_duration_milliseconds
        jitter_ns = None if milliseconds is None else milliseconds * MILLISECOND_NS
        most_ns = amounts.duration_ns(jitter_ns, source, obj, now_unix_ns, typed)
        if most_ns is None:
            return least_ns, least_ns
        return (most_ns, most_ns) if most_ns <= least_ns else (least_ns, most_ns)

    def delay_ns(self, stage: Stage, obj: Json, now_unix_ns: int, rng: random.Random) -> int:
        """How long an object waits for the stage; the past counts as now."""
        try:
            found = self.delays_ns(stage, obj, now_unix_ns)
        except LimitExceeded as problem:
            raise StageLimitError(stage, problem.problem) from problem
        if found is None:
            return 0
        least_ns, most_ns = found
        if most_ns > least_ns:
            least_ns += rng.randrange(most_ns - least_ns)
        return max(least_ns, 0)


def _questions(stage: Stage) -> list[SelectorJq | str]:
    """The requirements in jq, then those in CEL, in KWOK's order."""
    selector = stage.spec.selector
    expressions = (selector and selector.match_expressions) or []
    found = [(each, jq_requirement(each)) for each in expressions]
    in_jq: list[SelectorJq | str] = [question for _, question in found if question is not None]
    in_cel = [
        each.cel.expression for each, question in found if question is None and each.cel is not None
    ]
    return in_jq + in_cel
