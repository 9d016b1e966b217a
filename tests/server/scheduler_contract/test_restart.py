"""A scheduler that outlives its server."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from tests.server.scheduler_contract.go_client import GoClient
from tests.server.scheduler_contract.informers import Informers, Reflector
from tests.server.served import Served, nodes

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json


PATH = "/api/v1/namespaces/default/configmaps"


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def config_map(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def create(served: Served, name: str) -> None:
    client = GoClient(served.kubeconfig)
    client.post(PATH, config_map(name))
    client.close()


def names(follower: Reflector) -> set[str]:
    return {key.partition("/")[2] for key in follower.objects} - {"kube-root-ca.crt"}


def test_watches_go_on_when_a_server_that_keeps_everything_is_back(tmp_path: pathlib.Path) -> None:
    kept = ("--data-dir", str(tmp_path / "data"))
    options = ("--port", free_port(), *kept, "--scheduler", "outside")
    with Served(*options, objects=nodes(2)) as first:
        client = GoClient(first.kubeconfig)
        follower = Reflector(client, PATH)
        follower.start()
        assert follower.synced.wait(20)
        create(first, "before")
        follower.wait(lambda found: "default/before" in found)
        version = int(follower.version)
    try:
        with Served(*options) as second:
            create(second, "after")
            follower.wait(lambda found: "default/after" in found)
            assert names(follower) == {"before", "after"}
            assert int(follower.version) > version
    finally:
        follower.stop()
        client.close()


def test_a_server_that_forgot_everything_is_listed_anew(tmp_path: pathlib.Path) -> None:
    options = ("--port", free_port(), "--in-memory", "--scheduler", "outside")
    with Served(*options, objects=nodes(2)) as first:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_bytes(first.kubeconfig.read_bytes())
        client = GoClient(kubeconfig)
        informers = Informers(client)
        informers.__enter__()
        for number in range(20):
            create(first, f"before-{number}")
    try:
        with Served(*options, objects=nodes(3)) as second:
            informers["nodes"].wait(lambda found: len(found) == 3)
            for each in informers.all.values():
                each.wait(lambda _, each=each: "gone" in each.log)  # type: ignore[misc]
            create(second, "after")
    finally:
        informers.__exit__()
        client.close()
