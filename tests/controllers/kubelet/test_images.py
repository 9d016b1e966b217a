"""Images: how long pulls take, in what order, what is told of them, and where they show."""

from __future__ import annotations

from typing import Any

from tests.controllers.kubelet.clusters import NODE, Cluster, at


def slow(**settings: Any) -> Cluster:
    cluster = Cluster(image_size="100Mi", image_bandwidth="10Mi", launch_delay="0s", **settings)
    cluster.node()
    cluster.run("1s")
    return cluster


def test_a_pull_takes_its_size_over_the_bandwidth_and_is_kept() -> None:
    cluster = slow()
    cluster.pod("a")
    cluster.run("9s")
    assert cluster.container("a")["state"]["waiting"] == {"reason": "ContainerCreating"}
    cluster.run("2s")
    assert cluster.container("a")["state"]["running"]["startedAt"] == at(11)
    pulled = (
        'Successfully pulled image "app:1" in 10s (10s including waiting). '
        "Image size: 104857600 bytes."
    )
    assert cluster.events("a") == [
        ("Pulling", 'Pulling image "app:1"'),
        ("Pulled", pulled),
        ("Created", "Container created"),
        ("Started", "Container started"),
    ]
    cluster.pod("b")
    cluster.run("1ms")
    assert cluster.status("b")["phase"] == "Running"
    present = 'Container image "app:1" already present on machine and can be accessed by the pod'
    assert cluster.events("b")[0] == ("Pulled", present)
    assert [image["sizeBytes"] for image in cluster.node_status()["images"]] == [104857600]
    assert "app:1" in cluster.node_status()["images"][0]["names"]


def test_a_node_pulls_one_image_at_a_time() -> None:
    cluster = slow()
    cluster.pod("a")
    cluster.pod("b", containers=[{"name": "c", "image": "other:1"}])
    cluster.run("3s")
    cluster.pod("c")
    cluster.run("1m")
    started = {name: cluster.container(name)["state"]["running"]["startedAt"] for name in "abc"}
    assert started == {"a": at(11), "b": at(21), "c": at(21)}
    assert "in 10s (20s including waiting)" in cluster.events("b")[1][1]
    assert "in 0s (17s including waiting)" in cluster.events("c")[1][1]


def test_a_policy_of_always_asks_again_and_finds_it_there() -> None:
    cluster = slow()
    always = [{"name": "c", "image": "app:1", "imagePullPolicy": "Always"}]
    cluster.pod("a", containers=always)
    cluster.run("20s")
    cluster.pod("b", containers=always)
    cluster.run("1ms")
    assert cluster.status("b")["phase"] == "Running"
    assert "in 0s (0s including waiting)" in cluster.events("b")[1][1]


def test_a_policy_of_never_waits_for_somebody_else_to_bring_the_image() -> None:
    cluster = slow()
    cluster.pod(containers=[{"name": "c", "image": "app:1", "imagePullPolicy": "Never"}])
    cluster.run("5m")
    text = 'Container image "app:1" is not present with pull policy of Never'
    assert cluster.container()["state"]["waiting"] == {
        "reason": "ErrImageNeverPull",
        "message": text,
    }
    assert cluster.events() == [
        ("ErrImageNeverPull", text),
        ("Failed", "Error: ErrImageNeverPull"),
    ]
    cluster.pod("other")
    cluster.run("11s")
    assert cluster.status()["phase"] == "Running"


def test_sizes_come_from_the_pod_the_settings_or_any_node_that_has_the_image() -> None:
    cluster = slow(image_sizes={"table": "20Mi"})
    cluster.node("n2", status={"images": [{"names": ["known:1"], "sizeBytes": 30 << 20}]})
    cluster.run("1s")
    images = {"a": "table", "b": "known:1", "c": "app:1", "d": "own:1"}
    for name, image in images.items():
        notes = {"image-size.c": "40Mi"} if name == "d" else None
        container = {"name": "c", "image": image, "imagePullPolicy": "IfNotPresent"}
        cluster.pod(name, containers=[container], annotations=notes)
        cluster.run("1m")
    took = [cluster.events(name)[1][1].split(" in ")[1].split(" ")[0] for name in images]
    assert took == ["2s", "3s", "10s", "4s"]


def test_a_node_may_have_a_bandwidth_of_its_own() -> None:
    cluster = Cluster(launch_delay="0s")
    cluster.node(annotations={"kubestage.dev/image-bandwidth": "1Mi"})
    cluster.node("n2", annotations={"kubestage.dev/image-bandwidth": "fast"})
    cluster.run("1s")
    cluster.pod("a")
    cluster.pod("b", on="n2")
    cluster.run("10m")
    assert "in 1m40s" in cluster.events("a")[1][1]
    assert "in 1s" in cluster.events("b")[1][1]
    assert cluster.reasons("n2").count("InvalidAnnotation") == 1


def test_images_that_somebody_else_shows_are_there() -> None:
    cluster = slow()
    status = cluster.node_status()
    images = [{"names": ["app:1"], "sizeBytes": 5}]
    cluster.store.record_status(NODE, "n1", {**status, "images": images})
    cluster.pod()
    cluster.run("1ms")
    assert cluster.status()["phase"] == "Running"


def test_the_largest_images_come_first_and_no_more_than_fifty() -> None:
    cluster = Cluster(launch_delay="0s", image_bandwidth="1Gi")
    cluster.node(status={"capacity": {"cpu": "9", "memory": "1Gi", "pods": "99"}})
    cluster.run("1s")
    for number in range(60):
        container = {"name": "c", "image": f"app:{number}"}
        notes = {"image-size": str(1000 + number)}
        cluster.pod(f"p{number}", containers=[container], annotations=notes)
    cluster.run("1m")
    sizes = [image["sizeBytes"] for image in cluster.node_status()["images"]]
    assert sizes == [1059 - number for number in range(50)]


def test_an_image_outlives_the_pod_that_asked_for_it_but_not_its_node() -> None:
    cluster = slow()
    cluster.pod("a")
    cluster.run("2s")
    cluster.delete("a", grace=0)
    cluster.run("10s")
    assert len(cluster.node_status()["images"]) == 1
    cluster.pod("b", containers=[{"name": "c", "image": "other:1"}])
    cluster.run("2s")
    cluster.store.delete(NODE, "n1")
    cluster.node()
    cluster.run("1m")
    assert [each["names"][1] for each in cluster.node_status()["images"]] == ["other:1"]
    assert cluster.status("b")["phase"] == "Running"
