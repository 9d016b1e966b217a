from __future__ import annotations

import asyncio

import pytest

from kubestage.objects.kinds import KindTable
from kubestage.server.security import traffic
from kubestage.server.security.traffic import Route, Traffic
from tests.server.security.doors import Door

POD = ("", "v1", "pods")


@pytest.mark.parametrize(
    ("method", "path", "route"),
    [
        ("GET", "/api/v1/pods", Route("LIST", *POD, "", "cluster")),
        ("GET", "/api/v1/namespaces/a/pods", Route("LIST", *POD, "", "namespace")),
        ("GET", "/api/v1/namespaces/a/pods/b", Route("GET", *POD, "", "resource")),
        ("PUT", "/api/v1/namespaces/a/pods/b/status", Route("PUT", *POD, "status", "resource")),
        ("DELETE", "/api/v1/namespaces/a/pods", Route("DELETE", *POD, "", "namespace")),
        ("POST", "/api/v1/nodes", Route("POST", "", "v1", "nodes", "", "resource")),
        ("POST", "/api/v1/namespaces/a/pods", Route("POST", *POD, "", "resource")),
        ("HEAD", "/api/v1/pods", Route("LIST", *POD, "", "cluster")),
        ("APPLY", "/api/v1/namespaces/a/pods/b", Route("APPLY", *POD, "", "resource")),
        ("GET", "/api/v1/namespaces/a/pods/b/log", Route("CONNECT", *POD, "log", "resource")),
        ("GET", "/api/v1/namespaces/a", Route("GET", "", "v1", "namespaces", "", "resource")),
        (
            "PUT",
            "/api/v1/namespaces/a/finalize",
            Route("PUT", "", "v1", "namespaces", "finalize", "resource"),
        ),
        (
            "PATCH",
            "/apis/apps/v1/namespaces/a/deployments/b",
            Route("PATCH", "apps", "v1", "deployments", "", "resource"),
        ),
        ("GET", "/apis/apps/v1", Route("GET")),
        ("GET", "/healthz", Route("GET")),
        ("GET", "/", Route("GET")),
        ("BREW", "/api/v1/pods", Route("OTHER")),
        ("OPTIONS", "*", Route("OTHER")),
    ],
)
def test_a_request_is_about_a_verb_and_a_resource(method: str, path: str, route: Route) -> None:
    assert Traffic(KindTable()).route(method, path, is_long=False) == route


def test_a_watch_and_a_followed_log_are_verbs_of_their_own() -> None:
    counted = Traffic(KindTable())
    assert counted.route("GET", "/api/v1/pods", is_long=True).verb == "WATCH"
    log = "/api/v1/namespaces/a/pods/b/log"
    assert counted.route("GET", log, is_long=True).verb == "CONNECT"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (b"", ""),
        (b"dryRun=All", "All"),
        (b"dryRun=All&dryRun=All", "All"),
        (b"dryRun=None", "invalid"),
    ],
)
def test_dry_runs_are_told_apart(query: bytes, told: str) -> None:
    assert traffic.dry_run(query) == told


def test_applying_is_told_apart_from_other_patches() -> None:
    apply = [(b"accept", b"*/*"), (b"content-type", b"application/apply-patch+yaml")]
    assert traffic.is_apply("PATCH", apply)
    assert not traffic.is_apply("POST", apply)
    assert not traffic.is_apply("PATCH", [(b"content-type", b"application/json-patch+json")])


def test_collections_are_remembered_and_objects_are_not() -> None:
    counted = Traffic(KindTable())
    created = counted.route("POST", "/api/v1/namespaces/a/pods", is_long=False)
    assert counted.route("POST", "/api/v1/namespaces/a/pods", is_long=False) is created
    got = counted.route("GET", "/api/v1/namespaces/a/pods/b", is_long=False)
    assert counted.route("GET", "/api/v1/namespaces/a/pods/b", is_long=False) is not got


@pytest.mark.parametrize(
    ("path", "query", "lasts"),
    [
        ("/api/v1/pods", b"", False),
        ("/api/v1/pods", b"watch=1", True),
        ("/api/v1/pods", b"limit=5&watch=true", True),
        ("/api/v1/pods", b"watch=false", False),
        ("/api/v1/watch/pods", b"", True),
        ("/api/v1/namespaces/a/pods/b/log", b"follow=true", True),
        ("/api/v1/namespaces/a/pods/b/log", b"follow=0", False),
        ("/api/v1/namespaces/a/pods/b", b"follow=true", False),
        ("/kubestage/v1/clock", b"", True),
    ],
)
def test_what_may_last(path: str, query: bytes, lasts: bool) -> None:
    assert traffic.is_long(path, query) is lasts


def test_made_up_paths_do_not_fill_the_memory() -> None:
    async def story() -> None:
        door = Door()
        for number in range(50):
            await door.call(path=f"/apis/g{number}/v1/things{number}")
            await door.call(path=f"/api/v1/namespaces/a/pods/b/part{number}")
            await door.call(f"VERB{number}")
        assert len(door.traffic.requests.values) == 3
        assert len(door.traffic.durations.distributions) == 3

    asyncio.run(story())


def test_requests_are_counted_by_their_answer() -> None:
    async def story() -> None:
        door = Door()
        await door.call()
        await door.call()
        await door.call(headers={"host": "evil.example"})
        counts = {key[-1]: count for key, count in door.traffic.requests.values.items()}
        assert counts == {"200": 2, "403": 1}
        assert door.traffic.refused == 1

    asyncio.run(story())
