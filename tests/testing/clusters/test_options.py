"""What a test may say about its cluster, and what it reads if that cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from kubestage.errors import InputError
from kubestage.scheduler.framework import SUCCESS, Status, unschedulable
from kubestage.testing import ClusterFactory, make_deployment, make_node, make_pod

if TYPE_CHECKING:
    import pathlib


class OnlyThere:
    """Lets pods go to one node only."""

    name: ClassVar[str] = "OnlyThere"

    def __init__(self, args: Any, handle: Any) -> None:
        del args, handle

    def filter_node(self, state: Any, pod: Any, node: Any) -> Status:
        del state, pod
        return SUCCESS if node.name == "node-2" else unschedulable("not there")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"node_count": 5}, 'there is no argument "node_count" .there are nodes'),
        ({"node": "cpu=many"}, "x: node: "),
        ({"manifest": []}, "did you mean manifests?"),
        ({"nodes": -1}, "x: nodes: -1 is no number of nodes"),
        ({"nodes": "5"}, "x: nodes: '5' is no number of nodes"),
        ({"seed": 1.5}, "x: seed: 1.5 is no whole number"),
        ({"start": "noon"}, 'x: start: "noon" is no time .write it as in 2026-01-01T00:00:00Z'),
        ({"setting": "hpa"}, 'x: setting: "hpa" is no setting'),
        ({"pace": "fast"}, 'x: pace: "fast" is no pace .write jump or still'),
        ({"patience": "long"}, "x: patience: 'long' is no time to wait"),
        ({"manifests": 5}, "x: manifests: 5 is no list"),
    ],
)
def test_an_argument_that_cannot_be_used(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ClusterFactory().options(given, "x", "")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"setting": {"hpa.sync": "3s"}}, 'setting: .*"hpa.sync"'),
        ({"manifests": ["missing.yaml"]}, "missing.yaml: no such file"),
        ({"manifests": ["kind: Pod\napiVersion: v2\n"]}, r"manifests\[0\]:2: apiVersion"),
        ({"config": {"profils": []}}, 'config: .*unknown field "profils"'),
        ({"config": "missing.yaml"}, "missing.yaml"),
        ({"plugins": [int]}, "plugins: int"),
        ({"plugins": ["missing.py:A"]}, "missing.py"),
        ({"manifests": [make_node("node-0")], "nodes": 1}, 'a node "node-0" already'),
    ],
)
def test_an_argument_that_turns_out_wrong(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ClusterFactory()(**given)


def test_nodes_are_plain_unless_manifests_have_some() -> None:
    factory = ClusterFactory()
    assert len(factory().list("nodes")) == 3
    assert len(factory(nodes=0).list("nodes")) == 0
    own = factory(manifests=[make_node("mine")])
    assert [node["metadata"]["name"] for node in own.list("nodes")] == ["mine"]
    both = factory(manifests=[make_node("mine")], nodes=2, node="cpu=2,memory=4Gi")
    assert len(both.list("nodes")) == 3
    assert both.get("node/node-1")["status"]["capacity"]["cpu"] == "2"


def test_defaults_can_be_changed() -> None:
    factory = ClusterFactory({"nodes": 1, "start": "2030-05-01T00:00:00Z"})
    assert len(factory().list("nodes")) == 1
    assert len(factory(nodes=2).list("nodes")) == 2
    assert factory().now.startswith("2030-05-01T00:00:00")


def test_manifests_are_found_where_the_test_is(tmp_path: pathlib.Path) -> None:
    (tmp_path / "web.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
        "spec: {containers: [{name: c, image: x}]}\n"
    )
    cluster = ClusterFactory(folder=str(tmp_path))(manifests=["web.yaml", make_pod("other")])
    cluster.expect.pods().ready(2, within="1m")


def test_a_file_that_changes_is_read_again(tmp_path: pathlib.Path) -> None:
    factory, file = ClusterFactory(), tmp_path / "node.yaml"
    for name in ("first", "the-second"):
        file.write_text(f"apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\n")
        assert factory(manifests=[str(file)]).find(f"node/{name}") is not None


def test_settings_reach_the_controllers() -> None:
    slow = ClusterFactory()(setting={"kubelet.launch-delay": "90s"})
    slow.apply(make_pod("a"))
    slow.run("1m")
    assert slow.get("pod/a")["status"]["phase"] == "Pending"
    slow.run("2m")
    assert slow.get("pod/a")["status"]["phase"] == "Running"


def test_a_plugin_is_a_class_of_the_test() -> None:
    cluster = ClusterFactory()(plugins=[OnlyThere])
    cluster.apply(make_deployment("web", replicas=4, cpu="100m"))
    cluster.settle()
    cluster.expect("deploy/web").ready(4).pods().on_nodes("node-2")
    copy = cluster.fork()
    copy.scale("deploy/web", 5)
    copy.settle()
    copy.expect("deploy/web").pods().on_nodes("node-2")


def test_a_plugin_that_is_defined_in_a_function() -> None:
    class Local(OnlyThere):
        name: ClassVar[str] = "Local"

    factory = ClusterFactory()
    for _ in range(2):
        cluster = factory(plugins=[Local])
        cluster.apply(make_pod("a"))
        cluster.settle()
        cluster.expect.pods().on_nodes("node-2")
    with pytest.raises(InputError, match=r"cannot be copied.*at the top of a module"):
        cluster.fork()


def test_a_plugin_is_a_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        '    name = "Mine"\n'
        "    def __init__(self, args, handle): pass\n"
        "    def score_node(self, state, pod, node): return 100 * (node.name == 'node-1')\n"
    )
    config = {"profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "Mine"}]}}}]}
    factory = ClusterFactory(folder=str(tmp_path))
    for options in ({}, {"config": config}):
        cluster = factory(plugins=["mine.py:Mine"], **options)
        cluster.apply(make_pod("a"))
        cluster.settle()
        cluster.expect.pods().on_nodes("node-1")


def test_a_configuration_is_a_file_a_text_or_a_dict(tmp_path: pathlib.Path) -> None:
    text = (
        "apiVersion: kubescheduler.config.k8s.io/v1\n"
        "kind: KubeSchedulerConfiguration\n"
        "profiles: [{schedulerName: mine}]\n"
    )
    (tmp_path / "scheduler.yaml").write_text(text)
    for config in (tmp_path / "scheduler.yaml", text, {"profiles": [{"schedulerName": "mine"}]}):
        cluster = ClusterFactory()(config=config)
        cluster.apply(make_pod("a", scheduler_name="mine"), make_pod("b"))
        cluster.run("1m")
        assert cluster.get("pod/a")["spec"]["nodeName"]
        assert "nodeName" not in cluster.get("pod/b")["spec"]
