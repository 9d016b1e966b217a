"""The stage: store, clock and chance as one value."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys

import pytest

from kubestage import InputError, Stage
from kubestage import stage as stages
from kubestage.scheduler import config
from kubestage.stage.collections import RARELY
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_namespace, make_node, make_pod

SCRIPT = """
import pickle, sys
from kubestage.testing import make_pod
stage = pickle.loads(sys.stdin.buffer.read())
stage.run("5s")
pod = make_pod("")
pod["metadata"] = {"generateName": "web-"}
created = stage.apply([pod])[0]
print(created["metadata"]["name"], created["metadata"]["uid"], stage.now)
"""


def _go_on(stage: Stage) -> str:
    stage.run("5s")
    pod = make_pod("")
    pod["metadata"] = {"generateName": "web-"}
    created = stage.apply([pod])[0]
    return f"{created['metadata']['name']} {created['metadata']['uid']} {stage.now}"


def test_time_passes_only_when_it_is_told_to() -> None:
    stage = Stage(start="2026-03-01T12:00:00Z")
    assert stage.now == "2026-03-01T12:00:00Z"
    stage.run("1h30m")
    stage.run(2_000_000_000)
    assert stage.now == "2026-03-01T13:30:02Z"


def test_objects_are_dated_by_the_virtual_clock() -> None:
    stage = Stage()
    stage.run("10m")
    created = stage.apply([make_node("n1")])[0]
    assert created["metadata"]["creationTimestamp"] == "2026-01-01T00:10:00Z"


def test_the_same_seed_gives_the_same_names_and_another_seed_others() -> None:
    assert _go_on(Stage(seed=7)) == _go_on(Stage(seed=7))
    assert _go_on(Stage(seed=7)) != _go_on(Stage(seed=8))


def test_a_fork_goes_on_as_the_original_does_and_apart_from_it() -> None:
    stage = Stage(seed=3)
    stage.apply([make_node("n1")])
    fork = stage.fork()
    assert _go_on(fork) == _go_on(stage)
    fork.store.delete(("v1", "Node"), "n1")
    assert stage.store.get(("v1", "Node"), "n1")["metadata"]["name"] == "n1"


def test_a_stage_goes_on_identically_in_another_process() -> None:
    stage = Stage(seed=11)
    stage.apply([make_pod("first")])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=pickle.dumps(stage),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == _go_on(stage)


def test_load_keeps_status_and_uid_as_they_are() -> None:
    pod = make_pod("web", node_name="n1")
    pod["metadata"]["uid"] = "u-1"
    pod["status"] = {"phase": "Running"}
    loaded = Stage().load([pod])[0]
    assert loaded["metadata"]["uid"] == "u-1"
    assert loaded["status"]["phase"] == "Running"


def test_apply_begins_a_pod_as_pending() -> None:
    pod = make_pod("web")
    pod["status"] = {"phase": "Running"}
    assert Stage().apply([pod])[0]["status"]["phase"] == "Pending"


def test_text_is_loaded_with_namespaces_and_definitions_first() -> None:
    text = """
    {"apiVersion": "v1", "kind": "List", "items": [
      {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}},
      {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
       "metadata": {"name": "widgets.example.com"},
       "spec": {"group": "example.com", "scope": "Cluster",
                "names": {"kind": "Widget", "plural": "widgets"},
                "versions": [{"name": "v1", "served": true, "storage": true,
                              "schema": {"openAPIV3Schema": {"type": "object"}}}]}}]}
    """
    stage = Stage()
    loaded = stage.load(text)
    assert [obj["kind"] for obj in loaded] == ["CustomResourceDefinition", "Widget"]


def test_a_namespace_is_made_as_needed_or_demanded() -> None:
    pod = make_pod("web", namespace="shop")
    Stage().apply([pod])
    strict = Stage(implicit_namespaces=False)
    strict.apply([make_namespace("shop"), pod])
    assert strict.store.get(("v1", "Pod"), "web", "shop")


def test_a_duration_that_cannot_be_read_says_how_to_write_it() -> None:
    with pytest.raises(InputError, match="10m"):
        Stage().run("ten minutes")


def test_a_scheduler_on_the_stage_places_pods_as_time_passes() -> None:
    stage = Stage()
    stage.add_scheduler()
    stage.apply([make_node("n1"), make_pod("web", cpu="1")])
    stage.run("1s")
    assert stage.store.get(("v1", "Pod"), "web")["spec"]["nodeName"] == "n1"


def test_a_stage_has_one_scheduler() -> None:
    stage = Stage()
    stage.add_scheduler()
    with pytest.raises(InputError, match="already"):
        stage.add_scheduler()


def test_a_stage_with_a_scheduler_forks_in_mid_life_and_goes_on_alike() -> None:
    stage = Stage(seed=5)
    stage.add_scheduler()
    stage.apply([make_node("n1", cpu="2"), make_pod("a", cpu="1500m"), make_pod("b", cpu="1")])
    stage.run("1s")
    fork = stage.fork()
    for each in (stage, fork):
        each.store.delete(("v1", "Pod"), "a", options=DeleteOptions(grace_period_seconds=0))
        each.run("1m")
    assert fork.store.get(("v1", "Pod"), "b") == stage.store.get(("v1", "Pod"), "b")
    assert stage.store.get(("v1", "Pod"), "b")["spec"]["nodeName"] == "n1"


def test_one_object_may_be_given_by_itself() -> None:
    stage = Stage()
    (loaded,) = stage.load(make_node("a"))
    (applied,) = stage.apply(make_node("b"))
    assert [loaded["metadata"]["name"], applied["metadata"]["name"]] == ["a", "b"]


class Refuses:
    """A plugin that cannot be made."""

    name = "Refuses"

    def __init__(self, *_: object) -> None:
        raise InputError("no")


def test_a_scheduler_that_cannot_be_made_leaves_the_one_that_is_there() -> None:
    stage = Stage()
    before = stage.add_scheduler()
    enabled = {"multiPoint": {"enabled": [{"name": "Refuses"}]}}
    profile = {"schedulerName": "default-scheduler", "plugins": enabled}
    wanted = config.from_dict(
        {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "profiles": [profile],
        }
    )
    with pytest.raises(InputError):
        stage.configure_scheduler(wanted, plugins={"Refuses": Refuses})
    assert stage.scheduler is before
    stage.apply([make_node("n1", cpu="4"), make_pod("web", cpu="1")])
    stage.run("1s")
    assert stage.store.get(("v1", "Pod"), "web")["spec"]["nodeName"] == "n1"


def test_who_wants_few_collections_may_end_in_any_order() -> None:
    before = gc.get_threshold()
    first, second = stages.few_collections(), stages.few_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() != before
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


def test_what_is_searched_rarely_is_searched_once() -> None:
    before = gc.get_threshold()
    with stages.few_collections(RARELY):
        with stages.few_collections():
            first, second, _ = gc.get_threshold()
        assert first == RARELY
        assert second > 1000
    with stages.few_collections():
        first, second, _ = gc.get_threshold()
        assert first < RARELY
        assert second < 1000
    assert gc.get_threshold() == before
