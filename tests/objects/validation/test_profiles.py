from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import profiles
from tests.objects.validation.pod_specs import problems, spec, texts, with_container

TYPES = '"Localhost", "RuntimeDefault", "Unconfined"'


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ({"type": "Unconfined"}, []),
        ({"type": "Localhost", "localhostProfile": "a/b"}, []),
        ({}, [".type: Required value: type is required when seccompProfile is set"]),
        ({"type": "X"}, [f'.type: Unsupported value: "X": supported values: {TYPES}']),
        (
            {"type": "Localhost"},
            [".localhostProfile: Required value: must be set when seccomp type is Localhost"],
        ),
        (
            {"type": "Localhost", "localhostProfile": "/a/../b"},
            [
                '.localhostProfile: Invalid value: "/a/../b": must be a relative path',
                ".localhostProfile: Invalid value: \"/a/../b\": must not contain '..'",
            ],
        ),
        (
            {"type": "RuntimeDefault", "localhostProfile": "a"},
            [
                (
                    '.localhostProfile: Invalid value: {"Type":"RuntimeDefault","LocalhostProfile":'
                    '"a"}: can only be set when seccomp type is Localhost'
                )
            ],
        ),
    ],
)
def test_seccomp_profiles_of_pods_and_containers(
    profile: dict[str, Any], expected: list[str]
) -> None:
    context = {"seccompProfile": profile}
    for given, at in (
        (spec(securityContext=context), "spec"),
        (with_container(securityContext=context), "spec.containers[0]"),
    ):
        path = f"{at}.securityContext.seccompProfile"
        assert problems(given) == [f"{path}{problem}" for problem in expected]


LOCALHOST = ".localhostProfile: Required value: must be set when AppArmor type is Localhost"


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ({"type": "RuntimeDefault"}, []),
        ({"type": "Localhost", "localhostProfile": "a b"}, []),
        ({}, [".type: Required value: type is required when appArmorProfile is set"]),
        ({"type": "X"}, [f'.type: Unsupported value: "X": supported values: {TYPES}']),
        ({"type": "Localhost"}, [LOCALHOST]),
        ({"type": "Localhost", "localhostProfile": ""}, [LOCALHOST]),
        (
            {"type": "Localhost", "localhostProfile": " a"},
            ['.localhostProfile: Invalid value: " a": must not be padded with whitespace'],
        ),
        (
            {"type": "Localhost", "localhostProfile": "é" * 2048},
            [".localhostProfile: Too long: may not be more than 4095 bytes"],
        ),
        (
            {"type": "Unconfined", "localhostProfile": "a"},
            [
                (
                    '.localhostProfile: Invalid value: "a": can only be set when AppArmor type is '
                    "Localhost"
                )
            ],
        ),
    ],
)
def test_apparmor_profiles_of_pods_and_containers(
    profile: dict[str, Any], expected: list[str]
) -> None:
    context = {"appArmorProfile": profile}
    for given, at in (
        (spec(securityContext=context), "spec"),
        (with_container(securityContext=context), "spec.containers[0]"),
    ):
        path = f"{at}.securityContext.appArmorProfile"
        assert problems(given) == [f"{path}{problem}" for problem in expected]


@pytest.mark.parametrize(
    ("annotation", "profile", "field"),
    [
        ("unconfined", {"type": "Unconfined"}, ""),
        ("runtime/default", {"type": "Unconfined"}, "type"),
        ("runtime/default", {"type": "RuntimeDefault"}, ""),
        ("localhost/a", {"type": "RuntimeDefault"}, "type"),
        ("localhost/a", {"type": "Localhost", "localhostProfile": "a"}, ""),
        ("localhost/a", {"type": "Localhost", "localhostProfile": "b"}, "localhostProfile"),
        ("localhost/a", {"type": "Localhost"}, "localhostProfile"),
        ("unconfined", {"type": "Localhost", "localhostProfile": "a"}, "type"),
        ("unconfined", {"type": "Unknown"}, ""),
    ],
)
def test_annotation_and_field_must_agree(
    annotation: str, profile: dict[str, Any], field: str
) -> None:
    noun = "profile" if field == "localhostProfile" else "type"
    containers = [({"name": "c", "securityContext": {"seccompProfile": profile}}, "c")]
    annotations = {
        "seccomp.security.alpha.kubernetes.io/pod": annotation,
        "container.seccomp.security.alpha.kubernetes.io/c": annotation,
        "container.apparmor.security.beta.kubernetes.io/c": annotation,
    }
    context = {"seccompProfile": profile, "appArmorProfile": profile}
    seccomp = f"{field}: Forbidden: seccomp {noun} in annotation and field must match"
    assert texts(profiles.validate_seccomp_agreement(annotations, context, containers, "spec")) == (
        [f"{at}.securityContext.seccompProfile.{seccomp}" for at in ("spec", "c")] if field else []
    )
    apparmor = f"{field}: Forbidden: apparmor {noun} in annotation and field must match"
    assert texts(profiles.validate_apparmor_agreement(annotations, context, containers)) == (
        [f"c.securityContext.appArmorProfile.{apparmor}"] if field else []
    )


def test_docker_default_was_the_runtime_default_for_seccomp() -> None:
    annotations = {"seccomp.security.alpha.kubernetes.io/pod": "docker/default"}
    context = {"seccompProfile": {"type": "RuntimeDefault"}}
    assert profiles.validate_seccomp_agreement(annotations, context, [], "spec") == []


@pytest.mark.parametrize(
    ("annotation", "profile"),
    [
        ("unconfined", {"type": "Unconfined"}),
        ("runtime/default", {"type": "RuntimeDefault"}),
        ("localhost/a", {"type": "Localhost", "localhostProfile": "a"}),
        ("localhost/", None),
        ("localhost/ a", None),
        ("other", None),
        ("", None),
    ],
)
def test_an_apparmor_annotation_as_a_field(annotation: str, profile: dict[str, str] | None) -> None:
    assert profiles.apparmor_profile_of(annotation) == profile
