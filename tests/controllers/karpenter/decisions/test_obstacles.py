from __future__ import annotations

from kubestage.aliases import Json
from kubestage.controllers.karpenter.decisions import obstacles
from kubestage.controllers.karpenter.state.disruption_limits import DisruptionLimits
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.disruption.clusters import machine


def _budget(name: str, allowed: int) -> Json:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": 1},
        "status": {"disruptionsAllowed": allowed},
    }


def _found(listed: list[Json], *budgets: Json) -> list[str]:
    claim, node, *pods = listed
    return list(obstacles.of(node, claim, pods, DisruptionLimits(budgets), objects.START_NS))


def test_everything_in_the_way_is_listed() -> None:
    listed = machine("a", pods=2)
    listed[1]["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    listed[2]["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    assert _found(listed, _budget("web", 0)) == [
        "node a is annotated karpenter.sh/do-not-disrupt: true",
        "pod default/a-0 is annotated karpenter.sh/do-not-disrupt: true",
        "pod default/a-1 may not be evicted: budget default/web allows 0 disruptions",
    ]


def test_budgets_that_allow_something_are_not_in_the_way_but_two_of_them_are() -> None:
    listed = machine("a", pods=1)
    assert _found(listed, _budget("web", 1)) == []
    [line] = _found(listed, _budget("web", 1), _budget("more", 1))
    assert line.startswith("pod default/a-0 has several budgets")
