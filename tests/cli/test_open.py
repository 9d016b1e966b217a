"""``kubestage open`` and ``kubestage run --open``: kept runs on the page."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.request
import webbrowser
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cli import opening
from kubestage.runs.opening import open_runs
from kubestage.server.launch import opening as page_server
from kubestage.server.launch.open_options import OpenOptions
from tests.deadlines import HANG_S
from tests.runs.opening import kept

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

COMMAND = [sys.executable, "-c", "from kubestage.cli import main; main()"]
ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+)(/ui/\S*)")


def served(where: pathlib.Path, *arguments: str) -> tuple[list[dict[str, Any]], str, str]:
    """Run a command that serves; the clusters there, the link, and all that it printed to stdout.

    It must end well at Ctrl-C.
    """
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(where), "PYTHONUNBUFFERED": "1"}
    # There is no screen here: no browser is to be opened.
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        environment.pop(name, None)
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=where,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        printed = ""
        try:
            while (found := ADDRESS.search(printed)) is None:
                line = process.stdout.readline()
                assert line, printed
                printed += line
            with urllib.request.urlopen(
                f"{found[1]}/kubestage/v1/clusters", timeout=HANG_S
            ) as answer:
                clusters = json.loads(answer.read())["clusters"]
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            process.wait(HANG_S)
    assert process.returncode == 0, printed + rest
    return clusters, found[2], printed + rest


def test_runs_are_served_until_ctrl_c(tmp_path: pathlib.Path) -> None:
    first, second = kept.scenario(tmp_path), kept.load(tmp_path)
    clusters, link, printed = served(tmp_path, "open", str(first), str(second), "--no-browser")
    assert [each["kind"] for each in clusters] == ["scenario", "load"]
    assert link == "/ui/"
    assert "  scenario: small (scenario), scenario\n" in printed
    assert "side by side: http://127.0.0.1:" in printed
    assert list(tmp_path.glob("kubestage-*/*")) == []


def test_a_comparison_begins_side_by_side(tmp_path: pathlib.Path) -> None:
    clusters, link, _ = served(tmp_path, "open", str(kept.comparison(tmp_path)))
    assert len(clusters) == 2
    assert link == "/ui/#/compare?left=default&right=packing"


def test_a_run_is_shown_when_it_has_ended(tmp_path: pathlib.Path) -> None:
    file = kept.scenario_file(tmp_path / "scenario.json")
    clusters, _, printed = served(tmp_path, "run", file, "--open")
    [row] = clusters
    assert (row["title"], row["kind"], row["isReadOnly"]) == ("small", "scenario", True)
    assert "Succeeded" in printed
    file = kept.cluster_file(tmp_path)
    [row] = served(tmp_path, "run", file, "--for", "1m", "--open")[0]
    assert (row["title"], row["kind"], row["pods"]) == ("cluster.json", "living", 3)


@pytest.mark.parametrize("arguments", [("nothing",), (".",)], ids=["missing", "no run"])
def test_what_is_no_run_is_refused(terminal: Terminal, arguments: tuple[str, ...]) -> None:
    result = terminal.run("open", *arguments, "--no-browser")
    assert result.code == 2
    assert "run --out DIR" in result.err
    assert result.out == ""


def test_a_run_is_required(terminal: Terminal) -> None:
    assert terminal.run("open").code == 2


def test_a_browser_is_opened_at_the_page(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Endpoint:
        address = "http://127.0.0.1:1"
        new_token = "secret"

    def serve(runs: Any, options: Any, *, on_ready: Any) -> None:
        del runs, options
        on_ready(Endpoint())

    monkeypatch.setattr(page_server, "serve", serve)
    runs = open_runs([kept.scenario(tmp_path)])
    written: list[str] = []
    opened: list[str] = []
    opening.show(runs, OpenOptions(), written.append, opened.append)
    assert opened == ["http://127.0.0.1:1/ui/"]
    assert "token, shown this once: secret" in written[0]
    opening.show(runs, OpenOptions(), written.append)
    assert len(opened) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a screen")
def test_without_a_screen_there_is_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    opening.in_browser("http://127.0.0.1:1/ui/")
    assert opened == []
    monkeypatch.setenv("DISPLAY", ":0")
    opening.in_browser("http://127.0.0.1:1/ui/")
    assert opened == ["http://127.0.0.1:1/ui/"]


def test_compare_keeps_what_it_has_made(terminal: Terminal) -> None:
    file = kept.scenario_file(pathlib.Path("scenario.json"))
    packing = kept.packing(pathlib.Path())
    result = terminal.run(
        "compare", file, "--config", "default", "--config", packing, "--out", "both"
    )
    assert result.code == 0
    again = terminal.run("compare", "both/default", "both/packing")
    assert again.code == 0
    assert terminal.run("explain", "both/packing", "p1").code == 0
    # The same place takes the next comparison; a run in it does not.
    assert terminal.run("compare", "both/default", "both/packing", "--out", "both").code == 0
    refused = terminal.run("compare", "both/default", "both/packing", "--out", "both/default")
    assert (refused.code, "is a run itself" in refused.err) == (2, True)
