"""How large a request may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli import servers
from tests.server.test_large_scenarios import many

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

SCENARIOS = "/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios"


@pytest.mark.parametrize(
    ("size", "said"), [("much", '"much" is no size'), ("0", "above 0"), ("1Ti", "at most 2Gi")]
)
def test_a_size_that_is_none_is_refused(terminal: Terminal, size: str, said: str) -> None:
    result = terminal.run("serve", "--in-memory", "--max-request-bytes", size)
    assert result.code == 2
    assert said in result.err
    assert "64Mi" in result.err


def test_a_scenario_beyond_the_limit_of_other_objects_is_created(tmp_path: pathlib.Path) -> None:
    body = many(12_000)
    with servers.serving(tmp_path, "--in-memory", "--pace", "still") as server:
        status, made = server.call(SCENARIOS, body, method="POST")
        assert status == 201
        assert len(made["spec"]["events"]) == 12_000


def test_a_limit_holds_for_scenarios_as_well(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory", "--max-request-bytes", "1Ki") as server:
        status, said = server.call(SCENARIOS, many(10), method="POST")
        assert status == 413
        assert "1024" in said["message"]
