"""What extenders may say about victims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scheduler.status import error, unschedulable
from tests.scheduler.extenders import server as servers
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.scheduler.extender import Extender
    from tests.scheduler.extenders.server import Server

PREEMPT = "/scheduler/preempt"
NOT_THERE = (
    "extender: {url} claims to preempt pod (UID: &{{uid-small}}) on node: a, "
    "but the pod is not found on that node"
)


@pytest.fixture
def server() -> Iterator[Server]:
    with servers.running() as found:
        yield found


def _crowd(*extenders: Extender) -> crowd.Crowd:
    """Without extenders, "cheap" on a would have to go."""
    return crowd.Crowd(
        crowd.node("a"),
        crowd.node("b"),
        crowd.pod("cheap", "a", 4),
        crowd.pod("dear", "b", 3, priority=5, start=1),
        crowd.pod("small", "b", 1, priority=1, start=1),
        crowd.pod("new", cpu=4, priority=10),
        extenders=extenders,
    )


def _meta(violations: int, *names: str) -> Json:
    return {"Pods": [{"UID": f"uid-{name}"} for name in names], "NumPDBViolations": violations}


def test_an_extender_leaves_the_nodes_and_victims_that_it_wants(server: Server) -> None:
    server.answers[PREEMPT] = {"NodeNameToMetaVictims": {"b": _meta(3, "small")}}
    told = _crowd(server.extender(preempt_verb="preempt")).preempt("new")
    assert (told["nominatedNode"], told["victims"]) == ("b", ["default/small"])
    ((_, body),) = server.asked
    assert body["Pod"]["metadata"]["name"] == "new"
    assert body["NodeNameToMetaVictims"] is None
    victims = body["NodeNameToVictims"]["b"]
    assert [each["metadata"]["name"] for each in victims["Pods"]] == ["dear", "small"]
    assert victims["NumPDBViolations"] == 0


def test_an_extender_that_knows_the_pods_is_sent_their_uids(server: Server) -> None:
    server.answers[PREEMPT] = {"NodeNameToMetaVictims": {"a": _meta(0, "cheap")}}
    asked = server.extender(preempt_verb="preempt", node_cache_capable=True)
    assert _crowd(asked).preempt("new")["nominatedNode"] == "a"
    ((_, body),) = server.asked
    assert body["NodeNameToVictims"] is None
    assert body["NodeNameToMetaVictims"] == {"a": _meta(0, "cheap"), "b": _meta(0, "dear", "small")}


def test_the_next_extender_sees_what_is_left_and_none_left_is_the_end(server: Server) -> None:
    server.answers[PREEMPT] = {"NodeNameToMetaVictims": {"b": _meta(0, "small")}}
    server.answers["/scheduler/none"] = {"NodeNameToMetaVictims": None}
    config = {"node_cache_capable": True}
    found = _crowd(
        server.extender(preempt_verb="preempt", **config),
        server.extender(preempt_verb="none", **config),
        server.extender(preempt_verb="preempt", **config),
    ).attempt("new")
    assert found.post_filter == (
        None,
        unschedulable("preemption: no candidate node for preemption").by("DefaultPreemption"),
    )
    assert [path for path, _ in server.asked] == [PREEMPT, "/scheduler/none"]
    assert server.asked[1][1]["NodeNameToMetaVictims"] == {"b": _meta(0, "small")}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"a": _meta(0)}, 'expected at least one victim pod on node "a"'),
        ({"z": _meta(0, "cheap")}, 'nodeinfo not found for node name "z"'),
        (
            {"a": _meta(0, "small")},
            NOT_THERE,
        ),
        (["a"], "json: cannot unmarshal array into Go value of type map"),
    ],
)
def test_nonsense_is_an_error_unless_the_extender_is_ignorable(
    server: Server, answer: Any, problem: str
) -> None:
    server.answers[PREEMPT] = {"NodeNameToMetaVictims": answer}
    found = _crowd(server.extender(preempt_verb="preempt")).attempt("new")
    message = f"preemption: {problem.format(url=server.url)}"
    assert found.post_filter == (None, error(message).by("DefaultPreemption"))


def test_an_ignorable_extender_that_fails_is_passed_over(server: Server) -> None:
    server.status = 503
    asked = server.extender(preempt_verb="preempt", ignorable=True)
    assert _crowd(asked).preempt("new")["nominatedNode"] == "a"


def test_a_node_for_which_an_ignorable_extender_names_no_victims_is_out(server: Server) -> None:
    server.answers[PREEMPT] = {"NodeNameToMetaVictims": {"a": None, "b": _meta(0, "dear")}}
    asked = server.extender(preempt_verb="preempt", ignorable=True)
    assert _crowd(asked).preempt("new")["nominatedNode"] == "b"


def test_extenders_without_the_verb_are_not_asked(server: Server) -> None:
    assert _crowd(server.extender(bind_verb="bind")).preempt("new")["nominatedNode"] == "a"
    assert server.asked == []
