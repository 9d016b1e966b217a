"""What containers use, and what happens when that is too much."""

from __future__ import annotations

import pytest

from kubestage.controllers.kubelet import usage
from kubestage.errors import InputError
from tests.controllers.kubelet.clusters import NODE, POD, Cluster, at

MI = 1 << 20


def cluster_now(seed: int = 0) -> Cluster:
    cluster = Cluster(seed=seed, launch_delay="0s")
    cluster.node(status={"images": [{"names": ["app:1"], "sizeBytes": 1}]})
    cluster.run("1s")
    return cluster


def limited(name: str = "c", memory: str = "200Mi") -> dict[str, object]:
    return {"name": name, "image": "app:1", "resources": {"limits": {"memory": memory}}}


def test_usage_is_that_of_the_running_containers() -> None:
    cluster = cluster_now()
    notes = {"cpu-usage": "250m", "memory-usage": "100Mi+6Mi/m", "cpu-usage.d": "1"}
    containers = [{"name": name, "image": "app:1"} for name in "cd"]
    cluster.pod(annotations=notes, containers=containers)
    assert cluster.kubelet.usage("default/web") == (0, 0)
    cluster.run("10m")
    assert cluster.kubelet.usage("default/web") == pytest.approx((1.25, 2 * 160 * MI))
    later = cluster.kubelet.usage("default/web", cluster.stage.clock.now_ns + 60_000_000_000)
    assert later == pytest.approx((1.25, 2 * 166 * MI))
    assert cluster.kubelet.usage("default/nobody") is None


def test_usage_is_drawn_for_each_pod() -> None:
    cluster = cluster_now()
    for name in "ab":
        notes = {"cpu-usage": "uniform(100m,900m)", "memory-usage": "normal(100Mi,10Mi)"}
        cluster.pod(name, annotations=notes)
    cluster.run("10s")
    first, second = (cluster.kubelet.usage(f"default/{name}") for name in "ab")
    assert first != second
    assert cluster.kubelet.usage("default/a") == first


def test_memory_that_passes_its_limit_ends_the_container() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"memory-usage": "100Mi+60Mi/m"}, containers=[limited()])
    cluster.run("102s")
    state = cluster.container()
    ended = state["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"], ended["finishedAt"]) == (137, "OOMKilled", at(101))
    assert state["restartCount"] == 1


def test_memory_that_is_too_much_from_the_start_crashes_again_and_again() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"memory-usage": "1Gi"}, containers=[limited()])
    cluster.run("5s")
    assert cluster.container()["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert cluster.container()["lastState"]["terminated"]["reason"] == "OOMKilled"


def test_a_job_that_is_done_before_its_memory_is_full_succeeds() -> None:
    cluster = cluster_now()
    notes = {"memory-usage": "100Mi+1Mi/s", "run-duration": "99s"}
    cluster.pod(annotations=notes, containers=[limited()], restartPolicy="Never")
    cluster.run("5m")
    assert cluster.status()["phase"] == "Succeeded"


@pytest.mark.parametrize("text", ["", "lots", "1Mi+", "1Mi+1Mi", "1Mi+1Mi/d", "1Mi+x/s", "-1Mi"])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        usage.parse_memory(text)


def test_growth_is_read_with_its_unit() -> None:
    law = usage.parse_memory("uniform(1Mi,2Mi)+60Mi/m")
    assert law.at(0, 1_000_000_000) == pytest.approx(MI)
    assert law.passes_ns(0, MI) == pytest.approx(1_000_000_000, abs=2)
    assert usage.parse_memory("5Mi").passes_ns(5 * MI, 5 * MI) is None


def test_counters_hold_what_each_container_burnt_since_it_was_started() -> None:
    cluster = cluster_now()
    notes = {"cpu-usage": "250m", "memory-usage.d": "100Mi+6Mi/m", "cpu-usage.d": "1"}
    cluster.pod(annotations=notes, containers=[{"name": name, "image": "app:1"} for name in "cd"])
    cluster.pod("waits", on="")
    assert cluster.kubelet.used() == {}
    cluster.run("10m")
    (pod, used), *others = cluster.kubelet.used().items()
    assert (pod, others) == ("default/web", [])
    assert {name: each.cpu_core_ns for name, each in used.items()} == {"c": 150e9, "d": 600e9}
    assert {name: each.started_ns for name, each in used.items()} == dict.fromkeys("cd", 10**9)
    assert used["c"].memory_bytes == 0
    assert used["d"].memory_bytes == pytest.approx(160 * MI)


def test_counters_never_go_back_when_the_usage_changes() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"cpu-usage": "2"})
    cluster.run("1m")
    for cpu in ("500m", "1"):
        changed = {"metadata": {"annotations": {"kubestage.dev/cpu-usage": cpu}}}
        cluster.store.patch(POD, "web", changed)
        cluster.run("1m")
    assert cluster.kubelet.used()["default/web"]["c"].cpu_core_ns == pytest.approx(210e9)


def test_counters_begin_anew_with_the_container() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"cpu-usage": "1", "run-duration": "20s"})
    cluster.run("25s")
    used = cluster.kubelet.used()["default/web"]["c"]
    assert (used.started_ns, used.cpu_core_ns) == (21 * 10**9, 5e9)


def test_what_is_over_or_cannot_be_heard_uses_nothing() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"run-duration": "20s"}, restartPolicy="Never")
    cluster.node("n2", status={"images": [{"names": ["app:1"], "sizeBytes": 1}]})
    cluster.pod("far", on="n2")
    cluster.run("10s")
    assert set(cluster.kubelet.used()) == {"default/web", "default/far"}
    silent = {"metadata": {"annotations": {"kubestage.dev/heartbeat": "stopped"}}}
    cluster.store.patch(NODE, "n2", silent)
    cluster.run("1s")
    assert set(cluster.kubelet.used()) == {"default/web"}
    cluster.pod("failed")
    cluster.run("20s")
    assert set(cluster.kubelet.used()) == {"default/failed"}
    cluster.store.patch(POD, "failed", {"status": {"phase": "Failed"}}, subresource="status")
    cluster.run("1s")
    assert cluster.kubelet.used() == {}


def test_what_is_used_reaches_those_who_look() -> None:
    cluster = cluster_now()
    cluster.pod(annotations={"cpu-usage": "300m", "memory-usage": "64Mi"})
    metrics = cluster.kubelet.cluster.metrics
    metrics.require()
    cluster.run("2m")
    sample = metrics.board.pods("default")["web"].containers["c"]
    assert (sample.cpu_nanos, sample.memory_bytes) == (300_000_000, 64 * MI)


def test_nobody_uses_more_cpu_than_the_limit() -> None:
    cluster = cluster_now()
    limited = {"name": "c", "image": "app:1", "resources": {"limits": {"cpu": "400m"}}}
    cluster.pod(annotations={"cpu-usage": "2"}, containers=[limited])
    cluster.run("10s")
    assert cluster.kubelet.usage("default/web") == (0.4, 0)
