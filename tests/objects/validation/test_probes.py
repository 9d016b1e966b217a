from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.pod_specs import container, problems, spec, with_container

AT = "spec.containers[0]"
EXEC = {"exec": {"command": ["true"]}, "successThreshold": 1}


@pytest.mark.parametrize(
    ("probe", "expected"),
    [
        (EXEC, []),
        (
            {"successThreshold": 2},
            [
                f"{AT}.livenessProbe: Required value: must specify a handler type",
                f"{AT}.livenessProbe.successThreshold: Invalid value: 2: must be 1",
            ],
        ),
        (
            {"httpGet": {"port": "", "scheme": "FTP"}, "successThreshold": 1},
            [
                f"{AT}.livenessProbe.httpGet.path: Required value",
                (
                    f'{AT}.livenessProbe.httpGet.port: Invalid value: "": must contain only '
                    "alpha-numeric characters (a-z, 0-9), and hyphens (-)"
                ),
                (
                    f'{AT}.livenessProbe.httpGet.port: Invalid value: "": must contain at least '
                    "one letter (a-z)"
                ),
                (
                    f'{AT}.livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported '
                    'values: "HTTP", "HTTPS"'
                ),
            ],
        ),
        (
            {"tcpSocket": {}, "successThreshold": 1},
            [
                (
                    f"{AT}.livenessProbe.tcpSocket.port: Invalid value: 0: must be between 1 and "
                    "65535, inclusive"
                )
            ],
        ),
        (
            EXEC | {"grpc": {"port": 1}, "terminationGracePeriodSeconds": 0, "periodSeconds": -1},
            [
                f"{AT}.livenessProbe.grpc: Forbidden: may not specify more than 1 handler type",
                (
                    f"{AT}.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or "
                    "equal to 0"
                ),
                (
                    f"{AT}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be "
                    "greater than 0"
                ),
            ],
        ),
    ],
)
def test_liveness_probes(probe: dict[str, Any], expected: list[str]) -> None:
    assert problems(with_container(livenessProbe=probe)) == expected
    renamed = [problem.replace("livenessProbe", "startupProbe") for problem in expected]
    assert problems(with_container(startupProbe=probe)) == renamed


def test_readiness_may_need_many_successes_but_has_no_grace_period() -> None:
    probe = EXEC | {"successThreshold": 3, "terminationGracePeriodSeconds": 5}
    assert problems(with_container(readinessProbe=probe)) == [
        (
            f"{AT}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set "
            "for readinessProbes"
        )
    ]


@pytest.mark.parametrize(("seconds", "valid"), [(0, True), (30, True), (31, False), (-1, False)])
def test_a_hook_sleeps_within_the_grace_period(seconds: int, valid: bool) -> None:
    lifecycle = {"preStop": {"sleep": {"seconds": seconds}}}
    expected = (
        f"{AT}.lifecycle.preStop.sleep: Invalid value: {seconds}: must be non-negative and less "
        "than terminationGracePeriodSeconds (30)"
    )
    assert problems(with_container(lifecycle=lifecycle)) == ([] if valid else [expected])


def test_without_a_grace_period_sleep_is_not_judged() -> None:
    given = with_container(lifecycle={"postStart": {"sleep": {"seconds": -5}}})
    del given["terminationGracePeriodSeconds"]
    assert problems(given) == ["spec.terminationGracePeriodSeconds: Required value"]


def test_a_hook_is_no_grpc_call() -> None:
    assert problems(with_container(lifecycle={"postStart": {"grpc": {"port": 1}}})) == [
        f"{AT}.lifecycle.postStart: Required value: must specify a handler type"
    ]


@pytest.mark.parametrize(
    ("system", "signal", "expected"),
    [
        ("linux", "SIGRTMIN+15", None),
        ("linux", "SIGFOO", 'Unsupported value: "SIGFOO": supported values: "SIGABRT", "SIGALRM"'),
        (
            "windows",
            "SIGUSR1",
            'Unsupported value: "SIGUSR1": supported values: "SIGKILL", "SIGTERM"',
        ),
        (None, "SIGTERM", "Forbidden: may not be set for containers with empty `spec.os.name`"),
    ],
)
def test_stop_signals_depend_on_the_system(
    system: str | None, signal: str, expected: str | None
) -> None:
    given = spec(containers=[container(lifecycle={"stopSignal": signal})])
    if system is not None:
        given["os"] = {"name": system}
    found = problems(given)
    if expected is None:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0].startswith(f"{AT}.lifecycle.stopSignal: {expected}")
