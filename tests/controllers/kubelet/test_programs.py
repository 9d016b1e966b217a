"""How long a container runs by what it runs."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.kubelet import programs
from kubestage.objects import distributions

DEFAULT = distributions.parse("10s")


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"image": "registry:5000/pause:3.9"}, None),
        ({"image": "pause@sha256:abc"}, None),
        ({"image": "pause:3.9", "command": ["/bin/true"]}, "10s"),
        ({"image": "example.com/perf/sleep:v1", "args": ["1m30s"]}, "90s"),
        ({"image": "busybox", "command": ["sleep", "3600"]}, "1h"),
        ({"image": "busybox", "command": ["/bin/sleep"], "args": ["0.5"]}, "500ms"),
        ({"image": "busybox", "command": ["sleep", "2d"]}, "48h"),
        ({"image": "busybox", "command": ["sleep", "infinity"]}, None),
        ({"image": "busybox", "command": ["/bin/sh", "-c", "echo hello; sleep 28800"]}, "8h"),
        ({"image": "busybox", "command": ["sh", "-ec", "exec sleep 5"]}, "5s"),
        ({"image": "busybox", "command": ["sh", "-c", "sleep 5; make"]}, "10s"),
        ({"image": "busybox", "command": ["sh", "-c", "oversleep 5"]}, "10s"),
        ({"image": "busybox", "command": ["sleep", "$(TIME)"]}, "10s"),
        ({"image": "sleep"}, "10s"),
        ({"image": "nginx"}, "10s"),
        ({"image": "x/request-benchmark:v1", "args": ["informer", "--timeout=2m"]}, "2m"),
        ({"image": "request-benchmark", "command": ["/benchmark"], "args": ["informer"]}, "1m"),
        ({"image": "request-benchmark", "args": ["patch", "--qps=5"]}, None),
        ({"image": "x/watch-list:v0.0.4", "args": ["-timeout", "30s", "--count=1"]}, "30s"),
        ({"image": "watch-list", "args": ["--timeout=soon"]}, "10s"),
        ({"image": "perf-tests-util/access-tokens"}, None),
        ({}, "10s"),
    ],
)
def test_what_is_known_to_sleep_sleeps_and_all_else_has_the_default(
    container: dict[str, Any], expected: str | None
) -> None:
    wanted = None if expected is None else distributions.parse(expected)
    assert programs.lifetime(container, DEFAULT) == wanted
