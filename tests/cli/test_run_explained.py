"""Why a pod went where it went, for few nodes and for many."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_node, make_pod, make_priority_class
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_the_lead_the_rejections_and_the_scores_are_told(terminal: Terminal) -> None:
    clusters.write(
        "cluster.json",
        make_node("big", cpu="8"),
        make_node("small", cpu="2"),
        make_node("tainted", cpu="8", taints=["dedicated=db:NoSchedule"]),
        make_node("closed", unschedulable=True),
        make_pod("web", cpu="1", memory="1Gi"),
    )
    result = terminal.run("run", ".", "--explain", "web")
    assert (result.code, result.err) == (0, "")
    assert result.out == textwrap.dedent(
        """\
        default/web: Scheduled on big (profile default-scheduler, priority 0, 1 attempt)

        Attempt 1: big is chosen

        It leads small by 28 points: NodeResourcesFit +19, NodeResourcesBalancedAllocation +9.

        4 of 4 nodes looked at, 2 feasible.

        REJECTED   BY                  REASON                             NODES
        1          NodeUnschedulable   node(s) were unschedulable         closed
        1          TaintToleration     node(s) had untolerated taint(s)   tainted

        Scores of the 2 feasible nodes: raw / normalized / weighted

        NODE    TOTAL   NodeResourcesFit   NodeResourcesBalancedAllocation
        big     463     90/90/90           73/73/73
        small   435     71/71/71           64/64/64

        The same on all of them: TaintToleration x3 0/100/300, DynamicResources x2 0/0/0, \
ImageLocality 0/0/0
        """
    )


def test_of_many_nodes_the_best_are_shown_and_the_others_counted(terminal: Terminal) -> None:
    nodes = [make_node(f"n{number:03}") for number in range(200)]
    full = [make_node(f"full{number:03}", cpu="100m") for number in range(50)]
    clusters.write("cluster.json", *nodes, *full, make_pod("web", cpu="1"))
    out = terminal.run("run", ".", "--explain", "default/web").out
    assert "looked at (enough were found), 1" in out
    assert "nodes share the best total; --tie-break says which is taken." in out
    assert "Scores of the best 10 of 1" in out
    assert len(out.splitlines()) < 30


def test_a_pod_that_fits_nowhere_shows_why(terminal: Terminal) -> None:
    clusters.write("cluster.json", *[make_node(f"n{i}") for i in range(5)], make_pod("w", cpu="9"))
    out = terminal.run("run", ".", "--explain", "w").out
    headline = "default/w: Pending (profile default-scheduler, priority 0, 2 attempts)\n"
    assert out.startswith(headline)
    assert "Attempt 1: unschedulable\n  0/5 nodes are available: 5 Insufficient cpu. " in out
    assert "5          NodeResourcesFit   Insufficient cpu   n0, n1, n2 and 2 more\n" in out
    assert "Preemption: it would not help.\n" in out


def test_a_preemption_shows_what_was_considered(terminal: Terminal) -> None:
    clusters.write(
        "cluster.json",
        make_priority_class("high", 1000),
        make_node("a", cpu="4"),
        make_node("b", cpu="4"),
        make_pod("a-1", cpu="2", node_name="a"),
        make_pod("a-2", cpu="2", node_name="a"),
        make_pod("b-1", cpu="3", node_name="b"),
        make_pod("vip", cpu="3", priority_class_name="high"),
    )
    out = terminal.run("run", ".", "--explain", "vip").out
    assert out.split("\n\n")[4:] == [
        "Preemption: room is made on b by evicting default/b-1.",
        (
            "CANDIDATE   VICTIMS                    BUDGETS VIOLATED\n"
            "b           default/b-1                0\n"
            "a           default/a-1, default/a-2   0"
        ),
        "Attempt 2: b is chosen",
        "An earlier attempt made room on b; it is tried first, and fits.",
        "Nothing is scored, as there is no choice.\n",
    ]


def test_restrictions_by_a_plugin_are_named(terminal: Terminal) -> None:
    pod = make_pod("agent")
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}]
    pod["spec"]["affinity"] = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
        }
    }
    clusters.write("cluster.json", make_node("a"), make_node("b"), pod)
    out = terminal.run("run", ".", "--explain", "agent").out
    assert "NodeAffinity leaves only b.\n1 of 2 nodes looked at, 1 feasible.\n" in out


def test_a_pod_that_was_never_tried_says_why(terminal: Terminal) -> None:
    gated = make_pod("gated")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
    clusters.write("cluster.json", make_node("a"), gated)
    assert terminal.run("run", ".", "--explain", "gated").out == (
        "default/gated: Gated (profile default-scheduler, priority 0, 0 attempts)\n"
        "  waiting for scheduling gates: [example.com/quota]\n"
        "\n"
        "What would make it fit, each proved by scheduling on a copy of the cluster:\n"
        "  1. remove its scheduling gate example.com/quota (then it is on a)\n"
    )


def test_machines_get_the_explanation_as_it_is_recorded(terminal: Terminal) -> None:
    clusters.write("cluster.json", make_node("a"), make_pod("web"), make_pod("api"))
    told = json.loads(terminal.run("run", ".", "--explain", "api", "-o", "json").out)
    (explanation,) = told["explanations"]
    assert (explanation["pod"], explanation["number"]) == ("default/api", 2)
    assert explanation["filter"]["a"]["NodeName"] == "passed"


def test_many_columns_are_shown_in_blocks(terminal: Terminal) -> None:
    nodes = [make_node("a", labels={"disk": "ssd"}), make_node("b", cpu="2")]
    preferred = {"weight": 1, "preference": {"matchExpressions": [
        {"key": "disk", "operator": "In", "values": ["ssd"]}]}}  # fmt: skip
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}}
    clusters.write("cluster.json", *nodes, make_pod("web", cpu="1", affinity=affinity))
    out = terminal.run("run", ".", "--explain", "web").out
    table = out.partition("weighted\n\n")[2]
    assert [block.split()[0] for block in table.split("\n\n")[:2]] == ["NODE", "NODE"]
    assert max(map(len, table.split("\n\n")[0].splitlines())) <= 80
