"""The server itself, killed while clients write and watch over HTTP."""

from __future__ import annotations

import contextlib
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

from tests.deadlines import HANG_S
from tests.server.journal.model import REQUESTS, Begun, Model, Told, value_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KILLS = 4
CLIENTS = 6
PATH = "/api/v1/namespaces/default/configmaps"
BROKEN = (OSError, http.client.HTTPException, ValueError)


@contextlib.contextmanager
def _serve(directory: pathlib.Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server on a directory and its port; it is gone afterwards."""
    program = pathlib.Path(sys.executable).with_name("kubestage")
    command = [str(program), "serve", "--data-dir", str(directory), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            ports = (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in server.stdout)
            found = next((each for each in ports if each), None)
            assert found is not None
            yield server, int(found[1])
        finally:
            server.kill()


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
        self.close = self._connection.close

    def call(self, method: str, path: str, body: Any = None, kind: str = "json") -> Any:
        headers = {"content-type": f"application/{kind}"}
        text = None if body is None else json.dumps(body)
        self._connection.request(method, path, text, headers)
        answer = self._connection.getresponse()
        content = json.loads(answer.read())
        assert answer.status < 300, content
        return content

    def request(self, name: str, requests: int) -> Told:
        """Do one request of an object's life; the answer is what was acknowledged."""
        value = value_after(name, requests)
        if value is None:
            self.call("DELETE", f"{PATH}/{name}")
            return Told(name, None, 0)
        data = {"data": {"value": value}}
        if requests == 1:
            answer = self.call("POST", PATH, {"metadata": {"name": name}, **data})
        else:
            answer = self.call("PATCH", f"{PATH}/{name}", data, "merge-patch+json")
        assert answer["data"] == data["data"]
        return Told(name, value, int(answer["metadata"]["resourceVersion"]))


def _write(port: int, name: str, hear: Callable[[Told | int], None]) -> None:
    """Go through the lives of objects until the server is gone."""
    with contextlib.closing(Client(port)) as client, contextlib.suppress(*BROKEN):
        for number in range(1_000_000):
            for requests in range(1, REQUESTS + 1):
                hear(client.request(f"{name}-{number}", requests))


def _watch(port: int, hear: Callable[[Told | int], None]) -> None:
    """See versions go by until the server is gone."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_S)
    with contextlib.closing(connection), contextlib.suppress(*BROKEN):
        connection.request("GET", f"{PATH}?watch=1")
        answer = connection.getresponse()
        with answer:
            for line in answer:
                hear(int(json.loads(line)["object"]["metadata"]["resourceVersion"]))


def _found(port: int) -> Begun:
    with contextlib.closing(Client(port)) as client:
        answer = client.call("GET", PATH)
    # The cluster publishes a certificate, too.
    items = [each for each in answer["items"] if "value" in each["data"]]
    values = {each["metadata"]["name"]: each["data"]["value"] for each in items}
    return Begun(values, int(answer["metadata"]["resourceVersion"]))


def _disturb(directory: pathlib.Path, boot: int, model: Model) -> None:
    """Have clients at work, and kill the server after some acknowledgements."""
    lock, enough = threading.Lock(), threading.Event()
    left = random.Random(boot).randrange(20, 400)

    def hear(message: Told | int) -> None:
        nonlocal left
        with lock:
            model.hear(message)
            left -= 1
            if left < 0:
                enough.set()

    with _serve(directory) as (server, port):
        model.check(_found(port), is_relaxed=False)
        threads = [
            threading.Thread(target=_write, args=(port, f"b{boot}-w{number}", hear))
            for number in range(CLIENTS)
        ]
        threads.append(threading.Thread(target=_watch, args=(port, hear)))
        for each in threads:
            each.start()
        enough.wait(60)
        server.kill()
        for each in threads:
            each.join()


def test_what_clients_were_told_is_there_after_the_server_was_killed(
    tmp_path: pathlib.Path,
) -> None:
    model = Model()
    for boot in range(KILLS):
        _disturb(tmp_path / "data", boot, model)
    with _serve(tmp_path / "data") as (_, port):
        model.check(_found(port), is_relaxed=False)
    assert model.acknowledged > KILLS * 5
