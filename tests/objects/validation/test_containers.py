from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.validation import pod_options
from tests.objects.validation.pod_specs import container, problems, spec, with_container

AT = "spec.containers[0]"


def test_a_bare_container_lacks_name_image_and_what_defaulting_fills_in() -> None:
    assert problems(spec(containers=[{}])) == [
        f"{AT}.name: Required value",
        f"{AT}.image: Required value",
        f"{AT}.terminationMessagePolicy: Required value",
        f"{AT}.imagePullPolicy: Required value",
    ]


def test_policies_are_enumerations() -> None:
    given = with_container(terminationMessagePolicy="X", imagePullPolicy="Y")
    assert problems(given) == [
        (
            f'{AT}.terminationMessagePolicy: Unsupported value: "X": supported values: "File", '
            '"FallbackToLogsOnError"'
        ),
        (
            f'{AT}.imagePullPolicy: Unsupported value: "Y": supported values: "Always", '
            '"IfNotPresent", "Never"'
        ),
    ]


@pytest.mark.parametrize(
    ("ports", "expected"),
    [
        (
            [{"containerPort": 0, "protocol": "TCP"}],
            [f"{AT}.ports[0].containerPort: Required value"],
        ),
        ([{"containerPort": 80}], [f"{AT}.ports[0].protocol: Required value"]),
        (
            [{"containerPort": 80, "protocol": "ICMP"}],
            [
                (
                    f'{AT}.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", '
                    '"TCP", "UDP"'
                )
            ],
        ),
        (
            [{"containerPort": 65536, "hostPort": -1, "protocol": "TCP"}],
            [
                (
                    f"{AT}.ports[0].containerPort: Invalid value: 65536: must be between 1 and "
                    "65535, inclusive"
                ),
                (
                    f"{AT}.ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, "
                    "inclusive"
                ),
            ],
        ),
        (
            [
                {"name": "a", "containerPort": 1, "protocol": "TCP"},
                {"name": "a", "containerPort": 2, "protocol": "TCP"},
            ],
            [f'{AT}.ports[1].name: Duplicate value: "a"'],
        ),
    ],
)
def test_ports(ports: list[dict[str, Any]], expected: list[str]) -> None:
    assert problems(with_container(ports=ports)) == expected


def test_a_host_port_belongs_to_one_container_but_init_containers_take_turns() -> None:
    port = {"containerPort": 80, "hostPort": 80, "protocol": "TCP", "hostIP": "10.0.0.1"}
    given = spec(
        containers=[container("a", ports=[port]), container("b", ports=[port])],
        initContainers=[container("c", ports=[port]), container("d", ports=[port, port])],
    )
    assert problems(given) == [
        'spec.containers[1].ports[0].hostPort: Duplicate value: "TCP/10.0.0.1/80"',
        'spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP/10.0.0.1/80"',
    ]


def test_names_are_unique_over_all_kinds_of_containers() -> None:
    given = spec(
        containers=[container("a"), container("a")],
        initContainers=[container("a"), container("b"), container("b")],
        ephemeralContainers=[container("b"), container("e", targetContainerName="e")],
    )
    assert problems(given) == [
        'spec.containers[1].name: Duplicate value: "a"',
        'spec.initContainers[0].name: Duplicate value: "a"',
        'spec.initContainers[2].name: Duplicate value: "b"',
        'spec.ephemeralContainers[0].name: Duplicate value: "b"',
        'spec.ephemeralContainers[1].targetContainerName: Not found: "e"',
    ]


def test_only_sidecars_among_init_containers_are_probed() -> None:
    probe = {"exec": {"command": ["true"]}, "successThreshold": 1}
    hooks: dict[str, Any] = {
        "lifecycle": {"preStop": {"exec": {"command": ["true"]}}},
        "livenessProbe": probe,
        "readinessProbe": probe,
        "startupProbe": probe,
    }
    detail = "Forbidden: may not be set for init containers without restartPolicy=Always"
    assert problems(spec(initContainers=[container("i", **hooks)])) == [
        f"spec.initContainers[0].{key}: {detail}" for key in hooks
    ]
    sidecar = container("i", restartPolicy="Always", **hooks)
    assert problems(spec(initContainers=[sidecar])) == []


def test_only_sidecars_among_init_containers_restart_on_resize() -> None:
    policy = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    given = spec(initContainers=[container("i", resizePolicy=policy)])
    assert problems(given) == [
        (
            "spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "
            "\"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar "
            "initContainers"
        )
    ]
    loose = pod_options.PodValidationOptions(
        allow_existing_restart_container_for_non_sidecar_init_container=True
    )
    assert problems(given, options=loose) == []


def test_ephemeral_containers_are_plain() -> None:
    given = container(
        "e",
        image=" img",
        ports=[{"containerPort": 80, "protocol": "TCP"}],
        resources={"limits": {"cpu": "1"}},
        restartPolicy="Always",
        startupProbe={"exec": {"command": ["true"]}, "successThreshold": 1},
        volumeMounts=[
            {"name": "v", "mountPath": "/a", "subPath": "s"},
            {"name": "v", "mountPath": "/b", "subPathExpr": "t"},
        ],
    )
    volumes = [{"name": "v", "emptyDir": {}}]
    at = "spec.ephemeralContainers[0]"
    detail = "Forbidden: cannot be set for an Ephemeral Container"
    assert problems(spec(ephemeralContainers=[given], volumes=volumes)) == [
        f'{at}.image: Invalid value: " img": must not have leading or trailing whitespace',
        f"{at}.ports: {detail}",
        f"{at}.resources: {detail}",
        f"{at}.restartPolicy: {detail}",
        f"{at}.startupProbe: {detail}",
        f"{at}.volumeMounts[0].subPath: {detail}",
        f"{at}.volumeMounts[1].subPathExpr: {detail}",
    ]
