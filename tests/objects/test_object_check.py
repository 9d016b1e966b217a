"""What is wrong with one object, before any server has seen it."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import kinds, object_check


@pytest.mark.parametrize(
    ("spec", "problems"),
    [
        ({"clusterIP": "None", "selector": {"a": "b"}}, []),
        ({"clusterIP": "None", "ports": [{"port": 80}]}, []),
        ({"clusterIP": "10.0.0.7", "ports": [{"port": 80}]}, []),
        ({"clusterIPs": ["None"], "clusterIP": "None"}, []),
        ({"selector": {"a": "b"}}, ["spec.ports: Required value"]),
        ({"clusterIP": "10.0.0.7"}, ["spec.ports: Required value"]),
        ({"clusterIP": "x", "ports": [{"port": 80}]}, ["spec.clusterIPs[0]"]),
    ],
)
def test_a_service_that_states_its_address_states_all_of_them(
    spec: dict[str, Any], problems: list[str]
) -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": spec}
    found = [str(each) for each in object_check.problems(service, kinds.KindTable().of(service))]
    assert len(found) == len(problems)
    assert all(said in each for said, each in zip(problems, found, strict=True))
