"""The provider of the recordings, and the cluster that it belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import NotFound, TooManyRequests
from kubestage.objects import gvk
from kubestage.replay.cluster_autoscaler import flags
from kubestage.replay.cluster_autoscaler.recorded_actions import GroupChange
from kubestage.replay.cluster_autoscaler.recorded_cluster import RecordedCluster
from kubestage.replay.cluster_autoscaler.recorded_provider import RecordedProvider
from kubestage.replay.cluster_autoscaler.recorded_world import RecordedGroup
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod, make_pod_disruption_budget
from kubestage.units import MINUTE_NS, SECOND_NS

_OPTIONS = DeleteOptions(grace_period_seconds=30)


def _provider(cluster: RecordedCluster | None = None, **limits: Any) -> RecordedProvider:
    group = RecordedGroup("pool", 0, 10, {"metadata": {}, "status": {}}, **limits)
    return RecordedProvider([group], (cluster or RecordedCluster()).remove_node)


def _listed(provider: RecordedProvider) -> list[tuple[str, bool]]:
    return [
        (each.id.removeprefix("sim://pool/"), each.error is not None)
        for each in provider.instances("pool")
    ]


def test_machines_are_listed_as_soon_as_they_are_requested() -> None:
    provider = _provider()
    (group,) = provider.groups()
    assert provider.increase(group, 2) == ""
    assert provider.target_size("pool") == 2
    assert _listed(provider) == [("pool-new-01", False), ("pool-new-02", False)]
    assert provider.decrease(group, 1) == "attempt to delete existing nodes"
    assert provider.delete(group, ["sim://pool/pool-new-01"]) == ""
    assert (provider.target_size("pool"), _listed(provider)) == (1, [("pool-new-02", False)])
    assert [each["call"] for each in provider.take_calls()] == [
        "increaseSize",
        "decreaseTargetSize",
        "deleteNodes",
    ]
    assert provider.take_calls() == []


@pytest.mark.parametrize(
    ("shortage", "listed"),
    [
        ("never", [("pool-new-01", False), ("pool-new-02", False)]),
        ("absent", [("pool-new-01", False)]),
        ("error", [("pool-new-01", False), ("pool-new-02", True)]),
    ],
)
def test_machines_that_are_not_available(shortage: str, listed: list[tuple[str, bool]]) -> None:
    provider = _provider(available=1, shortage=shortage)
    (group,) = provider.groups()
    assert provider.increase(group, 2) == ""
    assert (provider.target_size("pool"), _listed(provider)) == (2, listed)


def test_a_request_may_be_refused_until_more_is_available() -> None:
    provider = _provider(available=1, shortage="refuse")
    (group,) = provider.groups()
    assert provider.increase(group, 2) == "provider refuses: 1 machines available"
    assert provider.target_size("pool") == 0
    provider.change(GroupChange("pool", available=5))
    (group,) = provider.groups()
    assert provider.increase(group, 2) == ""


def test_a_node_belongs_to_the_group_that_it_names() -> None:
    provider = _provider()
    node = make_node("n1")
    assert provider.group_of(node) == ""
    node["spec"]["providerID"] = "sim://other/n1"
    assert provider.group_of(node) == ""
    node["spec"]["providerID"] = "sim://pool/n1"
    provider.start_with(node)
    assert (provider.group_of(node), provider.target_size("pool")) == ("pool", 1)


def test_a_node_that_is_deleted_takes_its_pods_along() -> None:
    cluster = RecordedCluster()
    provider = _provider(cluster)
    node = make_node("n1")
    node["spec"]["providerID"] = "sim://pool/n1"
    for obj in (node, make_pod("on", node_name="n1"), make_pod("elsewhere", node_name="n2")):
        cluster.put(obj)
    provider.start_with(node)
    provider.delete(provider.groups()[0], ["sim://pool/n1"])
    assert cluster.lister.all(gvk.NODE) == []
    assert [pod["metadata"]["name"] for pod in cluster.lister.all(gvk.POD)] == ["elsewhere"]


def test_an_eviction_takes_the_pod_at_once_and_spends_its_budgets() -> None:
    cluster = RecordedCluster()
    for name in ("a", "b"):
        cluster.put(make_pod(name, labels={"app": "web"}))
    budget = make_pod_disruption_budget("web", min_available=1)
    budget["spec"]["selector"] = {"matchLabels": {"app": "web"}}
    cluster.put({**budget, "status": {"disruptionsAllowed": 1}})
    cluster.evict("a", "default", _OPTIONS)
    with pytest.raises(TooManyRequests):
        cluster.evict("b", "default", _OPTIONS)
    with pytest.raises(NotFound):
        cluster.evict("a", "default", _OPTIONS)
    assert [pod["metadata"]["name"] for pod in cluster.lister.all(gvk.POD)] == ["b"]
    assert [(each["pod"], each["ok"]) for each in cluster.take_evictions()] == [
        ("default/a", True),
        ("default/b", False),
    ]


def test_objects_are_listed_in_the_order_in_which_they_came() -> None:
    cluster = RecordedCluster()
    for name in ("z", "a", "m"):
        cluster.put(make_node(name))
    cluster.put(make_node("z", cpu="1"))
    assert [node["metadata"]["name"] for node in cluster.lister.all(gvk.NODE)] == ["z", "a", "m"]


def test_flags_become_settings() -> None:
    settings = flags.settings_of(
        {
            "predicate-parallelism": "1",
            "expander": "priority,most-pods",
            "scale-down-unneeded-time": "1m",
            "scale-down-unready-enabled": "false",
            "ok-total-unready-count": "7",
            "scale-down-utilization-threshold": "0.3",
            "startup-taint": ["boot", "agent"],
            "balancing-label": "pool",
            "blocking-system-pod-distruption-timeout": "30s",
        }
    )
    assert settings.expander == "priority,most-pods"
    assert settings.scale_down_unneeded_time_ns == MINUTE_NS
    assert settings.scale_down_unready_enabled is False
    assert settings.ok_total_unready_count == 7
    assert settings.scale_down_utilization_threshold == 0.3
    assert settings.startup_taint == ("boot", "agent")
    assert settings.balancing_label == ("pool",)
    assert settings.blocking_system_pod_disruption_timeout_ns == 30 * SECOND_NS
