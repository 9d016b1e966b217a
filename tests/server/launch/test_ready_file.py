"""For tests in other languages: a file that says where a server is, and an end with the parent."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import pathlib
import subprocess
import sys

import pytest

from kubestage.errors import InputError
from kubestage.server.launch import parent, ready_file
from tests.deadlines import HANG_S, until

SERVE = "from kubestage.cli import main; raise SystemExit(main())"
OPTIONS = ("--in-memory", "--nodes", "1", "--port", "0", "--ready-file", "ready.json")
# Starts a server and ends when it is told to, without stopping it.
STARTER = (
    "import subprocess, sys\n"
    "child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    "sys.stdin.read()\n"
)


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked for does not."""
    try:
        status = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_server_says_where_it_is_and_ends_with_its_parent(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-c", SERVE, "serve", *OPTIONS, "--exit-with-parent"]
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, *command], stdin=subprocess.PIPE, cwd=tmp_path
    )
    file = tmp_path / "ready.json"
    until(file.exists)
    # It is complete as soon as it is there.
    ready = json.loads(file.read_text())
    assert sorted(ready) == ["kubeconfig", "pid", "url", "version"]
    connection = http.client.HTTPConnection(ready["url"].removeprefix("http://"), timeout=HANG_S)
    connection.request("GET", "/api/v1/nodes")
    assert len(json.loads(connection.getresponse().read())["items"]) == 1
    connection.close()
    config = json.loads(pathlib.Path(ready["kubeconfig"]).read_text())
    assert config["clusters"][0]["cluster"]["server"] == ready["url"]

    assert starter.stdin is not None
    starter.stdin.close()
    starter.wait(HANG_S)
    until(lambda: not is_there(ready["pid"]))
    assert not file.exists()
    assert not pathlib.Path(ready["kubeconfig"]).exists()


def test_a_parent_is_waited_for() -> None:
    parents = iter([7, 7, 7, 1])
    asyncio.run(parent.ParentProcess(lambda: next(parents)).ended())
    assert next(parents, None) is None
    assert os.getppid() > 0


def test_a_file_of_an_earlier_server_is_removed(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "ready.json"
    for text in ("", '{"url": "http://x", "kubeconfig": "k", "pid": 1, "version": "0"}'):
        file.write_text(text)
        ready_file.check(str(file))
        assert not file.exists()
    ready_file.check(str(file))
    ready_file.check(None)
    ready_file.remove(str(file))
    ready_file.remove(None)


def test_a_file_that_cannot_be_used(tmp_path: pathlib.Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for name, problem in (
        ("missing/ready.json", "its directory is not there"),
        (".", "is not a file"),
        ("notes.txt", "is there already, and no ready file"),
    ):
        with pytest.raises(InputError, match=problem):
            ready_file.check(str(tmp_path / name))
    assert (tmp_path / "notes.txt").read_text() == "mine"
