"""Nodes that go: consolidation, emptiness, drift, expiry, interruption, and draining."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.testing import make_pod
from tests.controllers.karpenter.lifecycle.stages import (
    CLAIM,
    NODE,
    POD,
    POOL,
    catalog,
    claims,
    condition,
    label,
    make_web,
    nodes,
    on_demand,
    pending,
    run,
    scale,
    staged,
    told,
    types,
)
from tests.objects.kinds.karpenter_samples import stage_node_class

if TYPE_CHECKING:
    from kubestage.aliases import Json

DISRUPTED = "karpenter.sh/disrupted"


def budget(name: str = "web", **spec: Any) -> Json:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, **spec},
    }


def taints(stage: Any) -> set[str]:
    return {each["key"] for node in nodes(stage) for each in node["spec"].get("taints") or ()}


def names(stage: Any) -> list[str]:
    return [each["metadata"]["name"] for each in claims(stage)]


def test_a_node_without_pods_goes() -> None:
    stage = staged(make_web(6))
    run(stage, 60)
    scale(stage, 0)
    run(stage, 60)
    assert (claims(stage), nodes(stage)) == ([], [])
    assert told(stage, "DisruptionTerminating") == [
        "Disrupting Node: Empty",
        "Disrupting NodeClaim: Empty",
    ]


def test_a_node_that_is_too_large_is_replaced_by_a_smaller_one() -> None:
    stage = staged(make_web(6))
    run(stage, 60)
    scale(stage, 1)
    run(stage, 35)
    assert len(claims(stage)) == 2
    assert DISRUPTED in taints(stage)
    old = next(each for each in claims(stage) if condition(each, "DisruptionReason"))
    assert condition(old, "DisruptionReason")["reason"] == "Underutilized"
    run(stage, 100)
    assert types(stage) == ["small"]
    assert (pending(stage), taints(stage)) == (0, set())


def test_a_node_is_replaced_once_its_pods_have_not_changed_for_as_long_as_stated() -> None:
    policy = {"consolidateAfter": "1m", "budgets": [{"nodes": "100%"}]}
    stage = staged(make_web(12), on_demand(disruption=policy))
    run(stage, 100)
    assert len(nodes(stage)) == 2
    scale(stage, 5)
    # That the minute is over is noticed with the look at everything, after five more.
    run(stage, 600)
    assert types(stage) == ["medium", "small"]
    assert pending(stage) == 0


def test_a_pod_that_is_created_on_a_node_is_an_event_of_the_node() -> None:
    stage = staged(make_web(1))
    run(stage, 60)
    before = claims(stage)[0]["status"]["lastPodEventTime"]
    own = make_pod("own", cpu="100m")
    own["spec"]["nodeName"] = nodes(stage)[0]["metadata"]["name"]
    stage.apply([own])
    run(stage, 1)
    assert claims(stage)[0]["status"]["lastPodEventTime"] > before


def test_nothing_is_consolidated_before_its_time_or_ever() -> None:
    late = on_demand(disruption={"consolidateAfter": "10m"})
    stage = staged(make_web(6), late)
    run(stage, 60)
    scale(stage, 0)
    run(stage, 9 * 60)
    assert len(nodes(stage)) == 1
    run(stage, 3 * 60)
    assert nodes(stage) == []
    never = on_demand(disruption={"consolidateAfter": "Never"})
    stage = staged(make_web(6), never)
    run(stage, 60)
    scale(stage, 0)
    run(stage, 3600)
    assert len(nodes(stage)) == 1


def test_a_budget_of_none_keeps_nodes() -> None:
    kept = on_demand(disruption={"consolidateAfter": "0s", "budgets": [{"nodes": "0"}]})
    stage = staged(make_web(6), kept)
    run(stage, 60)
    scale(stage, 0)
    run(stage, 300)
    assert len(nodes(stage)) == 1
    assert any("budget" in each for each in told(stage, "DisruptionBlocked"))


def test_a_budget_with_a_schedule_allows_later_what_it_forbids_now() -> None:
    office = [{"nodes": "0", "schedule": "0 0 * * *", "duration": "1h"}]
    stage = staged(make_web(6), on_demand(disruption={"consolidateAfter": "0s", "budgets": office}))
    run(stage, 60)
    scale(stage, 0)
    run(stage, 50 * 60)
    assert len(nodes(stage)) == 1
    run(stage, 15 * 60)
    assert nodes(stage) == []


def test_a_node_that_has_drifted_is_replaced_first() -> None:
    stage = staged(make_web(6))
    run(stage, 60)
    (before,) = names(stage)
    patch = {"spec": {"template": {"metadata": {"labels": {"team": "a"}}}}}
    stage.store.patch(POOL, "default", patch)
    run(stage, 30)
    old = stage.store.get(CLAIM, before)
    assert condition(old, "Drifted")["reason"] == "NodePoolDrifted"
    assert "deletionTimestamp" not in old["metadata"]
    run(stage, 100)
    assert before not in names(stage)
    assert label(nodes(stage)[0], "team") == "a"
    assert pending(stage) == 0


def test_another_class_is_drift_too() -> None:
    stage = staged(make_web(6))
    run(stage, 60)
    kind = ("kubestage.dev/v1alpha1", "StageNodeClass")
    stage.store.patch(kind, "default", {"spec": {"maxPods": 20}})
    run(stage, 5)
    assert condition(claims(stage)[0], "Drifted")["reason"] == "NodeClassDrift"
    run(stage, 120)
    assert nodes(stage)[0]["status"]["allocatable"]["pods"] == "20"


def test_a_replacement_that_does_not_come_lets_the_node_stay() -> None:
    stage = staged(make_web(6))
    run(stage, 60)
    (before,) = names(stage)
    kind = ("kubestage.dev/v1alpha1", "StageNodeClass")
    stage.store.patch(kind, "default", {"spec": {"registrationDelay": "1h"}})
    scale(stage, 1)
    run(stage, 60)
    assert DISRUPTED in taints(stage)
    run(stage, 18 * 60)
    assert before in names(stage)
    assert label(nodes(stage)[0], "node.kubernetes.io/instance-type") == "large"


def test_a_node_expires() -> None:
    pool = on_demand()
    pool["spec"]["template"]["spec"]["expireAfter"] = "3m"
    stage = staged(make_web(6), pool)
    run(stage, 60)
    (before,) = names(stage)
    run(stage, 200)
    assert before not in names(stage)
    assert (len(nodes(stage)), pending(stage)) == (1, 0)


def test_a_spot_machine_is_taken_back_after_a_notice() -> None:
    spot = stage_node_class(spot={"interruptions": [{"at": "2m"}], "notice": "1m"})
    stage = staged(
        make_web(6, annotations={"karpenter.sh/do-not-disrupt": "true"}),
        catalog(spotPriceShare=0.4), stage_class=spot,
    )  # fmt: skip
    run(stage, 125)
    (before,) = names(stage)
    assert "deletionTimestamp" in claims(stage)[0]["metadata"]
    assert told(stage, "SpotInterrupted") == ["Spot interruption warning was triggered"]
    assert pending(stage) == 0
    run(stage, 40)
    assert before in names(stage)
    run(stage, 120)
    assert before not in names(stage)
    assert pending(stage) == 0


def test_interruptions_by_chance_depend_on_the_seed_alone() -> None:
    def story(seed: int) -> list[str]:
        often = stage_node_class(spot={"interruptionsPerHour": 6})
        stage = staged(make_web(6), catalog(spotPriceShare=0.4), stage_class=often, seed=seed)
        run(stage, 3600)
        assert len(told(stage, "SpotInterrupted")) == 1
        return names(stage)

    assert story(1) == story(1)
    assert story(1) != story(2)


def test_draining_waits_for_budgets_of_pods() -> None:
    stage = staged(make_web(4), budget(minAvailable=4))
    run(stage, 60)
    (before,) = names(stage)
    stage.store.delete(CLAIM, before)
    run(stage, 120)
    assert before in names(stage)
    assert DISRUPTED in taints(stage)
    assert any("evicting pod violates a PDB" in each for each in told(stage, "FailedDraining"))
    stage.store.delete(("policy/v1", "PodDisruptionBudget"), "web")
    run(stage, 60)
    assert before not in names(stage)
    assert pending(stage) == 0


def test_a_grace_period_ends_the_waiting() -> None:
    pool = on_demand()
    pool["spec"]["template"]["spec"]["terminationGracePeriod"] = "5m"
    stage = staged(pool, make_web(4), budget(minAvailable=4))
    run(stage, 60)
    (before,) = names(stage)
    stage.store.delete(CLAIM, before)
    run(stage, 4 * 60)
    assert before in names(stage)
    assert told(stage, "TerminationGracePeriodExpiring")
    run(stage, 90)
    assert before not in names(stage)
    (text,) = {each.partition(" The pod")[0] for each in told(stage, "Disrupted")}
    assert text.startswith("Deleting the pod to accommodate the terminationTime")


def test_a_node_that_a_user_deletes_is_drained() -> None:
    stage = staged(make_web(4))
    run(stage, 60)
    (before,) = names(stage)
    stage.store.delete(NODE, before)
    run(stage, 120)
    assert before not in names(stage)
    assert (len(nodes(stage)), pending(stage)) == (1, 0)
    assert all(each["spec"]["nodeName"] != before for each in stage.store.list(POD).items)


def test_the_nodes_of_a_pool_go_with_it() -> None:
    stage = staged(make_web(4))
    run(stage, 60)
    stage.store.delete(POOL, "default")
    run(stage, 120)
    assert (claims(stage), nodes(stage), pending(stage)) == ([], [], 4)


def test_a_machine_that_is_gone_takes_its_claim_with_it() -> None:
    stage = staged(make_web(1))
    run(stage, 60)
    (before,) = names(stage)
    assert stage.controllers is not None
    loop: Any = next(each for each in stage.controllers.controllers if each.name == "karpenter")
    loop._cloud.machines.remove(claims(stage)[0]["status"]["providerID"])
    stage.store.patch(
        NODE, before, {"metadata": {"annotations": {"kubestage.dev/heartbeat": "stopped"}}}
    )
    run(stage, 300)
    assert before not in names(stage)
    assert pending(stage) == 0
