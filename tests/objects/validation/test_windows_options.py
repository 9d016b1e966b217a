from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import capabilities, windows_options
from tests.objects.validation.pod_specs import container, problems, spec, texts


def _user(name: str) -> list[str]:
    errors = windows_options.validate_windows_options({"runAsUserName": name}, "w")
    return [error.detail for error in errors]


@pytest.mark.parametrize(
    "name",
    ["ContainerUser", "NT AUTHORITY\\NETWORK SERVICE", "test.dns-1\\user", "a" * 104, "DOM\\.u"],
)
def test_users_with_and_without_a_domain(name: str) -> None:
    assert _user(name) == []


@pytest.mark.parametrize(
    ("name", "details"),
    [
        ("", ["runAsUserName cannot be an empty string"]),
        ("a\x7f", ["runAsUserName cannot contain control characters"]),
        ("a\\b\\c", ["runAsUserName cannot contain more than one backslash"]),
        (
            ".a\\b",
            ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"],
        ),
        (
            "d" * 256 + "\\b",
            [
                "runAsUserName's Domain length must be under 256 characters",
                "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
            ],
        ),
        ("a\\", ["runAsUserName's User cannot be empty"]),
        ("a" * 105, ["runAsUserName's User length must not be longer than 104 characters"]),
        (". .", ["runAsUserName's User cannot contain only periods or spaces"]),
        (
            "a@b",
            ["runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"],
        ),
    ],
)
def test_users_that_windows_does_not_know(name: str, details: list[str]) -> None:
    assert _user(name) == details


def test_credentials() -> None:
    options = {"gmsaCredentialSpecName": "A", "gmsaCredentialSpec": ""}
    name, empty = texts(windows_options.validate_windows_options(options, "w"))
    assert name.startswith('w.gmsaCredentialSpecName: Invalid value: "A": a lowercase')
    assert empty == (
        'w.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string'
    )
    options = {"gmsaCredentialSpec": "x" * (64 * 1024 + 1)}
    (error,) = windows_options.validate_windows_options(options, "w")
    assert error.detail == "gmsaCredentialSpec size must be under 64 KiB"
    options = {"gmsaCredentialSpec": "x" * 64 * 1024}
    assert windows_options.validate_windows_options(options, "w") == []


def _host_process(value: bool) -> dict[str, Any]:
    return {"windowsOptions": {"hostProcess": value}}


def test_host_processes_are_all_or_none_and_on_the_host_network() -> None:
    given = spec(
        containers=[
            container("a", securityContext=_host_process(True)),
            container("b"),
        ]
    )
    with capabilities.privileged_pods(allowed=False):
        found = problems(given)
    assert found == [
        (
            'spec: Invalid value: "": If pod contains any hostProcess containers then all '
            "containers must be HostProcess containers"
        ),
        (
            "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any "
            "hostProcess containers"
        ),
        "spec: Forbidden: hostProcess containers are disallowed by cluster policy",
    ]
    inherited = given | {"securityContext": _host_process(True), "hostNetwork": True}
    assert problems(inherited) == []


def test_pod_and_container_agree_about_host_processes() -> None:
    given = spec(
        securityContext=_host_process(False),
        hostNetwork=True,
        containers=[container(securityContext=_host_process(True))],
    )
    assert problems(given) == [
        (
            "spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: "
            "pod hostProcess value must be identical if both are specified, was false"
        )
    ]


def test_a_container_may_not_step_out_of_the_pods_host_processes() -> None:
    given = spec(
        securityContext=_host_process(True),
        containers=[container(securityContext=_host_process(False))],
    )
    (problem,) = problems(given)
    assert problem.endswith("must be identical if both are specified, was true")


def test_no_host_process_no_rule() -> None:
    given = spec(
        securityContext=_host_process(False),
        containers=[container(securityContext=_host_process(False))],
    )
    assert problems(given) == []
