"""A cluster in the process of a test: objects and time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import ApiError, ExpectationFailed, InputError, NotFound
from kubestage.testing import make_deployment, make_pod

if TYPE_CHECKING:
    import pathlib

    from kubestage.testing import Cluster, ClusterFactory

POD = """
apiVersion: v1
kind: Pod
metadata: {name: written, namespace: shop}
spec: {containers: [{name: c, image: nginx}]}
"""


def names(cluster: Cluster) -> list[str]:
    return [pod["metadata"]["name"] for pod in cluster.list("pods")]


def test_a_deployment_comes_up(cluster: Cluster) -> None:
    cluster.apply(make_deployment("web", replicas=3))
    assert names(cluster) == []
    cluster.settle()
    assert len(names(cluster)) == 3
    assert cluster.get("deploy/web")["status"]["readyReplicas"] == 3
    assert 0 < cluster.elapsed_s < 60


def test_the_same_seed_is_the_same_cluster(factory: ClusterFactory) -> None:
    first, again, other = factory(seed=7), factory(seed=7), factory(seed=8)
    for each in (first, again, other):
        each.apply(make_deployment("web", replicas=3))
        each.run("1m")
    assert names(first) == names(again)
    assert first.get("deploy/web") == again.get("deploy/web")
    assert names(first) != names(other)


def test_clusters_share_nothing(factory: ClusterFactory) -> None:
    first, second = factory(), factory()
    first.apply(make_pod("a"))
    assert names(second) == []


def test_objects_come_from_files_texts_dicts_and_lists(
    cluster: Cluster, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "pod.yaml").write_text(POD.replace("written", "filed"))
    cluster.apply(tmp_path / "pod.yaml", POD, [make_pod("listed")], make_pod("given"))
    assert sorted(names(cluster)) == ["filed", "given", "listed", "written"]
    assert cluster.get("pod/shop/filed")["metadata"]["namespace"] == "shop"
    assert cluster.get("pod/filed", "shop") is cluster.get("pod/shop/filed")


def test_what_cannot_be_applied_says_where(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD.replace("image:", "imagee:"))
    with pytest.raises(InputError, match=r"pod.yaml:5: spec.containers\[0\].imagee: unknown field"):
        cluster.apply(tmp_path / "pod.yaml")
    with pytest.raises(InputError, match=r"apply\[0\].*: spec.nodename: unknown field"):
        cluster.apply({**make_pod("a"), "spec": {"containers": [], "nodename": "x"}})
    with pytest.raises(InputError, match=r"apply\[1\]: int is no manifest"):
        cluster.apply(make_pod("a"), 7)
    with pytest.raises(InputError, match="no such file"):
        cluster.apply("missing.yaml")
    with pytest.raises(ApiError, match="containers: Required value"):
        cluster.apply({**make_pod("a"), "spec": {"containers": []}})


def test_verbs(cluster: Cluster) -> None:
    created = cluster.create(make_pod("a", labels={"app": "a"}))
    assert cluster.find("pod/a") is created
    assert cluster.find("pod/b") is None
    with pytest.raises(NotFound, match='pods "b" not found'):
        cluster.get("pod/b")
    cluster.patch("pod/a", {"metadata": {"labels": {"tier": "web"}}})
    assert [pod["metadata"]["name"] for pod in cluster.list("pods", "tier=web")] == ["a"]
    assert cluster.list("pods", "tier=db") == []
    cluster.delete("pod/a", grace_seconds=0)
    assert cluster.find("pod/a") is None
    cluster.apply(make_deployment("web", replicas=1))
    cluster.scale("deploy/web", 4)
    cluster.settle()
    assert cluster.get("deploy/web")["status"]["readyReplicas"] == 4


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("web", 'names no object .*KIND/NAME'),
        ("deploi/web", 'no kind "deploi" .did you mean deploy'),
        ("node/default/n", "nodes are in no namespace"),
        ("a/b/c/d", "names no object"),
    ],
)  # fmt: skip
def test_a_name_that_means_nothing(cluster: Cluster, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        cluster.get(name)


def test_time_passes_when_the_test_says_so(cluster: Cluster) -> None:
    before = cluster.now
    cluster.apply(make_pod("a"))
    assert cluster.now == before
    cluster.run("10m")
    assert cluster.elapsed_s >= 600
    with pytest.raises(InputError, match="invalid duration"):
        cluster.run("ten minutes")


def test_run_until_stops_at_the_moment(cluster: Cluster) -> None:
    cluster.apply(make_pod("a"))
    cluster.run_until(lambda: cluster.get("pod/a")["spec"].get("nodeName"))
    assert cluster.get("pod/a")["status"]["phase"] == "Pending"
    cluster.run_until(lambda: cluster.get("pod/a")["status"]["phase"] == "Running", within="1m")
    running_s = cluster.elapsed_s
    assert running_s < 60
    cluster.run_until(lambda: True)
    assert cluster.elapsed_s == running_s


def test_run_until_shows_what_is_under_way(cluster: Cluster) -> None:
    cluster.apply(make_pod("big", cpu="100"))
    with pytest.raises(ExpectationFailed) as failed:
        cluster.run_until(lambda: False, within="1m")
    text = str(failed.value)
    assert text.startswith("expected the condition to hold within 1m: it does not")
    assert "pod/big   0/1     Pending" in text
    assert "default/big has no node: 0/3 nodes are available: 3 Insufficient cpu" in text
    assert cluster.elapsed_s >= 60


def test_settling_leaves_out_what_never_ends(cluster: Cluster) -> None:
    container = {"name": "c", "image": "job"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": template}}}
    cluster.apply(
        {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "x"}, "spec": spec}
    )
    cluster.settle()
    assert cluster.elapsed_s < 600


def test_settling_takes_no_longer_than_it_may(cluster: Cluster) -> None:
    cluster.apply(make_deployment("web", replicas=1))
    with pytest.raises(ExpectationFailed, match="within 1ms"):
        cluster.settle(within="1ms")


def test_a_copy_goes_its_own_way(cluster: Cluster) -> None:
    cluster.apply(make_deployment("web", replicas=3))
    copy, another = cluster.fork(), cluster.fork()
    for each in (copy, another):
        each.run("1m")
    assert len(names(copy)) == 3
    assert names(copy) == names(another)
    assert names(cluster) == []
    cluster.run("1m")
    assert names(cluster) == names(copy)
    copy.delete("deploy/web")
    copy.run("1m")
    assert (len(names(copy)), len(names(cluster))) == (0, 3)


def test_a_copy_is_of_now(cluster: Cluster) -> None:
    assert names(cluster.fork()) == []
    cluster.apply(make_pod("a"))
    assert names(cluster.fork()) == ["a"]
    cluster.run("1m")
    assert cluster.fork().now == cluster.now


def test_events_and_explanations(cluster: Cluster) -> None:
    cluster.apply(make_pod("big", cpu="100"), make_pod("small"))
    cluster.run("1m")
    reasons = [event["reason"] for event in cluster.events("pod/big")]
    assert reasons == ["FailedScheduling"]
    assert cluster.events("pod/small", reason="Scheduled")
    assert "lower its cpu request" in cluster.explain("big")
    assert cluster.explain("small").startswith("default/small is on node-")
    with pytest.raises(InputError, match="only pods are scheduled"):
        cluster.explain("node/node-0")
