from __future__ import annotations

import pytest

from kubestage.server.flow_control import request_info
from kubestage.server.flow_control.request_info import RequestInfo
from kubestage.server.request import Request


@pytest.mark.parametrize(
    ("method", "path", "query", "expected"),
    [
        ("GET", "/version", "", ("get", False, "", "", "")),
        ("GET", "/api/v1", "", ("get", False, "", "", "")),
        ("GET", "/apis/apps/v1", "", ("get", False, "", "", "")),
        ("GET", "/api/v1/nodes", "", ("list", True, "", "nodes", "")),
        ("GET", "/api/v1/nodes", "1", ("watch", True, "", "nodes", "")),
        ("GET", "/api/v1/nodes", "false", ("list", True, "", "nodes", "")),
        ("GET", "/api/v1/watch/nodes", "", ("watch", True, "", "nodes", "")),
        ("HEAD", "/api/v1/nodes/a", "", ("get", True, "", "nodes", "")),
        ("PUT", "/api/v1/nodes/a/status", "", ("update", True, "", "nodes/status", "")),
        ("POST", "/api/v1/namespaces", "", ("create", True, "", "namespaces", "")),
        ("PATCH", "/api/v1/namespaces/x", "", ("patch", True, "", "namespaces", "x")),
        (
            "PUT",
            "/api/v1/namespaces/x/finalize",
            "",
            ("update", True, "", "namespaces/finalize", "x"),
        ),
        (
            "DELETE",
            "/apis/apps/v1/namespaces/x/deployments",
            "",
            ("deletecollection", True, "apps", "deployments", "x"),
        ),
        (
            "DELETE",
            "/apis/apps/v1/namespaces/x/deployments/d/",
            "",
            ("delete", True, "apps", "deployments", "x"),
        ),
    ],
)
def test_a_request_in_the_words_of_rules(
    method: str, path: str, query: str, expected: tuple[str, bool, str, str, str]
) -> None:
    found = request_info.of(Request(method, path, {"watch": [query]} if query else {}, {}))
    verb, is_resource, group, resource, namespace = expected
    assert found._replace(name="") == RequestInfo(
        verb, path, is_resource, group, resource, namespace
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/api/v1/nodes", ""),
        ("/api/v1/nodes/a/status", "a"),
        ("/api/v1/namespaces/x", "x"),
        ("/api/v1/namespaces/x/finalize", "x"),
        ("/apis/apps/v1/namespaces/x/deployments", ""),
        ("/apis/apps/v1/namespaces/x/deployments/d/", "d"),
        ("/api/v1/namespaces/x/pods/p/exec", "p"),
    ],
)
def test_the_name_of_the_object(path: str, name: str) -> None:
    assert request_info.of(Request("GET", path, {}, {})).name == name


def test_what_stays_open_is_no_request_like_others() -> None:
    exec_path = "/api/v1/namespaces/x/pods/p/exec"
    assert request_info.of(Request("POST", exec_path, {}, {})).is_connection
    assert not request_info.of(Request("GET", "/api/v1/pods", {"watch": ["1"]}, {})).is_connection
