"""What a list may be asked for."""

from __future__ import annotations

import asyncio

import pytest

from tests.server import calling

MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("name", ["limit", "timeoutSeconds"])
def test_numbers_must_be_numbers(method: str, name: str) -> None:
    answer = asyncio.run(calling.call(calling.application(), method, MAPS, None, {}, **{name: "x"}))
    assert answer.status == 400
    assert answer.json["message"] == 'strconv.ParseInt: parsing "x": invalid syntax'


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_initial_events_are_for_watches(method: str) -> None:
    asked = calling.call(calling.application(), method, MAPS, None, {}, sendInitialEvents="true")
    answer = asyncio.run(asked)
    assert (answer.status, answer.json["reason"]) == (422, "Invalid")
    (cause,) = answer.json["details"]["causes"]
    assert cause == {
        "reason": "FieldValueForbidden",
        "message": "Forbidden: sendInitialEvents is forbidden for list",
        "field": "sendInitialEvents",
    }


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_path_for_watching_is_for_nothing_else(method: str) -> None:
    path = "/api/v1/watch/namespaces/default/configmaps"
    answer = asyncio.run(calling.call(calling.application(), method, path, {}))
    assert answer.status == 405
