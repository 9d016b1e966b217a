from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.devices.samples import claim, request
from tests.objects.validation.judging import problems

REQUEST = "spec.devices.requests[0]"
EXACTLY = f"{REQUEST}.exactly"
A_REQUEST = (
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'"
)
OPAQUE = {"opaque": {"driver": "d.x", "parameters": {"a": 1}}}


def test_a_claim_asks_for_devices_of_a_class() -> None:
    choice = {"name": "c", "firstAvailable": [{"name": "s", "deviceClassName": "gpu.x"}]}
    constraint = {"requests": ["r", "c/s"], "matchAttribute": "d.x/model"}
    config = {"requests": ["c"], **OPAQUE}
    assert problems(claim(request(), choice, constraints=[constraint], config=[config])) == []


@pytest.mark.parametrize(
    ("exactly", "text"),
    [
        ({"deviceClassName": ""}, f"{EXACTLY}.deviceClassName: Required value"),
        ({"count": -1}, f"{EXACTLY}.count: Invalid value: -1: must be greater than zero"),
        (
            {"allocationMode": "All", "count": 1},
            (
                f"{EXACTLY}.count: Invalid value: 1: must not be specified when allocationMode is "
                "'All'"
            ),
        ),
        (
            {"allocationMode": "x"},
            (
                f'{EXACTLY}.allocationMode: Unsupported value: "x": supported values: "All", '
                '"ExactCount"'
            ),
        ),
        ({"selectors": [{}]}, f"{EXACTLY}.selectors[0].cel: Required value"),
        (
            {"selectors": [{"cel": {"expression": "true"}}] * 33},
            f"{EXACTLY}.selectors: Too many: 33: must have at most 32 items",
        ),
        (
            {"tolerations": [{"operator": "Exists", "value": "v"}]},
            (
                f'{EXACTLY}.tolerations[0].value: Invalid value: "v": must be empty for operator '
                "`Exists`"
            ),
        ),
        (
            {"tolerations": [{"operator": "x", "effect": "y"}]},
            f'{EXACTLY}.tolerations[0].operator: Unsupported value: "x": supported values: ',
        ),
    ],
)
def test_what_is_wrong_with_a_request(exactly: dict[str, Any], text: str) -> None:
    assert problems(claim(request(**exactly)))[0].startswith(text)


def test_a_request_is_exact_or_a_list_of_alternatives() -> None:
    need = "exactly one of `exactly` or `firstAvailable` is required"
    assert problems(claim({"name": "r"})) == [f"{REQUEST}: Required value: {need}"]
    both = {**request(), "firstAvailable": [{"name": "s", "deviceClassName": "gpu.x"}]}
    assert problems(claim(both)) == [
        f"{REQUEST}: Invalid value: null: {need}, but multiple fields are set"
    ]
    twice = {"name": "r", "firstAvailable": [{"name": "s", "deviceClassName": "gpu.x"}] * 2}
    assert problems(claim(twice)) == [f'{REQUEST}.firstAvailable[1]: Duplicate value: "s"']


def test_requests_differ_in_their_names() -> None:
    assert problems(claim(request(), request())) == [
        'spec.devices.requests[1]: Duplicate value: "r"'
    ]


@pytest.mark.parametrize("name", ["x", "r/s", "r/s/t"])
def test_only_what_is_requested_can_be_referred_to(name: str) -> None:
    config = {"requests": [name], **OPAQUE}
    assert problems(claim(request(), config=[config])) == [
        f'spec.devices.config[0].requests[0]: Invalid value: "{name}": {A_REQUEST}'
    ]


def test_a_constraint_is_about_an_attribute() -> None:
    assert problems(claim(request(), constraints=[{}])) == [
        (
            'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or '
            '"distinctAttribute" is required, but multiple fields are set'
        )
    ]
    assert problems(claim(request(), constraints=[{"distinctAttribute": "model"}])) == [
        (
            'spec.devices.constraints[0].distinctAttribute: Invalid value: "model": a fully '
            "qualified name must be a domain and a name separated by a slash"
        )
    ]


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({}, "opaque: Required value"),
        ({"opaque": {"driver": "", "parameters": {}}}, "opaque.driver: Required value"),
        ({"opaque": {"driver": "d.x"}}, "opaque.parameters: Required value"),
        (
            {"opaque": {"driver": "d.x", "parameters": [1]}},
            'opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
        ),
        (
            {"opaque": {"driver": "d.x", "parameters": {"a": "x" * 10240}}},
            "opaque.parameters: Too long: may not be more than 10240 bytes",
        ),
    ],
)
def test_a_configuration_is_an_object_for_a_driver(config: dict[str, Any], text: str) -> None:
    assert problems(claim(request(), config=[config])) == [f"spec.devices.config[0].{text}"]
