from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.replay import events
from kubestage.replay.naming import Naming
from tests.replay import scenarios

if TYPE_CHECKING:
    from kubestage.aliases import Json


def event(
    message: str, count: int = 1, reason: str = "Said", source: str = "x", **more: Any
) -> Json:
    told = {"type": "Normal", "reason": reason, "message": message, "source": source}
    return {**told, "count": count, **more}


def paths(wanted: list[Json], given: dict[str, list[Json]]) -> list[str]:
    return [path for path, _, _ in events.compare(wanted, given)]


def test_equal_ones_in_a_row_are_added_up() -> None:
    occurrences = [
        (("Job/j", "Normal", "Said", text, "x"), count)
        for text, count in (("a", 1), ("a", 2), ("b", 1), ("a", 1))
    ]
    told = events.recorded_form(occurrences, Naming("lab"))
    assert told == {"Job/j": [event("a", 3), event("b"), event("a")]}


def test_order_count_and_words_of_each_object_count() -> None:
    wanted = [event("a", object="Job/j"), event("b", object="Job/j"), event("c", object="Pod/p")]
    same = {"Job/j": [event("a"), event("b")], "Pod/p": [event("c")]}
    assert paths(wanted, same) == []
    assert paths(wanted, {**same, "Job/j": [event("b"), event("a")]}) == [
        "Job/j/0/message",
        "Job/j/1/message",
    ]
    assert paths(wanted, {**same, "Pod/p": [event("c", 2)]}) == ["Pod/p/0/count"]
    assert paths(wanted, {**same, "Pod/q": [event("d")]}) == ["Pod/q"]
    assert paths(wanted, {"Job/j": same["Job/j"]}) == ["Pod/p"]


def test_where_order_varies_any_order_will_do_and_nothing_else() -> None:
    wanted = [{"object": "Job/j", "<varies> order": [event("a"), event("b"), event("a")]}]
    assert paths(wanted, {"Job/j": [event("a", 2), event("b")]}) == []
    assert paths(wanted, {"Job/j": [event("a", 1), event("b")]}) != []


def test_where_lists_vary_one_of_them_will_do() -> None:
    wanted = [{"object": "Job/j", "<varies>": [[event("a")], []]}]
    assert paths(wanted, {}) == []
    assert paths(wanted, {"Job/j": [event("a")]}) == []
    assert paths(wanted, {"Job/j": [event("b")]}) == ["Job/j"]


def test_pods_made_in_one_go_come_in_any_order() -> None:
    def made(*names: str, source: str = "job-controller") -> list[Json]:
        return [event(name, reason="SuccessfulCreate", source=source) for name in names]

    def recorded(listed: list[Json]) -> list[Json]:
        return [{**each, "object": "Job/j"} for each in listed]

    assert paths(recorded(made("a", "b")), {"Job/j": made("b", "a")}) == []
    apart = [*made("a"), event("x"), *made("b")]
    assert paths(recorded(apart), {"Job/j": [*made("b"), event("x"), *made("a")]}) != []
    ordered = made("a", "b", source="statefulset-controller")
    assert paths(recorded(ordered), {"Job/j": list(reversed(ordered))}) != []


def test_a_retry_more_or_less_is_chance_but_not_two() -> None:
    wanted = [event("no", 5, reason="FailedCreate", object="ReplicaSet/r")]
    for count, found in ((4, []), (6, []), (7, ["ReplicaSet/r/0/count"])):
        given = {"ReplicaSet/r": [event("no", count, reason="FailedCreate")]}
        assert paths(wanted, given) == found


def test_conflicts_of_the_recording_need_not_happen() -> None:
    conflict = event(f"could not: {events._CONFLICT}", reason="FailedUpdate")
    wanted = [
        {
            "object": "StatefulSet/db",
            "<varies>": [
                [event("a"), conflict, event("c")],
                [event("a"), event("b"), conflict],
            ],
        }
    ]
    assert paths(wanted, {"StatefulSet/db": [event("a"), event("b"), event("c")]}) == []
    assert paths(wanted, {"StatefulSet/db": [event("b"), event("c")]}) == ["StatefulSet/db"]
    assert paths(wanted, {"StatefulSet/db": [event("a"), event("d")]}) == ["StatefulSet/db"]


def test_a_budget_made_together_with_its_pods_may_see_none_at_first() -> None:
    budget = {"kind": "PodDisruptionBudget", "metadata": {"name": "b"}}
    wanted = [event("none", 2, reason="NoPods", object="PodDisruptionBudget/b")]
    together = scenarios.step(
        scenarios.create(scenarios.pod("a")), scenarios.create(budget), events=wanted
    )
    alone = scenarios.step(scenarios.create(budget), events=wanted)
    assert list(events.compare(*events.without_random(together, {}))) == []
    assert list(events.compare(*events.without_random(alone, {}))) != []
