from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.kwok.cel_programs import EvaluationError
from kubestage.controllers.kwok.lifecycle import Lifecycle
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS
from tests.controllers.kwok import stages

if TYPE_CHECKING:
    from kubestage.aliases import Json

NOW_NS = timestamps.parse_time("2026-01-01T00:00:00Z")


def _pod(annotations: dict[str, str] | None = None, **more: Any) -> Json:
    return {"metadata": {"annotations": annotations or {}, "labels": {"app": "a"}}, **more}


def _delays(delay: Json, obj: Json) -> tuple[int, int] | None:
    stage = stages.stage({"delay": delay})
    return Lifecycle([stage]).delays_ns(stage, obj, NOW_NS)


def _from(key: str) -> Json:
    return {"expressionFrom": f'.metadata.annotations["{key}"]'}


@pytest.mark.parametrize(
    ("least", "annotation", "expected"),
    [
        (None, None, (0, 0)),
        (1000, None, (SECOND_NS, SECOND_NS)),
        (1000, "1m", (60 * SECOND_NS, 60 * SECOND_NS)),
        (None, "2026-01-01T00:00:05.5Z", (5_500_000_000, 5_500_000_000)),
        (None, "2025-12-31T23:59:59Z", (-SECOND_NS, -SECOND_NS)),
        (7, "soon", (7_000_000, 7_000_000)),
        (7, "", None),
    ],
)
def test_a_delay_may_come_from_the_object(
    least: int | None, annotation: str | None, expected: tuple[int, int] | None
) -> None:
    annotations = {} if annotation is None else {"d": annotation}
    delay = {"durationMilliseconds": least, "durationFrom": _from("d")}
    assert _delays(delay, _pod(annotations)) == expected


@pytest.mark.parametrize(
    ("least", "most", "annotation", "expected"),
    [
        (1000, 5000, None, (SECOND_NS, 5 * SECOND_NS)),
        (5000, 1000, None, (SECOND_NS, SECOND_NS)),
        (5000, None, None, (5 * SECOND_NS, 5 * SECOND_NS)),
        (1000, None, "3s", (SECOND_NS, 3 * SECOND_NS)),
        (1000, 9000, "", (SECOND_NS, SECOND_NS)),
        (1000, None, "2025-12-31T23:59:59Z", (-SECOND_NS, -SECOND_NS)),
    ],
)
def test_jitter_gives_the_other_end_or_the_whole(
    least: int, most: int | None, annotation: str | None, expected: tuple[int, int]
) -> None:
    annotations = {} if annotation is None else {"j": annotation}
    delay = {
        "durationMilliseconds": least,
        "jitterDurationMilliseconds": most,
        "jitterDurationFrom": _from("j"),
    }
    assert _delays(delay, _pod(annotations)) == expected


def test_a_stage_without_delay_comes_at_once() -> None:
    stage = stages.stage({})
    cycle = Lifecycle([stage])
    assert cycle.delays_ns(stage, _pod(), NOW_NS) is None
    assert cycle.delay_ns(stage, _pod(), NOW_NS, random.Random(1)) == 0


@given(st.integers(0, 2**32))
def test_a_drawn_delay_lies_between_its_ends(seed: int) -> None:
    stage = stages.stage(
        {"delay": {"durationMilliseconds": 1000, "jitterDurationMilliseconds": 1001}}
    )
    drawn = Lifecycle([stage]).delay_ns(stage, _pod(), NOW_NS, random.Random(seed))
    assert SECOND_NS <= drawn < SECOND_NS + 1_000_000


def _weighted(*weights: int | str | None) -> Lifecycle:
    found = []
    for index, weight in enumerate(weights):
        spec: Json = {}
        if isinstance(weight, int):
            spec["weight"] = weight
        elif weight is not None:
            spec["weightFrom"] = _from(weight)
        found.append(stages.stage(spec, f"s{index}"))
    return Lifecycle(found)


