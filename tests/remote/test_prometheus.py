"""Queries to a Prometheus, at an address of its own or behind the API server."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.measure.facilities import QueryAnswer, Sample
from kubestage.remote.prometheus import PrometheusQueries
from tests.remote.asking import wait
from tests.remote.scripted_api import answer, free_port, scripted

if TYPE_CHECKING:
    from aiohttp import web

    from kubestage.measure.facilities import Queries
    from kubestage.remote.cluster import RemoteCluster

PROXY = "/api/v1/namespaces/monitoring/services/http:prometheus-k8s:9090/proxy"


def asked(cluster: RemoteCluster, queries: Queries, expression: str = "up") -> QueryAnswer:
    """What a query comes to."""
    answers: list[QueryAnswer] = []
    queries.query(expression, 2_500_000_000, answers.append)
    assert not answers
    wait(cluster, lambda: bool(answers))
    return answers[0]


def result(kind: str, rows: Any) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": kind, "result": rows}}


def test_rows_are_read_with_their_labels_at_the_moment_asked_for() -> None:
    forms: list[Any] = []

    async def take(request: web.Request) -> web.StreamResponse:
        forms.append((await request.post(), request.headers))
        rows = [
            {"metric": {"verb": "GET"}, "value": [1.5, "0.25"]},
            {"metric": {}, "value": [1.5, "NaN"]},
            {"metric": {}, "value": [1.5, "+Inf"]},
        ]
        return await answer(result("vector", rows))(request)

    with scripted() as (api, cluster):
        api.on("/api/v1/query", take)
        found = asked(cluster, PrometheusQueries(cluster, cluster.server, "secret"), "a + b{c='d'}")
        assert found.error == ""
        assert found.samples[0] == Sample({"verb": "GET"}, 0.25)
        assert math.isnan(found.samples[1].value)
        assert found.samples[2].value == math.inf
        form, headers = forms[0]
        assert form["query"] == "a + b{c='d'}"
        assert float(form["time"]) == round(cluster.moments.unix_at(2_500_000_000) / 1e9, 3)
        assert headers["Authorization"] == "Bearer secret"


def test_a_number_is_one_row_without_labels() -> None:
    with scripted() as (api, cluster):
        api.on("/api/v1/query", answer(result("scalar", [1, "3"])))
        found = asked(cluster, PrometheusQueries(cluster, f"{cluster.server}/"))
        assert found == QueryAnswer((Sample({}, 3.0),))


def test_a_prometheus_may_be_behind_the_api_server() -> None:
    with scripted() as (api, cluster):
        api.on(f"{PROXY}/api/v1/query", answer(result("vector", [])))
        assert asked(cluster, PrometheusQueries(cluster, PROXY)) == QueryAnswer()


@pytest.mark.parametrize(
    ("body", "code", "told"),
    [
        ({"status": "error", "errorType": "bad_data", "error": "parse error"}, 400, "parse error"),
        ("<html>Bad Gateway</html>", 502, "502 with what is no result: <html>"),
        (result("matrix", []), 200, "no result"),
        (result("vector", [{"metric": {}}]), 200, "no result"),
        ({"status": "success"}, 200, "no result"),
    ],
)
def test_what_is_no_result_is_an_error_that_says_so(body: Any, code: int, told: str) -> None:
    with scripted() as (api, cluster):
        api.on("/api/v1/query", answer(body, code))
        found = asked(cluster, PrometheusQueries(cluster, cluster.server))
        assert found.samples == ()
        assert told in found.error


def test_who_does_not_answer_is_found_out_before_a_run() -> None:
    with scripted() as (api, cluster):
        queries = PrometheusQueries(cluster, PROXY)
        api.on(f"{PROXY}/api/v1/query", answer(result("vector", [])))
        queries.check()
        api.on(f"{PROXY}/api/v1/query", answer("401 Authorization Required", 401))
        with pytest.raises(InputError, match="Authorization Required") as caught:
            queries.check()
        assert caught.value.path == PROXY


def test_a_prometheus_that_is_not_there_is_an_error() -> None:
    with scripted() as (_, cluster):
        queries = PrometheusQueries(cluster, f"http://127.0.0.1:{free_port()}")
        assert "127.0.0.1" in asked(cluster, queries).error
        with pytest.raises(InputError, match="no address of a Prometheus"):
            PrometheusQueries(cluster, "prometheus:9090")
