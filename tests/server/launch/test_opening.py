"""Kept runs behind a server: read-only, with their past, and where they differ."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.runs.opening import open_runs
from kubestage.server.launch import opening
from kubestage.server.launch.open_options import OpenOptions
from tests.deadlines import HANG_S
from tests.runs.opening import kept

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.server.launch.opening import ShownRuns


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShownRuns]:
    """Two contenders and a rehearsal."""
    folder: pathlib.Path = tmp_path_factory.mktemp("runs")
    runs = open_runs([kept.comparison(folder), kept.rehearsal(folder)])
    with opening.show(runs) as page:
        yield page


def call(shown: ShownRuns, path: str, body: Any = None, method: str = "GET") -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(shown.address + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=HANG_S) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_the_page_of_a_comparison_shows_both(shown: ShownRuns) -> None:
    assert shown.page == f"{shown.address}/ui/#/compare?left=default&right=packing"
    assert shown.page in shown._repr_html_()


def test_each_run_is_a_cluster_that_cannot_be_changed(shown: ShownRuns) -> None:
    _, found = call(shown, "/kubestage/v1/clusters")
    rows = [(each["title"], each["kind"], each["isReadOnly"]) for each in found["clusters"]]
    assert rows == [
        ("small (default)", "scenario", True),
        ("small (packing)", "scenario", True),
        ("outage node n0", "rehearsal", True),
    ]
    pod = {"metadata": {"name": "new"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    for prefix in ("", "/clusters/packing", "/clusters/outage-node-n0"):
        code, refusal = call(shown, f"{prefix}/api/v1/namespaces/default/pods", pod, "POST")
        assert (code, "this is a kept run: fork it" in refusal["message"]) == (403, True)


def test_the_past_of_a_run_is_there_from_its_beginning(shown: ShownRuns) -> None:
    _, history = call(shown, "/clusters/outage-node-n0/kubestage/v1/history")
    assert history["isWhole"]
    assert history["changes"] > 10
    first = f"/clusters/outage-node-n0/at/{history['begin']}"
    _, pods = call(shown, f"{first}/api/v1/pods")
    assert len(pods["items"]) == 3
    _, nodes = call(shown, f"{first}/api/v1/nodes")
    ready = [each["status"]["conditions"][-1]["status"] for each in nodes["items"]]
    assert ready == ["True"] * 3


def test_why_is_known_of_a_run(shown: ShownRuns) -> None:
    _, found = call(shown, "/kubestage/v1/explanations/default/p1")
    [attempt] = found["attempts"]
    assert attempt["explanation"]["selected"] == found["node"]


def test_decisions_that_differ_are_compared(shown: ShownRuns) -> None:
    code, found = call(shown, "/kubestage/v1/comparison?left=default&right=packing")
    assert code == 200
    assert (found["left"], found["right"]) == ("small (default)", "small (packing)")
    assert (found["same"], found["total"]) == (1, len(found["differences"]))
    first = found["differences"][0]
    assert (first["number"], first["what"]) == (1, "node")
    assert first["left"]["pod"] == first["right"]["pod"] == "default/p1"
    assert first["left"]["node"] != first["right"]["node"]
    _, one = call(shown, "/kubestage/v1/comparison/1?right=packing")
    assert one["difference"] == first
    assert one["left"]["selected"] == first["left"]["node"]
    assert one["right"]["selected"] == first["right"]["node"]
    _, short = call(shown, "/kubestage/v1/comparison?right=packing&limit=1")
    assert (len(short["differences"]), short["total"]) == (1, found["total"])


@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        ("?left=packing&right=packing", 400, "name two clusters"),
        ("?left=default", 400, "name two clusters"),
        ("?right=nothing", 404, 'no cluster "nothing"'),
        ("?right=packing&limit=0", 400, "limit"),
        ("/99?right=packing", 404, 'no difference "99"'),
        ("/x?right=packing", 404, 'no difference "x"'),
    ],
)
def test_what_cannot_be_compared_is_refused(
    shown: ShownRuns, path: str, code: int, text: str
) -> None:
    found, refusal = call(shown, f"/kubestage/v1/comparison{path}")
    assert (found, text in refusal["message"]) == (code, True)


def test_a_fork_is_compared_with_its_original(shown: ShownRuns) -> None:
    _, history = call(shown, "/clusters/outage-node-n0/kubestage/v1/history")
    body = {"from": "outage-node-n0", "at": history["begin"], "name": "again"}
    code, row = call(shown, "/kubestage/v1/clusters", body, "POST")
    assert (code, row["kind"], row["isReadOnly"]) == (201, "fork", False)
    _, found = call(shown, "/kubestage/v1/comparison?left=outage-node-n0&right=again")
    # The fork stands still: it has not decided anything yet.
    assert found["differences"][0]["what"] == "end"
    assert found["differences"][0]["right"] is None
    call(shown, "/kubestage/v1/clusters/again", method="DELETE")


def test_a_server_in_the_background_ends(tmp_path: pathlib.Path) -> None:
    before = threading.active_count()
    page = opening.show(open_runs([kept.scenario(tmp_path)]))
    assert page.page == f"{page.address}/ui/"
    page.close()
    assert threading.active_count() == before
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(page.address, timeout=HANG_S)


def test_a_port_that_is_taken_is_an_error_here(shown: ShownRuns, tmp_path: pathlib.Path) -> None:
    port = urllib.parse.urlsplit(shown.address).port
    assert port is not None
    runs = open_runs([kept.scenario(tmp_path)])
    with pytest.raises(InputError, match=f"port {port} is taken"):
        opening.show(runs, OpenOptions(port=port))


def test_nothing_is_nothing_to_show() -> None:
    with pytest.raises(InputError, match="no run to show"):
        opening.show([])
