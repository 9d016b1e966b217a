from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage.server.security.settings import RequestLimits
from tests.deadlines import HANG_S
from tests.server import calling
from tests.server.security.doors import Door, Inside

TOKEN = "a-token-of-many-letters"


def answer(door: Door, *arguments: Any, **more: Any) -> Any:
    return asyncio.run(door.call(*arguments, **more))


def test_a_request_to_this_host_goes_through() -> None:
    door = Door()
    assert answer(door).body == b"yes"
    assert door.inside.served == 1


def test_another_host_is_refused_with_a_status() -> None:
    door = Door()
    refused = answer(door, headers={"host": "evil.example"})
    assert refused.status == 403
    assert refused.json["reason"] == "Forbidden"
    assert "--allow-host" in refused.json["message"]
    assert door.inside.served == 0


def test_a_page_of_another_site_is_refused() -> None:
    door = Door()
    assert answer(door, "POST", headers={"origin": "https://evil.example"}).status == 403
    assert answer(door, "POST", headers={"origin": "http://localhost:3000"}).status == 403
    assert answer(door, "POST", headers={"origin": "http://localhost:18080"}).status == 200


def test_without_its_token_nobody_comes_in() -> None:
    door = Door(token=TOKEN)
    for headers in (
        {},
        {"authorization": "Bearer other"},
        {"authorization": TOKEN},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN} "},
        {"authorization": "Bearer \u00e4\u00f6"},
    ):
        refused = answer(door, headers=headers)
        assert refused.status == 401
        assert refused.json == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "Unauthorized",
            "reason": "Unauthorized",
            "code": 401,
        }
    assert door.inside.served == 0


def test_with_the_token_any_host_will_do() -> None:
    door = Door(token=TOKEN)
    headers = {"authorization": f"Bearer {TOKEN}", "host": "whatever.example"}
    assert answer(door, headers=headers).status == 200
    headers["authorization"] = f"bearer {TOKEN}"
    assert answer(door, headers=headers).status == 200


@pytest.mark.parametrize("path", ["/healthz", "/livez/ping", "/readyz"])
def test_whoever_looks_after_the_server_needs_no_token(path: str) -> None:
    assert answer(Door(token=TOKEN), path=path).status == 200


def test_what_is_no_path_is_not_found() -> None:
    assert answer(Door(), "OPTIONS", "*").status == 404


def test_a_body_that_is_announced_too_long_is_not_read() -> None:
    door = Door(limits=RequestLimits(body_bytes=10))
    refused = answer(door, "POST", headers={"content-length": "11"}, body=b"x" * 11)
    assert refused.status == 413
    assert refused.json["message"] == "Request entity too large: limit is 10"
    assert refused.json["reason"] == "RequestEntityTooLarge"
    assert answer(door, "POST", headers={"content-length": "10"}, body=b"x" * 10).status == 200


def test_a_length_of_many_digits_is_too_long() -> None:
    refused = answer(Door(), "POST", headers={"content-length": "9" * 5000})
    assert refused.status == 413


def test_the_limit_of_a_body_is_that_of_the_api_server() -> None:
    refused = answer(Door(), "POST", headers={"content-length": "3145729"})
    assert refused.json["message"] == "Request entity too large: limit is 3145728"


def test_a_body_that_grows_too_long_is_cut_off() -> None:
    door = Door(limits=RequestLimits(body_bytes=10))
    assert answer(door, "POST", body=b"x" * 11).status == 413
    assert answer(door, "POST", body=b"x" * 10).status == 200


def test_whole_clusters_come_in_through_our_own_api() -> None:
    door = Door(limits=RequestLimits(body_bytes=10, own_body_bytes=20))
    assert answer(door, "POST", "/kubestage/v1/import", body=b"x" * 20).status == 200
    assert answer(door, "POST", "/kubestage/v1/import", body=b"x" * 21).status == 413


def test_a_scenario_may_be_larger_than_other_objects() -> None:
    door = Door(limits=RequestLimits(body_bytes=10, scenario_body_bytes=20))
    path = "/apis/simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1/scenarios"
    assert answer(door, "POST", path, body=b"x" * 20).status == 200
    assert answer(door, "PATCH", f"{path}/it", body=b"x" * 20).status == 200
    assert answer(door, "POST", path, body=b"x" * 21).status == 413


def test_a_request_that_takes_too_long_is_given_up() -> None:
    door = Door(Inside(asyncio.Event()), limits=RequestLimits(request_s=0.01))
    late = answer(door)
    assert late.status == 504
    assert late.json["message"] == ("Timeout: request did not complete within the allotted timeout")
    assert late.json["details"] == {}


def test_a_client_says_how_long_it_waits() -> None:
    door = Door(Inside(asyncio.Event()))
    refused = answer(door, timeout="10ms")
    assert (refused.status, refused.json["reason"]) == (504, "Timeout")
    wrong = answer(door, timeout="invalid")
    assert (wrong.status, wrong.json["message"]) == (
        400,
        'invalid timeout specified in the request URL - time: invalid duration "invalid"',
    )
    assert answer(Door(), timeout="0s").status == answer(Door(), timeout="1h").status == 200
    assert answer(Door(), timeoutSeconds="moon").status == 200


def test_a_response_has_an_audit_id() -> None:
    made = [answer(Door()).header("audit-id") for _ in range(2)]
    assert [len(each) for (each,) in made] == [36, 36]
    assert made[0] != made[1]
    assert answer(Door(), headers={"audit-id": "mine"}).header("audit-id") == ["mine"]


def test_a_body_that_does_not_come_is_given_up() -> None:
    async def story() -> None:
        door = Door(limits=RequestLimits(request_s=0.01))
        sent: list[Any] = []

        async def receive() -> Any:
            await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        for path in ("/api/v1/namespaces", "/kubestage/v1/clock"):
            scope = calling.scope("POST", path, {"host": "localhost"})
            await asyncio.wait_for(door.guard(scope, receive, send), HANG_S)
        assert [each["status"] for each in sent if "status" in each] == [504, 504]

    asyncio.run(story())


def test_letting_time_pass_may_take_its_time() -> None:
    async def story() -> None:
        done = asyncio.Event()
        door = Door(Inside(done), limits=RequestLimits(request_s=0.01))
        asked = asyncio.ensure_future(door.call("POST", "/kubestage/v1/clock", body=b"{}"))
        await asyncio.sleep(0.05)
        done.set()
        assert (await asked).status == 200

    asyncio.run(story())


def test_a_watch_may_take_its_time_but_not_a_place_too_many() -> None:
    async def story() -> None:
        done = asyncio.Event()
        door = Door(Inside(done), limits=RequestLimits(request_s=0.01, watchers=2))
        watches = [asyncio.ensure_future(door.call(watch="1")) for _ in range(2)]
        await asyncio.sleep(0.05)
        refused = await door.call(watch="true")
        assert refused.status == 429
        assert refused.json["reason"] == "TooManyRequests"
        assert refused.header("retry-after") == ["5"]
        done.set()
        assert [each.status for each in await asyncio.gather(*watches)] == [200, 200]
        assert (await door.call(watch="1")).status == 200

    asyncio.run(story())


def test_a_server_that_stops_breaks_off_what_is_under_way() -> None:
    async def story() -> None:
        door = Door(Inside(asyncio.Event()))
        task = asyncio.ensure_future(door.call())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert door.traffic.in_flight == 0

    asyncio.run(story())
