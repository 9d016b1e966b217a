"""Which image references mean the latest image."""

from __future__ import annotations

import pytest

from kubestage.objects.defaulting import image

DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("reference", "tag"),
    [
        ("nginx", "latest"),
        ("nginx:latest", "latest"),
        ("nginx:1.25", "1.25"),
        ("library/nginx", "latest"),
        ("registry.example.com:5000/a/b", "latest"),
        ("registry.example.com:5000/a/b:v1", "v1"),
        ("localhost/a:v1", "v1"),
        ("[fd00::1]:5000/a", "latest"),
        ("a__b/c-d--e.f", "latest"),
        (f"nginx@{DIGEST}", ""),
        (f"nginx:v1@{DIGEST}", "v1"),
        (f"nginx:latest@{DIGEST}", "latest"),
        ("UPPER.example.com/a", "latest"),
    ],
)
def test_the_tag_is_found(reference: str, tag: str) -> None:
    assert image.tag(reference) == tag


@pytest.mark.parametrize(
    "reference",
    [
        "",
        " ",
        "Nginx",
        "example.com/Nginx",
        "nginx:",
        "nginx:-v1",
        "nginx:" + "t" * 129,
        "a//b",
        "-a/b:v1",
        "a___b",
        "nginx:latest ",
        "0a" * 32,
        "nginx@sha256:" + "0A" * 32,
        "nginx:latest@sha256:" + "0a" * 31,
        "nginx:latest@md5:" + "0a" * 32,
        "a" * 256,
    ],
)
def test_malformed_references_have_no_tag(reference: str) -> None:
    assert image.tag(reference) == ""


def test_only_the_latest_image_is_always_pulled() -> None:
    assert image.pull_policy("nginx") == "Always"
    assert image.pull_policy("nginx:1") == "IfNotPresent"
    assert image.pull_policy("NOT AN IMAGE") == "IfNotPresent"