@pytest.mark.parametrize(
    ("weights", "possible"),
    [
        ((0,), ["s0"]),
        ((0, 0), ["s0", "s1"]),
        ((0, 3, 1), ["s1", "s2"]),
        (("ten", 0), ["s0"]),
        (("bad", "bad"), ["s0", "s1"]),
        (("bad", 0), ["s1"]),
        (("bad", 5), ["s1"]),
        (("none", 5), ["s1"]),
        (("hex", "none"), ["s0"]),
    ],
)
def test_weights_decide_which_stages_are_possible(
    weights: tuple[int | str, ...], possible: list[str]
) -> None:
    obj = _pod({"ten": "10", "bad": "many", "hex": "0x10"})
    cycle = _weighted(*weights)
    assert [stage.name for stage in cycle.possible(obj)] == possible
    rng = random.Random(1)
    drawn = {stage.name for _ in range(200) if (stage := cycle.match(obj, rng))}
    assert drawn == set(possible)


def test_a_heavier_stage_is_drawn_more_often() -> None:
    cycle, rng = _weighted(1, 3), random.Random(1)
    drawn = Counter(stage.name for _ in range(4000) if (stage := cycle.match(_pod(), rng)))
    assert 0.7 < drawn["s1"] / 4000 < 0.8


def test_the_same_seed_draws_the_same_stages() -> None:
    def names(seed: int) -> list[str]:
        cycle, rng = _weighted(1, 1, 1), random.Random(seed)
        return [stage.name for _ in range(30) if (stage := cycle.match(_pod(), rng))]

    assert names(5) == names(5)
    assert names(5) != names(6)


def test_the_order_of_stages_does_not_matter() -> None:
    one = Lifecycle([stages.stage({}, "b"), stages.stage({}, "a")])
    other = Lifecycle([stages.stage({}, "a"), stages.stage({}, "b")])
    drawn = [cycle.match(_pod(), random.Random(3)) for cycle in (one, other)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, True),
        ({"matchLabels": {"app": "a"}}, True),
        ({"matchLabels": {"app": "b"}}, False),
        ({"matchAnnotations": {"x": "1"}}, True),
        ({"matchAnnotations": {"y": "1"}}, False),
        ({"matchExpressions": [{"cel": {"expression": "self.spec.size > 2"}}]}, True),
        ({"matchExpressions": [{"cel": {"expression": "has(self.spec.none)"}}]}, False),
        (
            {
                "matchLabels": {"app": "a"},
                "matchExpressions": [{"key": ".spec.none", "operator": "Exists"}],
            },
            False,
        ),
    ],
)
def test_a_selector_asks_for_all_that_it_names(selector: Json, expected: bool) -> None:
    cycle = Lifecycle([stages.stage({"selector": selector})])
    obj = _pod({"x": "1"}, spec={"size": 3})
    assert bool(cycle.possible(obj)) is expected


def test_a_stage_without_selector_is_for_nobody() -> None:
    assert Lifecycle([stages.stage({"selector": None})]).possible(_pod()) == []


def test_an_expression_in_cel_may_fail_on_an_object() -> None:
    selector = {"matchExpressions": [{"cel": {"expression": "self.spec.none == 1"}}]}
    with pytest.raises(EvaluationError):
        Lifecycle([stages.stage({"selector": selector})]).possible(_pod(spec={}))


def test_delays_and_weights_may_come_from_cel() -> None:
    spec = {
        "weightFrom": {"cel": {"expression": "self.spec.size * 2"}},
        "delay": {"durationFrom": {"cel": {"expression": "duration(self.spec.wait)"}}},
    }
    stage = stages.stage(spec)
    cycle, obj = Lifecycle([stage]), _pod(spec={"size": 4, "wait": "1m30s"})
    assert cycle.weight(stage, obj) == 8
    assert cycle.delays_ns(stage, obj, NOW_NS) == (90 * SECOND_NS, 90 * SECOND_NS)
