"""Stories that share what is the same are, in every letter, those that tell of each node apart."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.scheduler import explanation
from kubestage.scheduler.framework import SUCCESS, unschedulable
from kubestage.testing import make_node, make_pod
from tests.reference import explanation as twin
from tests.scheduler import rehearsals
from tests.scheduler.rehearsals import Rehearsal

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.framework import Columns, CycleState, Ints, NodeInfo, Status
    from kubestage.scheduler.handle import Handle


NAMES = tuple(f"n{number}" for number in (11, 2, 10, 3, 1, 20, 7, 5, 12, 30))


class Moody:
    """Scores and verdicts that tell nodes apart in unusual ways."""

    name = "Moody"

    def __init__(self, args: Json, handle: Handle) -> None:
        del args, handle

    def filter_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> Status:
        if node.name.endswith("0"):
            return unschedulable(f"{node.name} is round", "and so are others")
        return SUCCESS

    def score_node(self, state: CycleState, pod: PodView, node: NodeInfo) -> int:
        return 2 * len(node.name) if "wide" in pod.name else len(node.pods)

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints:
        return scores % 2


def attempts(seed: int) -> list[Attempt]:
    """Attempts at pods of several sorts in a cluster that fills up."""
    chance = random.Random(seed)
    nodes = [
        make_node(name, cpu=chance.choice("248"), labels={"zone": chance.choice("ab")})
        for name in NAMES
    ]
    configuration = rehearsals.configuration(rehearsals.profile(enabled=["Moody"]))
    run = Rehearsal(*nodes, configuration=configuration, by_itself=False, plugins={"Moody": Moody})
    found = []
    for number in range(12):
        sort = chance.choice(("plain", "wide", "choosy")) if number else "choosy"
        pod = make_pod(f"{sort}-{number}", cpu=chance.choice(("500m", "1", "3", "7")))
        if sort == "choosy":
            pod["spec"]["nodeSelector"] = {"zone": chance.choice("ab") if number else "c"}
        run.store.create(pod)
        attempt = run.scheduler.schedule_one()
        assert attempt is not None
        found.append(attempt)
    return found


@pytest.mark.parametrize("seed", range(10))
def test_nodes_are_told_of_as_by_the_twin(seed: int) -> None:
    tried = attempts(seed)
    for attempt in tried:
        told = explanation.explain(attempt) | explanation.unseen(attempt)
        names = attempt.columns.names
        assert told["feasible"] == sorted(names[row] for row in attempt.feasible.tolist())
        assert _text(told.get("filter")) == _text(twin.filters(attempt))
        if attempt.totals is not None:
            assert _text(told["score"]) == _text(twin.scores(attempt))
            best = max(told["totals"].values())
            assert told["topNodes"] == sorted(
                name for name, total in told["totals"].items() if total == best
            )
        assert _text(explanation.schedule_result(told)) == _text(twin.schedule_result(told))
        read = explanation.schedule_result_of(_text(told))
        assert _text(read) == _text(twin.schedule_result(told))
    assert any(attempt.selected is None for attempt in tried)
    assert any(attempt.totals is not None for attempt in tried)


def test_what_is_the_same_for_many_nodes_is_one_object() -> None:
    run = Rehearsal(*(make_node(f"n{number:03d}", cpu="4") for number in range(50)))
    run.scheduler.stop()
    run.add_pod("p", cpu="1")
    attempt = run.scheduler.schedule_one()
    assert attempt is not None
    told = explanation.explain(attempt)
    for part in ("filter", "score"):
        assert len(told[part]) == 50
        assert len({id(each) for each in told[part].values()}) == 1
    words = explanation.schedule_result(told)["pluginResults"]
    assert len({id(each) for each in words["score"].values()}) == 1


def test_the_nodes_before_filter_are_all_nodes_and_a_note_says_which_were_evaluated() -> None:
    run = Rehearsal(*(make_node(f"n{number:03d}", cpu="4") for number in range(300)))
    run.scheduler.stop()
    found = []
    for name in ("p", "q"):
        run.add_pod(name, cpu="1")
        attempt = run.scheduler.schedule_one()
        assert attempt is not None
        found.append(explanation.explain(attempt) | explanation.unseen(attempt))
    for told in found:
        result = explanation.schedule_result(told)
        assert result["allCandidateNodes"] == [f"n{number:03d}" for number in range(300)]
        assert result["evaluatedNodeNames"] == sorted(told["filter"])
        assert 0 < len(result["evaluatedNodeNames"]) < 300
        assert _text(explanation.schedule_result_of(_text(told))) == _text(result)
    assert found[0]["candidates"] is found[1]["candidates"]


def test_a_pod_that_no_node_is_looked_at_for_has_all_nodes_as_candidates() -> None:
    run = Rehearsal(make_node("n1"), make_node("n2"))
    run.scheduler.stop()
    pod = make_pod("lost")
    pod["spec"]["affinity"] = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {"matchFields": [
                        {"key": "metadata.name", "operator": "In", "values": ["gone"]}
                    ]}
                ]
            }
        }
    }  # fmt: skip
    run.store.create(pod)
    attempt = run.scheduler.schedule_one()
    assert attempt is not None
    result = explanation.schedule_result(explanation.explain(attempt) | explanation.unseen(attempt))
    assert result["allCandidateNodes"] == ["n1", "n2"]
    assert result["evaluatedNodeNames"] == result["allFilteredNodes"] == []


def _text(value: Any) -> bytes:
    return msgspec.json.encode(value)
