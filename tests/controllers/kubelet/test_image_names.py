"""Images that cannot be pulled, by their names."""

from __future__ import annotations

import pytest

from kubestage.controllers.kubelet import image_names
from tests.controllers.kubelet.clusters import Cluster

_PATTERNS = ("*:404", "invalid.*/*")


@pytest.mark.parametrize(
    "image",
    [
        "a",
        "a:1",
        "lib/a",
        "host:5000/a/b:1.2",
        "a.b/c@sha256:" + "0" * 64,
        "[::1]:80/a",
        "a__b-c.d",
    ],
)
def test_names_that_are_good(image: str) -> None:
    assert image_names.problem(image) == ""


@pytest.mark.parametrize(
    ("image", "why"),
    [
        ("a::1", "invalid reference format"),
        ("a:", "invalid reference format"),
        ("App:1", "repository name (library/App) must be lowercase"),
        ("0" * 64, "cannot specify 64-byte hexadecimal strings"),
        ("a" * 256, "repository name must not be more than 255 characters"),
    ],
)
def test_names_that_are_none(image: str, why: str) -> None:
    found = image_names.problem(image)
    assert found.startswith(f'Failed to apply default image tag "{image}": couldn\'t parse')
    assert found.endswith(why)


@pytest.mark.parametrize(
    ("image", "fails"), [("web:404", True), ("invalid.host/a:1", True), ("web:4040", False)]
)
def test_patterns_say_which_images_cannot_be_pulled(image: str, fails: bool) -> None:
    found = image_names.pull_error(image, _PATTERNS)
    assert found.endswith(f"{image}: not found") is fails


def test_a_pod_with_a_bad_name_waits_for_a_good_one() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.pod(containers=[{"name": "c", "image": "app::1"}])
    cluster.run("1h")
    assert cluster.container()["state"]["waiting"]["reason"] == "InvalidImageName"
    assert cluster.reasons() == ["InspectFailed", "Failed"]
    image = {"spec": {"containers": [{"name": "c", "image": "app:1"}]}}
    cluster.store.patch(("v1", "Pod"), "web", image, "default")
    cluster.run("10s")
    assert cluster.status()["phase"] == "Running"


def test_an_image_that_a_pattern_names_is_never_pulled() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.pod(containers=[{"name": "c", "image": "web:404"}])
    cluster.run("25s")
    assert cluster.container()["state"]["waiting"]["reason"] == "ImagePullBackOff"
    free = Cluster(unpullable_images=())
    free.node()
    free.pod(containers=[{"name": "c", "image": "web:404"}])
    free.run("25s")
    assert free.status()["phase"] == "Running"
