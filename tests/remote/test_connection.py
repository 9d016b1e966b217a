"""What the network and the server do to calls, and what a caller is told of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from kubestage.cluster.access import Answer, Call, Page, Selection
from kubestage.errors import InputError, NotFound, TooManyRequests
from kubestage.remote.access import Access
from kubestage.remote.cluster import RemoteCluster
from kubestage.remote.kubeconfig_schema import ClusterEntry
from tests.remote.asking import CONFIG_MAP, POD, ask, done, page, wait
from tests.remote.scripted_api import answer, free_port, items, pod, refusal, scripted, stream

if TYPE_CHECKING:
    from kubestage.errors import ApiError

PODS = "/api/v1/namespaces/a/pods"
ONE = f"{PODS}/one"


def error(found: Answer) -> ApiError:
    """Why a call was refused."""
    assert found.error is not None
    assert found.object is None
    return found.error


def get_one(cluster: RemoteCluster) -> Answer:
    return ask(cluster, "get", POD, namespace="a", name="one")


def test_too_many_requests_say_how_long_to_wait() -> None:
    with scripted() as (api, cluster):
        api.on(ONE, refusal(429, "TooManyRequests", Retry_After="7"))
        refused = error(get_one(cluster))
        assert isinstance(refused, TooManyRequests)
        assert refused.details == {"retryAfterSeconds": 7}
        assert len(api.asked(ONE)) == 1, "who tries again is the caller"


@pytest.mark.parametrize(
    ("code", "reason"),
    [(500, "InternalError"), (503, "ServiceUnavailable"), (504, "Timeout"), (418, "Teapot")],
)
def test_any_status_is_told_as_it_is(code: int, reason: str) -> None:
    with scripted() as (api, cluster):
        api.on(ONE, refusal(code, reason))
        refused = error(get_one(cluster))
        assert (refused.code, refused.reason) == (code, reason)
        assert refused.status["message"] == f"{reason} it is"


def test_an_answer_that_is_no_status_is_told_in_its_own_words() -> None:
    with scripted() as (api, cluster):
        api.on(ONE, answer("<h1>Bad\n Gateway</h1>", 502))
        refused = error(get_one(cluster))
        assert (refused.code, refused.message) == (
            502,
            "the server answered 502: <h1>Bad Gateway</h1>",
        )
        api.on(ONE, answer("gone", 404))
        assert isinstance(error(get_one(cluster)), NotFound)


@pytest.mark.parametrize("body", ["", "no json", "[]"])
def test_an_answer_that_is_no_object_is_an_error(body: str) -> None:
    with scripted() as (api, cluster):
        api.on(ONE, answer(body))
        api.on(PODS, answer(body))
        assert "no object" in error(get_one(cluster)).message
        assert "no list" in error(ask(cluster, "list", POD, namespace="a")).message


def test_a_list_whose_pages_expire_is_read_again() -> None:
    with scripted() as (api, cluster):
        api.on(
            PODS,
            items("1", pod("one"), following="token"),
            refusal(410, "Expired"),
            items("2", pod("two"), pod("three")),
        )
        listed = done(ask(cluster, "list", POD, namespace="a"))
        assert [each["metadata"]["name"] for each in listed["items"]] == ["two", "three"]
        assert listed["metadata"]["resourceVersion"] == "2"


def test_nobody_there_is_a_passing_error() -> None:
    with RemoteCluster(Access(server=f"http://127.0.0.1:{free_port()}")) as cluster:
        refused = error(get_one(cluster))
        assert (refused.code, refused.reason) == (503, "ServiceUnavailable")
        assert refused.message.endswith("/api/v1: connection refused")
        assert page(cluster, "/readyz").code == 0
        with pytest.raises(InputError, match="does not answer"):
            cluster.check()


def test_a_name_that_nobody_has_is_told() -> None:
    with RemoteCluster(Access(server="http://nowhere.invalid")) as cluster:
        message = error(get_one(cluster)).message
        assert message.startswith("GET http://nowhere.invalid/api/v1: ")
        assert "ssl" not in message


def test_no_tls_where_there_should_be_is_told() -> None:
    port = free_port()
    with scripted(port=port, server=f"https://127.0.0.1:{port}") as (_, cluster):
        assert "no TLS with it: " in error(get_one(cluster)).message


def test_who_may_not_see_the_version_is_known_all_the_same() -> None:
    with scripted() as (api, cluster):
        api.on("/version", refusal(403, "Forbidden"))
        assert cluster.check() == {}
        api.on("/version", refusal(401, "Unauthorized"))
        with pytest.raises(InputError, match="does not know the user"):
            cluster.check()


def test_a_connection_that_breaks_is_a_passing_error() -> None:
    async def hang_up(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    with scripted() as (api, cluster):
        api.on(ONE, hang_up)
        assert error(get_one(cluster)).code == 503


def test_no_answer_in_time_is_an_error() -> None:
    async def sleep(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(3600)
        return web.Response()

    with scripted(timeout_s=0.2) as (api, cluster):
        api.on(ONE, sleep)
        refused = error(get_one(cluster))
        assert (refused.code, refused.reason) == (504, "Timeout")


def test_kinds_are_asked_for_once_however_many_calls_there_are() -> None:
    with scripted() as (api, cluster):
        api.on(PODS, items("1"))
        answers: list[Answer] = []
        for _ in range(20):
            cluster.call(Call(verb="list", resource=POD, namespace="a"), answers.append)
            cluster.call(Call(verb="list", resource=CONFIG_MAP), answers.append)
        wait(cluster, lambda: len(answers) == 40)
        assert len(api.asked("/api/v1")) == 1


def test_kinds_that_cannot_be_asked_for_are_asked_for_again() -> None:
    with scripted() as (api, cluster):
        api.on("/api/v1", refusal(503, "ServiceUnavailable"), answer("no list"), answer({}))
        assert error(get_one(cluster)).code == 503
        assert "no list of resources" in error(get_one(cluster)).message
        assert isinstance(error(get_one(cluster)), NotFound)


def test_answers_come_one_at_a_time_in_the_order_of_their_arrival() -> None:
    async def slow(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.1)
        return web.Response(text="slow")

    with scripted() as (api, cluster):
        api.on("/slow", slow)
        api.on("/quick", answer("quick"))
        pages: list[Page] = []
        cluster.raw("/slow", pages.append)
        cluster.raw("/quick", pages.append)
        wait(cluster, lambda: len(pages) == 2)
        assert [each.text for each in pages] == ["quick", "slow"]


def test_an_address_may_go_on_with_a_path() -> None:
    port = free_port()
    with scripted(port=port, server=f"http://127.0.0.1:{port}/deep") as (api, cluster):
        api.on("/deep/readyz", answer("deep"))
        assert page(cluster, "/readyz").text == "deep"


def test_an_error_of_whoever_is_told_ends_the_run() -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    with scripted() as (api, cluster):
        api.on("/x", answer("x"))
        cluster.raw("/x", fail)
        with pytest.raises(ZeroDivisionError):
            cluster.run(lambda: False)


def test_an_error_of_a_watcher_ends_the_run_also_if_it_is_one_that_a_server_could_have_made() -> (
    None
):
    def fail(_: object) -> None:
        raise NotFound("of the watcher's own making")

    with scripted() as (api, cluster):
        api.on("/api/v1/pods", items("1", pod("one")))
        api.on("/api/v1/pods?watch", stream())
        cluster.watch(Selection(POD), fail)
        with pytest.raises(NotFound, match="own making"):
            cluster.run(lambda: False)


def test_requests_go_through_the_proxy_that_is_named() -> None:
    port = free_port()
    named = ClusterEntry(proxy_url=f"http://127.0.0.1:{port}")
    with scripted(named, port=port, server="http://nowhere.invalid") as (proxy, cluster):
        proxy.on("/readyz", answer("by proxy"))
        assert page(cluster, "/readyz").text == "by proxy"
        assert proxy.requests[-1].headers["Host"] == "nowhere.invalid"


def test_without_aiohttp_it_is_said_what_to_install() -> None:
    program = (
        "import sys; sys.modules['aiohttp'] = None\n"
        "from kubestage.errors import InputError\n"
        "try:\n    import kubestage.remote.cluster\n"
        "except InputError as error:\n    print(error)"
    )
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    assert found.stdout.strip().endswith("(pip install 'kubestage[cluster]')"), found.stderr
