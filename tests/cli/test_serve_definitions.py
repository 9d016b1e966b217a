"""``kubectl get crd`` on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli import servers
from tests.store.test_shown_definitions import OURS, SCENARIOS, widgets

if TYPE_CHECKING:
    import pathlib

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def test_a_server_shows_the_definitions_of_its_own_kinds(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path) as server:
        _, found = server.call(DEFINITIONS)
        assert [each["metadata"]["name"] for each in found["items"]] == OURS
        _, table = server.call(DEFINITIONS, accept=TABLE)
        assert [row["cells"][0] for row in table["rows"]] == OURS
        status, _ = server.call(f"{DEFINITIONS}/{SCENARIOS}")
        assert status == 200
        status, said = server.call(f"{DEFINITIONS}/{SCENARIOS}", method="DELETE")
        assert status == 403
        assert "cannot be deleted" in said["message"]
        status, said = server.call(DEFINITIONS, found["items"][1], method="POST")
        assert status == 409 or "resourceVersion" in said["message"]
        status, _ = server.call(DEFINITIONS, widgets(), method="POST")
        assert status == 201
        _, exported = server.call("/kubestage/v1/export")
        kept = [each["metadata"]["name"] for each in exported["items"]
                if each["kind"] == "CustomResourceDefinition"]  # fmt: skip
        assert kept == ["widgets.example.com"]
        server.process.kill()
        server.process.wait()
    with servers.serving(tmp_path) as server:
        _, found = server.call(DEFINITIONS)
        names = [each["metadata"]["name"] for each in found["items"]]
        assert names == sorted([*OURS, "widgets.example.com"])


def test_the_api_alone_has_no_definitions_at_first(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory", "--api-only") as server:
        assert server.call(DEFINITIONS)[1]["items"] == []
