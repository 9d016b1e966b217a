"""What is told of each attempt at a pod, at each level of detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.scenario.settings import Detail, Settings
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import create, done, scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.scheduler.measuring import MeasuredValue
    from kubestage.scheduler.record import Decision


FULL = {"allCandidateNodes", "allFilteredNodes", "pluginResults"}
SAMPLED = "evaluatedNodeNames"
EVENTS = [
    building.importance(),
    create(make_node("small", cpu="1")),
    create(make_node("large", cpu="4", taints=["dedicated=db:PreferNoSchedule"])),
    create(make_node("closed", unschedulable=True)),
    create(make_pod("low", cpu="3")),
    create(make_pod("giant", cpu="9")),
    create(building.important("boss", cpu="3"), 1),
    done(2),
]


def _rows(stage: Stage) -> dict[int, Json]:
    """The attempts by their number."""
    return {
        row["attempt"]: row
        for event in building.happenings(stage)
        for row in (building.pod_result(event) or {"scheduleResult": []})["scheduleResult"]
    }


def _run(detail: Detail) -> Stage:
    return building.run(*EVENTS, settings=Settings(detail=detail), seed=4)


def test_attempts_are_numbered_over_the_whole_run() -> None:
    rows = _rows(_run(Detail.DECISIONS))
    assert sorted(rows) == list(range(1, len(rows) + 1))


def test_all_attempts_at_a_pod_so_far_are_told_oldest_first() -> None:
    """ScheduleResult has the results of all scheduling for the Pod."""
    stage = _run(Detail.DECISIONS)
    told = [
        [row["step"] for row in event["podUnscheduled"]["scheduleResult"]]
        for event in building.happenings(stage)
        if building.subject(event) == "giant" and "podUnscheduled" in event
    ]
    assert told == [[0, 0], [0, 0, 1, 1], [0, 0, 1, 1, 2, 2]]
    for rows in (
        result["scheduleResult"] for result in building.results(stage, "PodUnscheduled").values()
    ):
        numbers = [row["attempt"] for row in rows]
        assert numbers == sorted(numbers)


def test_an_attempt_tells_its_step_its_profile_and_what_came_of_it() -> None:
    """Step indicates the step scheduling at which the scheduling is performed."""
    stage = _run(Detail.DECISIONS)
    (low,) = building.results(stage, "PodScheduled")["low"]["scheduleResult"]
    assert low == {
        "step": 0,
        "attempt": 1,
        "result": "scheduled",
        "profile": "default-scheduler",
        "node": "large",
        "evaluatedNodes": 3,
        "feasibleNodes": 1,
    }
    giant = building.results(stage, "PodUnscheduled")["giant"]["scheduleResult"][0]
    assert (giant["result"], giant["feasibleNodes"], giant["evaluatedNodes"]) == (
        "unschedulable",
        0,
        3,
    )
    assert giant["message"].startswith("0/3 nodes are available: ")
    assert "node" not in giant


def test_a_preemption_tells_its_node_and_its_victims() -> None:
    boss = building.results(_run(Detail.DECISIONS), "PodScheduled")["boss"]["scheduleResult"]
    assert [row["result"] for row in boss] == ["unschedulable", "scheduled"]
    assert boss[0]["preemption"] == {"nominatedNode": "large", "victims": ["default/low"]}
    assert "preemption" not in boss[1]


def test_a_summary_tells_no_attempts() -> None:
    stage = _run(Detail.SUMMARY)
    assert not _rows(stage)
    assert building.summary(stage) == building.summary(_run(Detail.FULL))


def test_decisions_tell_no_verdicts_of_plugins() -> None:
    for row in _rows(_run(Detail.DECISIONS)).values():
        assert not FULL & set(row)


def test_in_full_an_attempt_tells_the_same_and_more() -> None:
    few, many = _rows(_run(Detail.DECISIONS)), _rows(_run(Detail.FULL))
    assert set(few) == set(many)
    for number, row in many.items():
        assert set(row) >= FULL
        rest = {key: value for key, value in row.items() if key not in {*FULL, SAMPLED}}
        assert rest == few[number]


def test_nodes_before_and_after_the_filters_are_told() -> None:
    """AllCandidateNodes before Filter, AllFilteredNodes after Filter."""
    (row,) = building.results(_run(Detail.FULL), "PodScheduled")["low"]["scheduleResult"]
    assert row["allCandidateNodes"] == ["closed", "large", "small"]
    assert row["allFilteredNodes"] == ["large"]


def test_each_filter_plugins_result_is_told_for_each_node() -> None:
    """Filter has each filter plugin's result."""
    (row,) = building.results(_run(Detail.FULL), "PodScheduled")["low"]["scheduleResult"]
    told = row["pluginResults"]["filter"]
    assert set(told) == {"closed", "large", "small"}
    assert set(told["large"].values()) == {"passed"}
    assert told["small"]["NodeResourcesFit"] == "Insufficient cpu"
    assert told["closed"]["NodeUnschedulable"] == "node(s) were unschedulable"


