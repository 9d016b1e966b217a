from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.decisions.findings import Findings
from kubestage.controllers.karpenter.disruption import rounds, starting
from kubestage.controllers.karpenter.disruption.single_node import SingleNodeConsolidation
from kubestage.controllers.node_decisions import Verdict, Worth
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.disruption.clusters import bench, machine

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.controllers.karpenter.disruption.clusters import Bench


def _watched(*listed: Json) -> tuple[Bench, Findings]:
    cluster = bench(*listed)
    found = cluster.context.findings = Findings()
    return cluster, found


def _by_node(found: Findings) -> dict[str, Verdict]:
    return {each.node: each for each in found.all(0)}


def _shown(verdict: Verdict) -> dict[str, str]:
    return {each.method: each.shown for each in verdict.findings}


def test_a_node_that_is_kept_has_a_finding_of_each_method() -> None:
    cluster, found = _watched(*machine("a", "m.4", 4))
    assert cluster.round().commands == []
    verdict = _by_node(found)["a"]
    assert verdict.candidate
    assert verdict.worth == Worth(0.2, 5.0, 0.04)
    assert _shown(verdict) == {
        "empty": "not empty: 4 pods would have to move",
        "multi": "kept: it is the only node that could go, and it takes two",
        "single": "kept: Can't replace with a cheaper node",
    }
    assert (verdict.name, verdict.pool, verdict.by) == ("a", "default", "karpenter")


def test_a_pod_that_blocks_is_named() -> None:
    listed = machine("a", "m.4", 1)
    listed[2]["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    cluster, found = _watched(*listed)
    cluster.round()
    verdict = _by_node(found)["a"]
    assert not verdict.candidate
    assert verdict.worth is None
    assert _shown(verdict) == {
        "blocked": 'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/a-0)'
    }


def test_a_node_that_is_not_consolidatable_yet_is_too_early() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidateAfter"] = "30m"
    listed = machine("a", "m.4", 1)
    conditions = listed[0]["status"]["conditions"]
    listed[0]["status"]["conditions"] = [
        each for each in conditions if each["type"] != "Consolidatable"
    ]
    cluster, found = _watched(pool, *listed)
    cluster.round()
    text = "too early: its pods changed less than 30m ago (consolidateAfter)"
    assert _shown(_by_node(found)["a"])["single"] == text


def test_a_used_budget_is_the_reason() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["budgets"] = [{"nodes": "1"}]
    cluster, found = _watched(pool, *machine("a", "m.2"), *machine("b", "m.4"))
    cluster.round()
    shown = {name: each.deciding for name, each in _by_node(found).items()}
    assert shown["a"] is not None
    assert shown["a"].outcome == findings.BUDGET
    assert shown["b"] is not None
    assert shown["b"].shown == "delete: [b]"


def test_a_command_that_does_not_hold_is_rejected() -> None:
    cluster, found = _watched(*machine("a"), *machine("b", "m.16", 16))

    def arrive() -> None:
        cluster.context.cluster.update(objects.pod("new", "a", "4"))

    cluster.round(arrive)
    assert _shown(_by_node(found)["a"])["empty"].startswith("rejected: the command did not hold")


def test_balanced_says_by_which_score_a_node_stays() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidationPolicy"] = "Balanced"
    busy = machine("a", "m.2", 4, cpu="100m")
    for each in busy[2:]:
        each["metadata"]["annotations"] = {
            "controller.kubernetes.io/pod-deletion-cost": "2147483647"
        }
    cluster, found = _watched(pool, *busy, *machine("b", "m.16", 1), *machine("c", "m.16", 1))
    method = cluster.methods[4]
    assert isinstance(method, SingleNodeConsolidation)
    candidates, totals = rounds.eligible(cluster.context, method)
    method.take_totals(totals)
    only = [each for each in candidates if each.name == "a"]
    assert method.propose({"default": 9}, only) == []
    deciding = _by_node(found)["a"].deciding
    assert deciding is not None
    assert deciding.outcome == findings.SCORE
    assert "< threshold 0.50 (k: 2, savings " in deciding.text


def test_only_reasons_of_another_kind_are_changes() -> None:
    cluster, found = _watched(*machine("a", "m.4", 4))
    cluster.round()
    assert [each.node for each in found.changed(1)] == ["a"]
    cluster.context.cluster.now_ns += 10**10
    cluster.round()
    assert list(found.changed(2)) == []
    claim, node, *_ = machine("a", "m.4", 4)
    node["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    cluster.context.cluster.update(node)
    cluster.round()
    assert [each.candidate for each in found.changed(3)] == [False]
    assert claim["metadata"]["name"] == "a"


def test_nodes_that_go_are_no_news_and_then_forgotten() -> None:
    cluster, found = _watched(*machine("a"), *machine("b", "m.4", 4))
    outcome = cluster.round()
    assert {each.node for each in found.changed(1)} == {"a", "b"}
    cluster.start(outcome)
    cluster.round()
    assert {each.node for each in found.changed(2)} == {"b"}
    assert "under way" in _shown(_by_node(found)["a"])["blocked"]
    found.keep(["b"])
    assert set(_by_node(found)) == {"b"}
    starting.finish(cluster.context, outcome.commands[0], succeeded=True)


def test_nothing_is_kept_while_nobody_listens_and_findings_pickle() -> None:
    cluster = bench(*machine("a", "m.4", 4))
    cluster.round()
    assert cluster.context.findings is None
    cluster, found = _watched(*machine("a", "m.4", 4))
    cluster.round()
    assert _by_node(pickle.loads(pickle.dumps(found))) == _by_node(found)
