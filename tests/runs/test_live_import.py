"""A live import: list only, paged, and kinds that are missing are no failure."""

from __future__ import annotations

import contextlib
import http.server
import json
import threading
import urllib.parse
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.runs import importing
from kubestage.runs.import_options import ImportOptions
from tests.sources import samples

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

PODS = "/api/v1/pods"
RESOURCES = [
    {"name": "pods", "kind": "Pod", "namespaced": True},
    {"name": "nodes", "kind": "Node", "namespaced": False},
    {"name": "secrets", "kind": "Secret", "namespaced": True},
    {"name": "configmaps", "kind": "ConfigMap", "namespaced": True},
    {"name": "persistentvolumes", "kind": "PersistentVolume", "namespaced": False},
]


class Api:
    """An API server with a few lists; what is not there is not found."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.answers: dict[str, tuple[int, Any]] = {
            "/version": (200, {"gitVersion": "v1.33.1"}),
            "/api/v1": (200, {"kind": "APIResourceList", "resources": RESOURCES}),
            "/api/v1/nodes": (200, samples.listed(samples.node())),
            PODS: (200, {**samples.listed(samples.pod()), "metadata": {"continue": "more"}}),
            f"{PODS}?continue=more": (200, samples.listed(samples.pod("web-2"))),
            "/api/v1/persistentvolumes": (403, {"kind": "Status", "reason": "Forbidden",
                                                "message": "no", "code": 403}),
        }  # fmt: skip

    def answer(self, method: str, path: str) -> tuple[int, Any]:
        self.requests.append((method, path))
        parts = urllib.parse.urlsplit(path)
        token = urllib.parse.parse_qs(parts.query).get("continue", [""])[0]
        name = f"{parts.path}?continue={token}" if token else parts.path
        return self.answers.get(name, (404, {"kind": "Status", "reason": "NotFound", "code": 404}))


@contextlib.contextmanager
def _listening(api: Api) -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            code, body = api.answer("GET", self.path)
            data = json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return "Sun, 01 Mar 2026 10:00:00 GMT"

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def kubeconfig(api: Api, tmp_path: pathlib.Path) -> Iterator[str]:
    with _listening(api) as address:
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "prod",
            "clusters": [{"name": "c", "cluster": {"server": address}}],
            "users": [{"name": "u", "user": {"token": "topsecrettoken"}}],
            "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "u"}}],
        }
        (tmp_path / "config").write_text(json.dumps(config))
        yield str(tmp_path / "config")


def _text(place: pathlib.Path) -> str:
    return "".join(each.read_text() for each in sorted(place.rglob("*.yaml")))


def test_lists_are_paged_and_nothing_else_is_requested(
    api: Api, kubeconfig: str, tmp_path: pathlib.Path
) -> None:
    options = ImportOptions(kubeconfig=kubeconfig)
    result = importing.import_cluster([], str(tmp_path / "out"), options)
    assert result.spec.objects == {"Node": 1, "Pod": 2}
    assert {method for method, _ in api.requests} == {"GET"}
    assert not [path for _, path in api.requests if "secrets" in path or "configmaps" in path]
    assert all("limit=500" in path for _, path in api.requests if path.startswith(f"{PODS}?"))
    (source,) = result.spec.sources
    assert (source.captured_at, source.kubernetes_version) == ("2026-03-01T10:00:00Z", "v1.33.1")
    lacking = {(each.kind, each.reason) for each in result.spec.left_out}
    assert ("PersistentVolume", "the user may not list them") in lacking
    assert ("Deployment", "the cluster does not have the kind") in lacking
    assert "NodePool" not in {kind for kind, _ in lacking}
    assert "topsecrettoken" not in _text(tmp_path / "out")


def test_the_same_state_gives_the_same_bytes(kubeconfig: str, tmp_path: pathlib.Path) -> None:
    for name in ("a", "b"):
        importing.import_cluster(
            [], str(tmp_path / name), ImportOptions(kubeconfig=kubeconfig, context="prod")
        )
    assert _text(tmp_path / "a") == _text(tmp_path / "b")


def test_secrets_are_listed_on_request(api: Api, kubeconfig: str, tmp_path: pathlib.Path) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"k": "dg=="},
              "metadata": {"name": "s", "namespace": "shop"}}  # fmt: skip
    api.answers["/api/v1/secrets"] = (200, samples.listed(secret))
    options = ImportOptions(kubeconfig=kubeconfig, with_secrets=True)
    importing.import_cluster([], str(tmp_path / "out"), options)
    assert "k: dg==" in _text(tmp_path / "out")


def test_a_page_that_comes_too_late_is_listed_again(
    api: Api, kubeconfig: str, tmp_path: pathlib.Path
) -> None:
    expired = {"kind": "Status", "reason": "Expired", "message": "too old", "code": 410}
    api.answers[f"{PODS}?continue=more"] = (410, expired)
    lists = [{**samples.listed(samples.pod()), "metadata": {"continue": "more"}},
             samples.listed(samples.pod(), samples.pod("web-3"))]  # fmt: skip
    ordinary = api.answer

    def answer(method: str, path: str) -> tuple[int, Any]:
        if urllib.parse.urlsplit(path).path == PODS and "continue=more" not in path:
            api.answers[PODS] = (200, lists.pop(0))
        return ordinary(method, path)

    api.answer = answer  # type: ignore[method-assign]
    result = importing.import_cluster(
        [], str(tmp_path / "out"), ImportOptions(kubeconfig=kubeconfig)
    )
    assert result.spec.objects["Pod"] == 2
    # The first page was taken once.
    assert not [each for each in result.spec.left_out if "twice" in each.reason]


def test_a_server_that_fails_is_an_error(api: Api, kubeconfig: str, tmp_path: pathlib.Path) -> None:
    api.answers["/api/v1/nodes"] = (500, {"kind": "Status", "message": "etcd", "code": 500})
    with pytest.raises(InputError, match="etcd"):
        importing.import_cluster([], str(tmp_path / "out"), ImportOptions(kubeconfig=kubeconfig))
    assert not (tmp_path / "out").exists()


def test_a_user_that_may_list_nothing_is_an_error(
    api: Api, kubeconfig: str, tmp_path: pathlib.Path
) -> None:
    refused = (403, {"kind": "Status", "reason": "Forbidden", "message": "no", "code": 403})
    for path in ("/api/v1/nodes", PODS):
        api.answers[path] = refused
    with pytest.raises(InputError, match="may list no kind") as caught:
        importing.import_cluster([], str(tmp_path / "out"), ImportOptions(kubeconfig=kubeconfig))
    assert "--print-rbac" in str(caught.value.fix)
