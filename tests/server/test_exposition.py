from __future__ import annotations

import asyncio
from typing import Any

from prometheus_client import parser

from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.stage import Stage
from tests.server import calling

LOCAL = {"host": "localhost"}


async def scrape(served: Served) -> dict[Any, float]:
    answer = await calling.call(served.application, "GET", "/metrics", headers=LOCAL)
    assert answer.status == 200
    assert answer.header("content-type") == ["text/plain; version=0.0.4; charset=utf-8"]
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in parser.text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


def test_requests_objects_and_decisions_are_counted() -> None:
    async def story() -> None:
        stage = Stage(implicit_namespaces=False)
        stage.add_scheduler()
        served = Served(stage, AssemblyOptions())
        body = {"metadata": {"name": "a"}}
        path = "/api/v1/namespaces/default/configmaps"
        await calling.call(served.application, "POST", path, body, headers=LOCAL)
        await calling.call(served.application, "POST", path, body, headers=LOCAL)
        found = await scrape(served)
        kind, dry = ("component", "apiserver"), ("dry_run", "")
        route = (dry, ("group", ""), ("resource", "configmaps"), ("scope", "resource"))
        rest = (("subresource", ""), ("verb", "POST"), ("version", "v1"))
        counted = "apiserver_request_total"
        assert found[(counted, ("code", "201"), kind, *route, *rest)] == 1
        assert found[(counted, ("code", "409"), kind, *route, *rest)] == 1
        took = "apiserver_request_duration_seconds_count"
        assert found[(took, kind, *route, *rest)] == 2
        assert found[("apiserver_storage_objects", ("resource", "configmaps"))] == 1
        assert found[("kubestage_revision",)] == stage.store.revision
        assert found[("kubestage_virtual_seconds",)] == 0
        assert ("scheduler_pending_pods", ("queue", "active")) in found
        await served.close()

    asyncio.run(story())


def test_every_metric_of_the_scheduler_is_named_from_the_start() -> None:
    async def story() -> None:
        stage = Stage()
        scheduler = stage.add_scheduler()
        served = Served(stage, AssemblyOptions())
        answer = await calling.call(served.application, "GET", "/metrics", headers=LOCAL)
        families = parser.text_string_to_metric_families(answer.body.decode())
        kinds = {family.name: family.type for family in families}
        for family in scheduler.metrics.families():
            assert kinds[family.name.removesuffix("_total")] == family.kind
        found = await scrape(served)
        assert (
            found[
                (
                    "scheduler_schedule_attempts_total",
                    ("profile", "default-scheduler"),
                    ("result", "error"),
                )
            ]
            == 0
        )
        await served.close()

    asyncio.run(story())


def test_open_watches_are_shown() -> None:
    async def story() -> None:
        served = Served(Stage(), AssemblyOptions(scheduler="none"))
        path = "/api/v1/namespaces"
        watch = await calling.watch(served.application, path, headers=LOCAL)
        await watch.next()
        found = await scrape(served)
        labels = (
            ("component", "apiserver"), ("group", ""), ("resource", "namespaces"),
            ("scope", "cluster"), ("subresource", ""), ("verb", "WATCH"), ("version", "v1"),
        )  # fmt: skip
        assert found[("apiserver_longrunning_requests", *labels)] == 1
        assert found[("kubestage_watchers",)] == 1
        await watch.leave()
        found = await scrape(served)
        assert found[("apiserver_longrunning_requests", *labels)] == 0
        await served.close()

    asyncio.run(story())


def test_an_application_without_a_door_has_numbers_too() -> None:
    async def story() -> None:
        answer = await calling.call(calling.application(), "GET", "/metrics")
        assert b"kubestage_revision " in answer.body

    asyncio.run(story())


def test_health_checks_are_metrics() -> None:
    async def story() -> None:
        answer = await calling.call(calling.application(), "GET", "/metrics/slis")
        assert answer.status == 200
        text = answer.body.decode()
        assert 'kubernetes_healthcheck{name="etcd",type="readyz"} 1\n' in text
        assert (await calling.call(calling.application(), "GET", "/metrics/other")).status == 404

    asyncio.run(story())
