"""Each rule: what breaks it, what does not, and what was as bad before."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.testing import make_daemon_set, make_deployment, make_node
from tests.runs.check.clusters import budget, failed, in_zone, nodes, verdict, web, write

if TYPE_CHECKING:
    from kubestage.runs.check import CheckResult


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _texts(result: CheckResult) -> list[tuple[str, str]]:
    return [(each.subject, each.text) for each in result.findings if each.is_new]


def test_a_change_that_changes_nothing_passes_all_rules() -> None:
    result = verdict([web(2), budget()], [web(2), budget()])
    assert (result.has_failed, result.findings) == (False, [])
    assert result.answer == "nothing is worse: 5 rules hold"
    states = {each.name: each.state for each in result.verdict.rules}
    assert states == dict.fromkeys(
        ("pending", "survival", "budgets", "spread", "requests"), "passed"
    )


def test_newly_pending_pods_are_counted_by_workload_with_the_reason() -> None:
    result = verdict([web(3)], [web(6)], only="pending")
    [finding] = result.findings
    assert (finding.subject, finding.before, finding.after) == (
        "deployment/default/web", "0 pending", "2 pending",
    )  # fmt: skip
    assert finding.text.startswith("2 of 6 pods have no node: 0/4 nodes are available: ")
    assert (finding.file, finding.line) == ("after/all.yaml", 1)


def test_what_was_pending_before_is_not_new_unless_it_is_more() -> None:
    result = verdict([web(6)], [web(6)], only="pending")
    assert not result.has_failed
    [finding] = result.findings
    assert (finding.is_new, finding.before) == (False, "2 pending")
    assert verdict([web(6)], [web(7)], only="pending").has_failed
    assert verdict([web(6)], [web(6)], only="pending", strict=True).has_failed
    assert not verdict([web(3)], [web(6)], "pending.most=2", only="pending").has_failed


def test_pods_that_are_not_even_created_are_pending() -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "few", "namespace": "default"},
        "spec": {"hard": {"pods": "2"}},
    }
    result = verdict([web(2)], [quota, web(3)], only="pending")
    [finding] = result.findings
    assert finding.text == "1 of 3 pods has no node: no pod was created for it"


def test_a_workload_in_one_zone_is_not_spread() -> None:
    before, after = web(2, cpu="100m"), in_zone(web(2, cpu="100m"), "a")
    result = verdict([before], [after], "spread.severity=error", only="spread")
    [finding] = result.findings
    assert finding.text == "2 replicas, all in a; required are 2 zones"
    assert (finding.before, finding.after) == ("a: 1, b: 1, c: 0", "a: 2, b: 0, c: 0")
    assert failed(result) == ["spread"]
    # A warning is reported, and does not count.
    result = verdict([before], [after], only="spread")
    assert (result.has_failed, len(result.findings)) == (False, 1)
    assert result.answer == "no rule is broken: 1 rule holds; 1 warning"


def test_skew_and_other_topologies_are_checked_if_set() -> None:
    rules = ("spread.severity=error", "spread.skew=1", "spread.zones=1")
    before, after = web(3, cpu="100m"), in_zone(web(3, cpu="100m"), "a")
    result = verdict([before], [after], *rules, only="spread")
    [finding] = result.findings
    assert finding.text == "the skew between zones is 3, and may be 1"
    topology = 'spread.topology="kubernetes.io/hostname"'
    result = verdict([before], [after], topology, "spread.zones=3", only="spread")
    [finding] = result.findings
    assert finding.text == "3 replicas, in 2; required are 3 zones"


def test_rules_about_zones_do_not_apply_to_one_zone() -> None:
    write("one", *[make_node(f"n{each}", cpu="2", zone="a") for each in range(3)])
    result = verdict([web(2)], [web(2)], only="spread", files=("one",))
    [rule] = result.verdict.rules
    assert (rule.state, rule.skipped) == ("skipped", "nodes are in 1 zone")


def test_replicas_have_to_be_left_after_the_loss_of_a_node_or_zone() -> None:
    before, after = web(2, cpu="100m"), in_zone(web(2, cpu="100m"), "b")
    result = verdict([before], [after], "survival.recovers=false", only="survival")
    [finding] = result.findings
    assert finding.text == "0 of 2 replicas left after the loss of zone b; required is 1"
    assert finding.before == "1 of 2 left"
    result = verdict(
        [before], [after], "survival.recovers=false", 'survival.of=["node"]', only="survival"
    )
    assert [each.text for each in result.findings] == [
        "0 of 2 replicas left after the loss of node n2; required is 1"
    ]


@pytest.mark.parametrize(("ready", "is_worse"), [("50%", False), ("75%", True), ("3", True)])
def test_how_many_have_to_be_left_is_a_number_or_a_share(ready: str, is_worse: bool) -> None:
    rules = (f"survival.ready={ready}", "survival.recovers=false")
    # Of four replicas two are in zone a.
    assert verdict([], [web(4)], *rules, only="survival").has_failed is is_worse


def test_lost_pods_have_to_find_another_node() -> None:
    result = verdict([web(3)], [web(4)], only="survival")
    missing = "find no other node: deployment/default/web"
    one = missing.replace("find", "finds")
    assert _texts(result) == [
        ("zone/a", f"after the loss of zone a, 2 pods {missing} (2)"),
        ("zone/b", f"after the loss of zone b, 1 pod {one} (1)"),
        ("zone/c", f"after the loss of zone c, 1 pod {one} (1)"),
        ("nodes", f"after the loss of node n1, 1 pod {one} (1)"),
    ]
    # Two replicas are in two zones, and the third one has room for either.
    assert verdict([web(1)], [web(2)], only="survival").findings == []


def test_daemons_and_single_replicas_are_not_expected_to_survive() -> None:
    objects = [make_daemon_set("agent", cpu="100m"), make_deployment("one", replicas=1, cpu="100m")]
    assert verdict([], objects, only="survival").findings == []


def test_a_budget_that_blocks_for_good_is_found_by_a_drain() -> None:
    result = verdict([web(), budget(1)], [web(), budget(0)], only="budgets")
    [finding] = result.findings
    assert finding.subject == "poddisruptionbudget/default/web"
    assert finding.text.startswith("blocks the drain of node n1 for good: default/web-")
    assert "needs 3 healthy pods and has 3 currently" in finding.text
    assert (finding.after, finding.file, finding.line) == ("for good", "after/all.yaml", 24)
    assert not verdict([web(), budget(0)], [web(), budget(0)], only="budgets").has_failed


def test_how_long_a_budget_may_block_is_a_duration() -> None:
    # Both pods are on one node: the second waits until the first has a ready successor.
    slow = make_deployment("web", replicas=2, cpu="100m")
    write("cluster", *nodes(2, zone="a"))
    slow["spec"]["template"]["spec"]["affinity"] = {
        "nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 100,
                    "preference": {
                        "matchExpressions": [
                            {"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}
                        ]
                    },
                }
            ]
        }
    }
    objects = [slow, budget(1)]
    options: dict[str, Any] = {"only": "budgets", "files": ("cluster",)}
    assert not verdict([], objects, **options).has_failed
    result = verdict([], objects, "budgets.longest=1s", **options)
    [finding] = result.findings
    assert finding.text.startswith("blocks the drain of node n1 for 5s: ")


def test_without_budgets_the_rule_does_not_apply() -> None:
    [rule] = verdict([web()], [web()], only="budgets").verdict.rules
    assert (rule.state, rule.skipped) == ("skipped", "there is no disruption budget")


def test_containers_without_requests_are_named_with_their_line() -> None:
    after = web()
    after["spec"]["template"]["spec"]["containers"] += [{"name": "log", "image": "log"}]
    result = verdict([web()], [after], "requests.severity=error", only="requests")
    [finding] = result.findings
    assert finding.text == 'container "log" requests no cpu and no memory'
    text = pathlib.Path("after/all.yaml").read_text().splitlines()
    assert finding.line is not None
    assert "log" in text[finding.line - 1]
    assert (finding.before, finding.after) == ("0 missing", "2 missing")
    ranges = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "defaults", "namespace": "default"},
        "spec": {
            "limits": [{"type": "Container", "defaultRequest": {"cpu": "1m", "memory": "1Mi"}}]
        },
    }
    assert verdict([web()], [ranges, after], only="requests").findings == []


def test_cost_has_a_limit_and_a_largest_increase(tmp_path: pathlib.Path) -> None:
    (tmp_path / "prices.csv").write_text("instance_type,price\nsmall,0.5\n")
    labels = {"node.kubernetes.io/instance-type": "small"}
    small = [make_node(f"n{each}", cpu="2", zone="a", labels=labels) for each in (1, 2)]
    options: dict[str, Any] = {"only": "none", "prices": "prices.csv", "files": (), "nodes": None}
    one, two = [small[0], web(1)], [*small, web(1)]
    result = verdict(one, two, "cost", **options)
    [finding] = result.findings
    assert (finding.text, finding.before, finding.after) == (
        "nodes cost $0.50 per hour more", "$0.50", "$1.00",
    )  # fmt: skip
    assert not verdict(one, two, "cost.increase=100%", **options).has_failed
    assert verdict(one, two, "cost.increase=99%", **options).has_failed
    assert verdict(one, two, "cost.increase=100%", "cost.most=0.9", **options).has_failed
    assert not verdict(two, two, "cost.most=0.9", **options).has_failed


def test_cost_without_prices_is_not_applied() -> None:
    [rule] = verdict([web()], [web()], "cost", only="none").verdict.rules
    assert rule.skipped == "no node has a price: name prices in [cluster]"


def test_nodes_in_use_have_a_limit_and_a_largest_increase() -> None:
    options: dict[str, Any] = {"only": "none"}
    result = verdict([web(2)], [web(3)], "nodes", **options)
    [finding] = result.findings
    assert (finding.text, finding.before, finding.after) == (
        "1 more node in use",
        "2 nodes",
        "3 nodes",
    )
    assert not verdict([web(2)], [web(3)], "nodes.increase=1", **options).has_failed
    assert not verdict([web(2)], [web(3)], "nodes.increase=50%", **options).has_failed
    assert verdict([web(2)], [web(3)], "nodes.increase=1", "nodes.most=2", **options).has_failed


def test_decisions_are_compared_by_workload() -> None:
    before, after = web(2, cpu="100m"), in_zone(web(2, cpu="100m"), "c")
    options: dict[str, Any] = {"only": "none"}
    assert not verdict([before], [before], "decisions", **options).has_failed
    # One more replica is not a move.
    assert not verdict([before], [web(3, cpu="100m")], "decisions", **options).has_failed
    result = verdict([before], [after], "decisions", **options)
    [finding] = result.findings
    assert (finding.text, finding.after) == ("2 pods on other nodes", "n3, n3")
    assert not verdict([before], [after], "decisions.moved=2", **options).has_failed


def test_objects_can_be_excepted() -> None:
    rules = ("pending.except=['deployment/default/*']",)
    assert verdict([web(3)], [web(6)], *rules, only="pending").findings == []


ONE_SIDED = '''
"""Rules."""

def no_latest(side):
    """No image floats."""
    for name, workload in side.workloads.items():
        if workload.pods[0]["spec"]["containers"][0]["image"].endswith(":latest"):
            yield name, "is of no fixed version"

def smaller(base, head):
    if base is not None and len(head.pods) > len(base.pods):
        return [f"{len(head.pods)} pods"]

def wrong(side):
    return [3]

def broken(side):
    return side.nothing

def three(one, two, three):
    return []
'''


def test_a_rule_may_be_a_function_of_one_side_or_of_both() -> None:
    pathlib.Path("rules.py").write_text(ONE_SIDED)
    floating = web(image="web:latest")
    result = verdict([web()], [floating], "rules.py:no_latest", only="none")
    [rule] = result.verdict.rules
    assert (rule.name, rule.about, rule.state) == ("no-latest", "No image floats", "failed")
    [finding] = result.findings
    assert (finding.subject, finding.file, finding.line) == (
        "deployment/default/web", "after/all.yaml", 1,
    )  # fmt: skip
    assert not verdict([floating], [floating], "rules.py:no_latest", only="none").has_failed
    result = verdict([web(1)], [web(2)], "rules.py:smaller", only="none")
    assert _texts(result) == [("cluster", "2 pods")]


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("rules.py:wrong", "rules.py:wrong gives 3, and no finding"),
        (
            "rules.py:broken",
            "rules.py:18: AttributeError: 'Side' object has no attribute 'nothing'",
        ),
        ("rules.py:three", "three has 3 parameters, and needs one or two"),
        ("rules.py:missing", "has no function missing"),
        ("no.py:rule", "no.py: no such file"),
    ],
)
def test_a_function_that_cannot_be_used_is_bad_input(rule: str, problem: str) -> None:
    pathlib.Path("rules.py").write_text(ONE_SIDED)
    with pytest.raises(InputError) as caught:
        verdict([web()], [web()], rule, only="none")
    assert problem in str(caught.value)
