"""Extenders at work in a cycle, asked over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import extender
from kubestage.scheduler.config.model import ExtenderManagedResource
from kubestage.scheduler.extender import ExtenderError
from kubestage.scheduler.status import unresolvable, unschedulable
from tests.scheduler.extenders import server as servers
from tests.scheduler.preemption import crowd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.scheduler.extenders.server import Server

FILTER, PRIORITIZE = "/scheduler/filter", "/scheduler/prioritize"
BIND, PREEMPT = "/scheduler/bind", "/scheduler/preempt"


@pytest.fixture
def server() -> Iterator[Server]:
    with servers.running() as found:
        yield found


def _crowd(*extenders: extender.Extender, nodes: str = "abc") -> crowd.Crowd:
    return crowd.Crowd(*(crowd.node(name) for name in nodes), crowd.pod("new"), extenders=extenders)


def test_an_extender_that_knows_the_nodes_is_sent_their_names(server: Server) -> None:
    server.answers[FILTER] = {"NodeNames": ["c", "a"], "FailedNodes": {"b": "too loud"}}
    asked = server.extender(filter_verb="filter", node_cache_capable=True)
    found = _crowd(asked).attempt("new")
    assert [found.columns.names[row] for row in found.feasible] == ["c", "a"]
    assert found.diagnosis.named == {"b": unschedulable("too loud")}
    assert found.diagnosis.unschedulable_plugins == {"Extender"}
    ((path, body),) = server.asked
    assert (path, body["Nodes"], sorted(body["NodeNames"])) == (FILTER, None, ["a", "b", "c"])
    assert body["Pod"]["metadata"]["name"] == "new"
    assert "kind" not in body["Pod"]
    assert server.content_types == ["application/json"]


def test_an_extender_that_does_not_is_sent_whole_nodes(server: Server) -> None:
    server.answers[FILTER] = {"Nodes": {"items": [{"metadata": {"name": "b"}}]}}
    found = _crowd(server.extender(filter_verb="filter")).attempt("new")
    assert found.node_name == "b"
    ((_, body),) = server.asked
    assert body["NodeNames"] is None
    assert [node["metadata"]["name"] for node in body["Nodes"]["items"]] == ["a", "b", "c"]
    assert body["Nodes"]["items"][0]["status"]["allocatable"]["cpu"] == "4"


def test_what_nothing_resolves_goes_before_what_something_may(server: Server) -> None:
    server.answers[FILTER] = {
        "NodeNames": [],
        "FailedNodes": {"a": "busy", "b": "busy"},
        "FailedAndUnresolvableNodes": {"b": "never", "c": "never"},
    }
    asked = server.extender(filter_verb="filter", node_cache_capable=True)
    found = _crowd(asked).attempt("new")
    assert found.diagnosis.named == {
        "a": unschedulable("busy"), "b": unresolvable("never"), "c": unresolvable("never"),
    }  # fmt: skip
    assert found.failure.startswith("0/3 nodes are available: 1 busy, 2 never.")


def test_the_next_extender_sees_what_the_first_has_left(server: Server) -> None:
    server.answers["/scheduler/one"] = {"NodeNames": ["b", "c"]}
    server.answers["/scheduler/two"] = {"nodenames": ["c"]}
    one = server.extender(filter_verb="one", node_cache_capable=True)
    two = server.extender(filter_verb="two", node_cache_capable=True)
    assert _crowd(one, two).attempt("new").node_name == "c"
    assert server.asked[1][1]["NodeNames"] == ["b", "c"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"Error": "out of order"}, "out of order"),
        (
            {"NodeNames": ["a", "z"]},
            'extender "{url}" claims a filtered node "z" which is not found in the input node list',
        ),
        (b"<html>", "invalid character '<' looking for beginning of value"),
        (b"", "EOF"),
        (["a"], "json: cannot unmarshal array into Go value of type ExtenderFilterResult"),
    ],
)
def test_a_filter_that_fails_fails_the_pod_unless_it_is_ignorable(
    server: Server, answer: Any, problem: str
) -> None:
    server.answers[FILTER] = answer
    config: dict[str, Any] = {"filter_verb": "filter", "node_cache_capable": True}
    failed = _crowd(server.extender(**config)).attempt("new")
    assert failed.is_error
    assert failed.node_name is None
    assert failed.failure == problem.format(url=server.url)
    found = _crowd(server.extender(**config, ignorable=True)).attempt("new")
    assert len(found.feasible) == 3
    assert found.diagnosis.named == {}


def test_scores_are_weighted_and_brought_to_the_scale_of_plugins(server: Server) -> None:
    server.answers[PRIORITIZE] = [
        {"Host": "b", "Score": 10}, {"Host": "z", "Score": 9}, {"Host": "c", "Score": 3},
        {"Host": "c", "Score": 1},
    ]  # fmt: skip
    asked = server.extender(prioritize_verb="prioritize", weight=7)
    found = _crowd(asked).attempt("new")
    assert found.node_name == "b"
    assert found.totals is not None
    names = [found.columns.names[row] for row in found.feasible]
    assert dict(zip(names, found.totals.tolist(), strict=True)) == {"a": 0, "b": 700, "c": 280}


def test_an_extender_that_cannot_score_is_not_missed(server: Server) -> None:
    server.status = 500
    found = _crowd(server.extender(prioritize_verb="prioritize", weight=7)).attempt("new")
    assert found.totals is not None
    assert found.totals.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("containers", "interested"),
    [
        ({"containers": [{"resources": {"requests": {"example.com/gpu": "1"}}}]}, True),
        ({"containers": [{"resources": {"limits": {"example.com/gpu": "1"}}}]}, True),
        ({"initContainers": [{"resources": {"limits": {"example.com/gpu": "0"}}}]}, True),
        ({"containers": [{"resources": {"requests": {"cpu": "1"}}}]}, False),
        ({"containers": [{}]}, False),
    ],
)
def test_only_pods_that_ask_for_its_resources_concern_an_extender(
    containers: dict[str, Any], interested: bool
) -> None:
    managed = (ExtenderManagedResource(name="example.com/gpu"),)
    pod = pod_views.of({"metadata": {"name": "p"}, "spec": containers})
    offline = servers.Server()
    assert offline.extender(managed_resources=managed).is_interested(pod) is interested
    assert offline.extender().is_interested(pod)


def test_a_pod_that_does_not_concern_it_is_not_sent(server: Server) -> None:
    managed = (ExtenderManagedResource(name="example.com/gpu"),)
    verbs = {"filter_verb": "filter", "prioritize_verb": "prioritize", "bind_verb": "bind"}
    asked = server.extender(managed_resources=managed, **verbs)
    crowded = _crowd(asked)
    assert crowded.attempt("new").node_name == "a"
    assert not extender.bind([asked], crowded.cluster.pod("default/new"), "a")
    assert server.asked == []


def test_an_extender_binds_in_the_place_of_plugins(server: Server) -> None:
    server.answers[BIND] = {"Error": ""}
    pod = _crowd().cluster.pod("default/new")
    binder = server.extender(bind_verb="bind")
    assert extender.bind([server.extender(filter_verb="filter"), binder], pod, "a")
    assert server.asked == [
        (
            BIND,
            {"PodName": "new", "PodNamespace": "default", "PodUID": "uid-new", "Node": "a"},
        )
    ]


def test_a_binding_that_fails_is_an_error_unless_it_is_ignorable(server: Server) -> None:
    server.answers[BIND] = {"Error": "no such node"}
    pod = _crowd().cluster.pod("default/new")
    ignorable = server.extender(bind_verb="bind", ignorable=True)
    assert not extender.bind([ignorable], pod, "a")
    with pytest.raises(ExtenderError, match=r"^no such node$"):
        extender.bind([ignorable, server.extender(bind_verb="bind")], pod, "a")