def test_each_score_plugins_score_is_told_for_each_node() -> None:
    """RawScore, NormalizedScore, and FinalScore with the plugin's weight applied."""
    rows = building.results(
        building.run(
            create(make_node("a", cpu="4")),
            create(make_node("b", cpu="8", taints=["x=y:PreferNoSchedule"])),
            create(make_pod("p", cpu="1")),
            settings=Settings(detail=Detail.FULL),
        ),
        "PodScheduled",
    )["p"]["scheduleResult"]
    score = rows[0]["pluginResults"]["score"]
    assert set(score) == {"a", "b"}
    taints = {node: score[node]["TaintToleration"] for node in score}
    # The weight of TaintToleration is 3; fewer intolerable taints are better.
    assert taints["a"] == {"rawScore": 0, "normalizedScore": 100, "finalScore": 300}
    assert taints["b"] == {"rawScore": 1, "normalizedScore": 0, "finalScore": 0}
    totals = {node: sum(s["finalScore"] for s in score[node].values()) for node in score}
    assert rows[0]["node"] == max(totals, key=lambda node: totals[node])


def _explained() -> Stage:
    """The same run by a scheduler that keeps its own explanations."""
    stage = Stage(seed=4)
    stage.add_scheduler(recording="full")
    stage.add_scenarios()
    stage.store.create(scenario(*EVENTS))
    stage.run_scenarios()
    return stage


def _reworded(told: Json) -> Iterator[tuple[str, str, str, Any]]:
    """An explanation as rows: what was asked, of which node, of which plugin, and the answer."""
    for node, verdicts in (told.get("filter") or {}).items():
        for plugin, verdict in verdicts.items():
            words = verdict if isinstance(verdict, str) else ", ".join(verdict["reasons"])
            yield "filter", node, plugin, words
    for node, scores in (told.get("score") or {}).items():
        for plugin, score in scores.items():
            yield "score", node, plugin, (score["raw"], score["normalized"], score["final"])


def test_full_results_are_what_the_scheduler_itself_explains() -> None:
    """PluginResults has each plugin's result: nothing is lost and nothing made up."""
    rows, scheduler = _rows(_run(Detail.FULL)), _explained().scheduler
    assert scheduler is not None
    assert set(scheduler.record.explanations) == set(rows)
    for number, told in scheduler.record.explanations.items():
        results = rows[number]["pluginResults"]
        flat = [
            ("filter", node, plugin, words)
            for node, verdicts in results["filter"].items()
            for plugin, words in verdicts.items()
        ] + [
            ("score", node, plugin, tuple(score.values()))
            for node, scores in results["score"].items()
            for plugin, score in scores.items()
        ]
        assert flat == list(_reworded(told))
        assert rows[number]["allFilteredNodes"] == told["feasible"]


class Keeper:
    """A sink that keeps what it is told."""

    def __init__(self, *, stores_details: bool) -> None:
        self.stores_details = stores_details
        self.attempts: list[tuple[int, Decision, str, Json | None]] = []
        self.events: list[tuple[int, Json]] = []
        self.steps: list[tuple[int, int]] = []
        self.measures: list[MeasuredValue] = []

    def attempt(self, step: int, decision: Decision, uid: str, told: Json | None) -> None:
        """An attempt."""
        self.attempts.append((step, decision, uid, told))

    def event(self, step: int, event: Json) -> None:
        """An event."""
        self.events.append((step, event))

    def measured(self, values: Sequence[MeasuredValue]) -> None:
        """Measures."""
        self.measures += values

    def step_finished(self, step: int, at_ns: int) -> None:
        """A step."""
        self.steps.append((step, at_ns))


def _kept(detail: Detail, *, stores_details: bool) -> tuple[Stage, Keeper]:
    keeper = Keeper(stores_details=stores_details)
    stage = Stage(seed=4)
    stage.add_scenarios(Settings(detail=detail), sink=keeper)
    stage.store.create(scenario(*EVENTS))
    stage.run_scenarios()
    return stage, keeper


@pytest.mark.parametrize("detail", list(Detail))
def test_a_sink_hears_of_every_event_and_every_attempt(detail: Detail) -> None:
    stage, keeper = _kept(detail, stores_details=False)
    assert [event for _, event in keeper.events] == building.happenings(stage)
    assert [step for step, _ in keeper.events] == [e["step"] for e in building.happenings(stage)]
    assert [decision.number for _, decision, _, _ in keeper.attempts] == list(range(1, 10))
    assert [step for step, _ in keeper.steps] == [0, 1, 2]
    assert all((told is not None) == (detail is Detail.FULL) for *_, told in keeper.attempts)
    assert building.status(stage) == building.status(_run(detail))


def test_a_sink_hears_of_every_step_that_time_was_in() -> None:
    """Steps without events go by at once; those in which nothing is due are not told of."""
    keeper = Keeper(stores_details=False)
    stage = Stage(seed=4)
    stage.add_scenarios(sink=keeper)
    events = [create(make_node("n1")), create(make_pod("p"), 1), done(4)]
    stage.store.create(scenario(*events, step_duration="10s"))
    stage.run_scenarios()
    told = [(step, at_ns // 1_000_000_000) for step, at_ns in keeper.steps]
    assert told == [(0, 10), (1, 20), (3, 40), (4, 50)]


def test_what_a_sink_keeps_in_full_the_status_goes_without() -> None:
    """So that memory does not grow with it."""
    stage, keeper = _kept(Detail.FULL, stores_details=True)
    assert building.status(stage) == building.status(_run(Detail.DECISIONS))
    assert all(told is not None and told["filter"] for *_, told in keeper.attempts)


def test_a_scheduler_keeps_no_full_stories_that_it_hands_on() -> None:
    stage, _ = _kept(Detail.FULL, stores_details=True)
    assert stage.scheduler is not None
    assert not stage.scheduler.record.explanations
