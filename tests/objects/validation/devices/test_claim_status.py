from __future__ import annotations

from typing import Any

import pytest

from tests.objects.validation.devices.samples import claim, request
from tests.objects.validation.judging import changes

DEVICE = {"driver": "d.x", "pool": "p", "device": "d0"}
RESULT = {"request": "r", **DEVICE}
RESULTS = "status.allocation.devices.results[0]"
CONSUMER = {"resource": "pods", "name": "a", "uid": "u1"}


def allocated(*results: dict[str, Any], **status: Any) -> dict[str, Any]:
    allocation = {"devices": {"results": list(results or (RESULT,))}}
    return claim(request(), status={"allocation": allocation, **status})


def found(new: dict[str, Any], old: dict[str, Any] | None = None) -> list[str]:
    return changes(new, claim(request()) if old is None else old, "status")


def test_an_allocation_gives_each_request_a_device() -> None:
    assert found(allocated(reservedFor=[CONSUMER], devices=[DEVICE])) == []


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"request": "x"}, f'{RESULTS}.request: Invalid value: "x": must be the name of a'),
        ({"driver": ""}, f"{RESULTS}.driver: Required value"),
        ({"pool": ""}, f"{RESULTS}.pool: Required value"),
        ({"pool": "a/?"}, f'{RESULTS}.pool: Invalid value: "?": a lowercase RFC 1123 subdomain'),
        ({"device": "a.b"}, f'{RESULTS}.device: Invalid value: "a.b": must not contain dots'),
        (
            {"shareID": "x"},
            f'{RESULTS}.shareID: Invalid value: "x": error validating uid: invalid UUID length: 1',
        ),
        (
            {"shareID": "AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA"},
            f'{RESULTS}.shareID: Invalid value: "AAAAAAAA-AAAA-AAAA-AAAA-AAAAAAAAAAAA": uid must',
        ),
        (
            {"bindingConditions": ["a"]},
            (
                f"{RESULTS}.bindingFailureConditions: Invalid value: null: "
                "bindingFailureConditions are required to use bindingConditions"
            ),
        ),
        (
            {"bindingConditions": ["a"], "bindingFailureConditions": ["a"]},
            (
                f'{RESULTS}.bindingFailureConditions[0]: Invalid value: "a": '
                "bindingFailureConditions must not overlap with bindingConditions"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_result(result: dict[str, Any], text: str) -> None:
    (first,) = found(allocated({**RESULT, **result}))
    assert first.startswith(text)


def test_an_allocation_does_not_change_but_can_be_taken_back() -> None:
    old = allocated()
    assert found(claim(request()), old) == []
    (text,) = found(allocated({**RESULT, "device": "d1"}), old)
    assert text.startswith('status.allocation: Invalid value: {"Devices":{"Results":[{"Request":')
    assert text.endswith(": field is immutable")


def test_only_what_is_allocated_can_be_lent() -> None:
    assert found(claim(request(), status={"reservedFor": [CONSUMER]})) == [
        "status.reservedFor: Forbidden: may not be specified when `allocated` is not set"
    ]


def test_consumers_are_complete_and_each_there_once() -> None:
    assert found(allocated(reservedFor=[CONSUMER, CONSUMER])) == [
        'status.reservedFor[1]: Duplicate value: "u1"'
    ]
    assert found(allocated(reservedFor=[{"uid": "u1"}])) == [
        "status.reservedFor[0].resource: Required value",
        "status.reservedFor[0].name: Required value",
    ]


def test_a_claim_that_is_going_is_lent_to_nobody_new() -> None:
    old = allocated(reservedFor=[CONSUMER])
    old["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert found(allocated(reservedFor=[CONSUMER]), old) == []
    (text,) = found(allocated(reservedFor=[CONSUMER, {**CONSUMER, "uid": "u2"}]), old)
    assert text.startswith("status.reservedFor: Forbidden: new entries may not be added while")


def test_reports_are_about_devices_of_the_claim() -> None:
    other = {**DEVICE, "device": "d1"}
    assert found(allocated(devices=[other])) == [
        (
            'status.devices[0]: Invalid value: {"Driver":"d.x","Pool":"p","Device":"d1",'
            '"ShareID":""}: must be an allocated device in the claim'
        )
    ]


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("10.0.0.1/24", ""),
        ("x", "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"),
        ("2001:DB8::1/64", 'must be in canonical form ("2001:db8::1/64")'),
        ("::ffff:10.0.0.1/120", 'must be in canonical form ("10.0.0.1/24")'),
    ],
)
def test_addresses_of_a_device_are_canonical(address: str, text: str) -> None:
    network = {"ips": [address], "interfaceName": "eth0"}
    path = f'status.devices[0].networkData.ips[0]: Invalid value: "{address}": '
    wanted = [path + text] if text else []
    assert found(allocated(devices=[{**DEVICE, "networkData": network}])) == wanted


def test_reports_on_devices_that_were_given_back_are_dropped() -> None:
    old = allocated(devices=[DEVICE])
    assert found(claim(request(), status={"devices": [DEVICE]}), old) == []


def test_every_fault_of_a_report_is_told() -> None:
    told = {
        "type": "A",
        "status": "True",
        "reason": "R",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    conditions = [{**told, "type": f"A{number}"} for number in range(8)]
    assert found(allocated(devices=[{**DEVICE, "conditions": conditions}])) == []
    faulty = {**DEVICE, "device": "?", "shareID": "x", "data": [1]}
    assert [text.partition(":")[0] for text in found(allocated(devices=[faulty]))] == [
        "status.devices[0].device",
        "status.devices[0].shareID",
        "status.devices[0]",
        "status.devices[0].data",
    ]
