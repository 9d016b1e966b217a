"""What is served under /kubestage/v1, and how what is not is refused."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from kubestage.server.kubestage_api import dispatch, documents, routes
from tests.server.kubestage_api.asking import ROOT, ask, refused, served, told
from tests.server.test_pacing import tell


def test_the_index_lists_every_route() -> None:
    async def story() -> None:
        async with served() as stage:
            found = await told(stage, "GET", "")
            listed = {(each["method"], each["path"]) for each in found["endpoints"]}
            assert listed == {(each.method, each.path) for each in routes.ROUTES}
            assert await told(stage, "GET", "/") == found

    tell(story())


@pytest.mark.parametrize("route", routes.ROUTES, ids=lambda each: f"{each.method} {each.path}")
def test_every_route_is_found_at_its_path_and_has_a_handler(route: Any) -> None:
    path = route.path.replace("{", "").replace("}", "")
    found, path_params = dispatch.match(route.method, path)
    assert found is route
    assert all(name == value for name, value in path_params.items())
    assert callable(route.handler())


def test_the_document_tells_every_operation_and_refers_only_to_what_it_has() -> None:
    found = documents.document()
    operations = {
        (method.upper(), path) for path, each in found["paths"].items() for method in each
    }
    assert operations == {(each.method, each.path) for each in routes.ROUTES}
    text = str(found)
    schemas = found["components"]["schemas"]
    used = {part.partition("'")[0] for part in text.split("#/components/schemas/")[1:]}
    assert used <= set(schemas)
    speed = schemas["ClockSetting"]["properties"]["speed"]
    assert (speed["minimum"], speed["exclusiveMinimum"], speed["nullable"]) == (0, True, True)
    assert "null" not in str(schemas["Clock"]["properties"]["due"].get("type"))


def test_an_answer_is_yaml_for_those_who_ask_for_it() -> None:
    async def story() -> None:
        async with served() as stage:
            answer = await ask(stage, "GET", "/clock", headers={"accept": "application/yaml"})
            assert answer.header("content-type") == ["application/yaml"]
            assert yaml.safe_load(answer.body)["mode"] == "jump"

    tell(story())


def test_a_body_may_be_yaml_and_of_whatever_content_type_curl_sends() -> None:
    async def story() -> None:
        async with served() as stage:
            form = {"content-type": "application/x-www-form-urlencoded"}
            found = await told(stage, "PUT", "/clock", b"mode: speed\nspeed: 5\n", headers=form)
            assert (found["mode"], found["speed"]) == ("speed", 5)

    tell(story())


def test_what_is_misspelt_is_refused_with_what_was_likely_meant() -> None:
    async def story() -> None:
        async with served() as stage:
            said = await refused(stage, 404, "GET", "/clok")
            assert said.endswith(f"did you mean {ROOT}/clock?")
            assert "use GET or PUT" in await refused(stage, 405, "POST", "/clock")
            said = await refused(stage, 400, "PUT", "/clock", {"sped": 2})
            assert said == 'unknown field "sped": did you mean speed?'
            said = await refused(stage, 400, "GET", "/export", fromat="kss")
            assert said == 'unknown query parameter "fromat": did you mean format?'
            said = await refused(stage, 400, "GET", "/export", format="kss2")
            assert said == 'format: "kss2" is unknown: use one of list, kss, perfetto'
            said = await refused(stage, 400, "PUT", "/clock", {"speed": "fast"})
            assert said.startswith("speed: Expected")
            assert "must be an object" in await refused(stage, 400, "PUT", "/clock", [1])

    tell(story())
