from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.errors import ApiError, Conflict, Forbidden, NotFound, TooManyRequests
from kubestage.store import admission
from kubestage.store.deletion import DeleteOptions
from tests.store.samples import NAMESPACE, POD, make_store, pod

if TYPE_CHECKING:
    from kubestage.store.admission import AdmissionRequest
    from kubestage.store.core import Core
    from kubestage.store.store import Store

BUDGET = ("policy/v1", "PodDisruptionBudget")
NOW = "2026-01-01T00:00:00Z"


def running(store: Store, name: str, *, ready: bool = True) -> dict[str, Any]:
    made = pod(name, labels={"app": "web"})
    made["spec"]["nodeName"] = "n1"
    store.create(made)
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    state = {"phase": "Running", "conditions": conditions}
    return store.patch(POD, name, {"status": state}, subresource="status")


def budget(
    store: Store, name: str = "b", status: dict[str, Any] | None = None, **spec: Any
) -> None:
    selector = {"matchLabels": {"app": "web"}}
    store.create(
        {
            "apiVersion": BUDGET[0],
            "kind": BUDGET[1],
            "metadata": {"name": name},
            "spec": {"selector": selector, "minAvailable": 1, **spec},
        }
    )
    state = {
        "observedGeneration": 1,
        "disruptionsAllowed": 1,
        "currentHealthy": 2,
        "desiredHealthy": 1,
        "expectedPods": 2,
        **(status or {}),
    }
    store.patch(BUDGET, name, {"status": state}, subresource="status")


@pytest.fixture
def store() -> Store:
    return make_store()


def test_an_evicted_pod_knows_why_it_goes(store: Store) -> None:
    running(store, "a")
    evicted = store.evict("a")
    assert not evicted.removed
    assert evicted.object["metadata"]["deletionGracePeriodSeconds"] == 30
    condition = evicted.object["status"]["conditions"][-1]
    assert condition == {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "lastTransitionTime": NOW,
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }


def test_a_budget_pays_for_the_eviction(store: Store) -> None:
    running(store, "a")
    budget(store)
    store.evict("a")
    state = store.get(BUDGET, "b")["status"]
    assert state["disruptionsAllowed"] == 0
    assert state["disruptedPods"] == {"a": NOW}
    assert state["conditions"] == [
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": 1,
            "lastTransitionTime": NOW,
            "reason": "InsufficientPods",
            "message": "",
        }
    ]


def test_a_budget_with_more_left_keeps_its_condition(store: Store) -> None:
    running(store, "a")
    budget(store, status={"disruptionsAllowed": 3})
    store.evict("a")
    state = store.get(BUDGET, "b")["status"]
    assert state["disruptionsAllowed"] == 2
    assert "conditions" not in state


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (
            {"currentHealthy": 1},
            "The disruption budget b needs 1 healthy pods and has 1 currently",
        ),
        ({}, "The disruption budget b does not allow evicting pods currently"),
        (
            {
                "conditions": [
                    {
                        "type": "DisruptionAllowed",
                        "status": "False",
                        "lastTransitionTime": NOW,
                        "reason": "SyncFailed",
                        "message": "found no controllers",
                    }
                ]
            },
            (
                "The disruption budget b does not allow evicting pods currently because it failed "
                "sync: found no controllers"
            ),
        ),
        (
            {
                "conditions": [
                    {
                        "type": "DisruptionAllowed",
                        "status": "False",
                        "lastTransitionTime": NOW,
                        "reason": "Holiday",
                        "message": "closed",
                    }
                ]
            },
            "The disruption budget b does not allow evicting pods currently (Holiday): closed",
        ),
    ],
)
def test_a_budget_that_is_spent_says_why(store: Store, status: dict[str, Any], why: str) -> None:
    before = running(store, "a")
    budget(store, status={"disruptionsAllowed": 0, **status})
    with pytest.raises(TooManyRequests) as refusal:
        store.evict("a")
    assert refusal.value.status["code"] == 429
    assert refusal.value.message == (
        "Cannot evict pod as it would violate the pod's disruption budget."
    )
    assert refusal.value.details == {"causes": [{"reason": "DisruptionBudget", "message": why}]}
    assert store.get(POD, "a") is before


def test_a_budget_not_yet_looked_at_asks_to_come_back(store: Store) -> None:
    running(store, "a")
    budget(store, status={"observedGeneration": 0})
    with pytest.raises(TooManyRequests) as refusal:
        store.evict("a")
    assert refusal.value.details["retryAfterSeconds"] == 10
    why = "The disruption budget b is still being processed by the server."
    assert refusal.value.details["causes"][0]["message"] == why


def test_too_many_evictions_under_way_are_refused(store: Store) -> None:
    running(store, "a")
    budget(store, status={"disruptedPods": {f"p{index}": NOW for index in range(2001)}})
    with pytest.raises(Forbidden) as refusal:
        store.evict("a")
    assert refusal.value.message == (
        'poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many '
        "evictions not confirmed by PDB controller"
    )


def test_two_budgets_are_more_than_an_eviction_can_handle(store: Store) -> None:
    running(store, "a")
    budget(store)
    budget(store, "c")
    with pytest.raises(ApiError) as refusal:
        store.evict("a")
    assert (refusal.value.code, refusal.value.reason) == (500, "")
    assert refusal.value.message == (
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support."
    )


