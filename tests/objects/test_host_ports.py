"""Host ports and their collisions."""

from __future__ import annotations

import itertools

import pytest

from kubestage.objects import host_ports
from kubestage.objects.host_ports import HostPort

ANY, LOCAL, OTHER = "0.0.0.0", "127.0.0.1", "10.0.0.1"


def test_only_ports_of_containers_that_stay_are_taken() -> None:
    spec = {
        "initContainers": [
            {"ports": [{"hostPort": 1}]},
            {"restartPolicy": "Always", "ports": [{"hostPort": 2, "hostIP": OTHER}]},
        ],
        "containers": [{"ports": [{"containerPort": 3}, {"hostPort": 4, "protocol": "UDP"}]}],
    }
    assert host_ports.of(spec) == (HostPort(OTHER, "TCP", 2), HostPort(ANY, "UDP", 4))


@pytest.mark.parametrize(
    ("first", "second", "collide"),
    [
        (HostPort(LOCAL, "TCP", 80), HostPort(LOCAL, "TCP", 80), True),
        (HostPort(LOCAL, "TCP", 80), HostPort(OTHER, "TCP", 80), False),
        (HostPort(ANY, "TCP", 80), HostPort(OTHER, "TCP", 80), True),
        (HostPort(ANY, "TCP", 80), HostPort(ANY, "UDP", 80), False),
        (HostPort(ANY, "TCP", 80), HostPort(ANY, "TCP", 81), False),
    ],
)
def test_the_wildcard_address_collides_with_every_address(
    first: HostPort, second: HostPort, collide: bool
) -> None:
    for one, other in itertools.permutations((first, second)):
        assert one.conflicts_with(other) == collide
        assert host_ports.conflict([one], [other]) == collide


def test_nothing_collides_with_nothing() -> None:
    assert not host_ports.conflict([], [HostPort(ANY, "TCP", 80)])
    assert not host_ports.conflict([HostPort(ANY, "TCP", 80)], [])