@pytest.mark.parametrize(
    ("policy", "healthy", "allowed"),
    [
        ("AlwaysAllow", 0, True),
        ("IfHealthyBudget", 1, True),
        ("IfHealthyBudget", 0, False),
        (None, 1, True),
        (None, 0, False),
    ],
)
def test_a_pod_that_is_not_ready(
    store: Store, policy: str | None, healthy: int, allowed: bool
) -> None:
    running(store, "a", ready=False)
    status = {"disruptionsAllowed": 0, "currentHealthy": healthy}
    budget(store, status=status, unhealthyPodEvictionPolicy=policy)
    if allowed:
        store.evict("a")
        assert "deletionTimestamp" in store.get(POD, "a")["metadata"]
        assert "disruptedPods" not in store.get(BUDGET, "b")["status"]
    else:
        with pytest.raises(TooManyRequests):
            store.evict("a")


@pytest.mark.parametrize("phase", ["Pending", "Succeeded", "Failed"])
def test_what_does_not_run_is_no_loss(store: Store, phase: str) -> None:
    running(store, "a")
    store.patch(POD, "a", {"status": {"phase": phase}}, subresource="status")
    budget(store, status={"disruptionsAllowed": 0})
    store.evict("a")
    assert store.get(BUDGET, "b")["status"]["disruptionsAllowed"] == 0


def test_a_second_eviction_costs_nothing(store: Store) -> None:
    running(store, "a")
    budget(store, status={"disruptionsAllowed": 2})
    first = store.evict("a").object
    assert store.evict("a").object is first
    assert store.get(BUDGET, "b")["status"]["disruptionsAllowed"] == 1


def test_a_dry_run_only_asks(store: Store) -> None:
    before = running(store, "a")
    budget(store)
    paid = store.get(BUDGET, "b")
    store.evict("a", options=DeleteOptions(dry_run=True))
    assert store.get(POD, "a") is before
    assert store.get(BUDGET, "b") is paid


def test_preconditions_are_looked_at_after_the_budget(store: Store) -> None:
    running(store, "a")
    budget(store)
    with pytest.raises(Conflict, match="the UID in the precondition"):
        store.evict("a", options=DeleteOptions(uid="another"))
    assert store.get(BUDGET, "b")["status"]["disruptionsAllowed"] == 0
    with pytest.raises(TooManyRequests):
        store.evict("a")


def test_a_version_may_be_asked_for(store: Store) -> None:
    version = running(store, "a")["metadata"]["resourceVersion"]
    with pytest.raises(Conflict, match="the ResourceVersion in the precondition"):
        store.evict("a", options=DeleteOptions(resource_version="1"))
    store.evict("a", options=DeleteOptions(resource_version=version))
    assert "deletionTimestamp" in store.get(POD, "a")["metadata"]


def test_nothing_new_in_a_namespace_that_ends() -> None:
    store = make_store(garbage="manual")
    store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}})
    made = pod("a", "x")
    store.create(made)
    store.delete(NAMESPACE, "x")
    with pytest.raises(Forbidden, match="because it is being terminated"):
        store.evict("a", "x")


def test_what_is_not_there_cannot_go(store: Store) -> None:
    with pytest.raises(NotFound):
        store.evict("a")


def test_subscribers_hear_of_what_was_paid_for_nothing(store: Store) -> None:
    running(store, "a")
    budget(store)
    heard: list[str] = []
    store.subscribe(lambda change: heard.append(change.kind.kind))
    with pytest.raises(Conflict):
        store.evict("a", options=DeleteOptions(uid="another"))
    assert heard == ["PodDisruptionBudget"]


def test_refusals_of_budgets_are_reported_but_not_those_of_dry_runs(store: Store) -> None:
    running(store, "a")
    budget(store, status={"disruptionsAllowed": 0})
    heard: list[tuple[str, str]] = []
    store.observe_refused_evictions(lambda budget, pod: heard.append((budget, pod)))
    for options in (None, DeleteOptions(dry_run=True), None):
        with pytest.raises(TooManyRequests):
            store.evict("a", options=options)
    assert heard == [("default/b", "default/a")] * 2


def _look_on(core: Core, request: AdmissionRequest) -> None:
    """A check of a user, which lets everything pass: with it, every status is written in full."""
    del core, request


@pytest.mark.parametrize("already", [False, True])
def test_the_shorter_way_to_write_stores_the_same(already: bool) -> None:
    stored = []
    for checks in (admission.CHECKS, (*admission.CHECKS, _look_on)):
        store = make_store(checks=checks)
        for name in ("a", "b", "c"):
            running(store, name)
        budget(store, status={"disruptionsAllowed": 2, "currentHealthy": 3})
        if already:
            target = {"type": "DisruptionTarget", "status": "False", "observedGeneration": 7}
            conditions = [*store.get(POD, "a")["status"]["conditions"], target]
            store.patch(POD, "a", {"status": {"conditions": conditions}}, subresource="status")
        store.evict("a")
        store.evict("b", options=DeleteOptions(grace_period_seconds=5))
        with pytest.raises(TooManyRequests):
            store.evict("c")
        objects = [store.read(POD), store.read(BUDGET)]
        stored.append(msgspec.json.encode(objects, order="deterministic"))
    assert stored[0] == stored[1]


def test_budgets_are_found_by_what_they_select_now(store: Store) -> None:
    for name in ("a", "b", "c"):
        running(store, name)
    budget(store, status={"disruptionsAllowed": 0})
    with pytest.raises(TooManyRequests):
        store.evict("a")
    store.patch(BUDGET, "b", {"spec": {"selector": {"matchLabels": {"app": "db"}}}})
    store.evict("a")
    store.patch(BUDGET, "b", {"spec": {"selector": {"matchLabels": {"app": "web"}}}})
    with pytest.raises(TooManyRequests):
        store.evict("b")
    store.delete(BUDGET, "b")
    store.evict("b")
    budget(store, "all", status={"disruptionsAllowed": 0}, selector={})
    with pytest.raises(TooManyRequests):
        store.evict("c")
