from __future__ import annotations

import json
import shutil
import signal
import socket
import stat
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.server import serving
from kubestage.server.launch import endpoint
from kubestage.server.launch.options import ServeOptions
from kubestage.server.security import certificates
from tests import deadlines
from tests.cli import servers

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

MAPS = "/api/v1/namespaces/default/configmaps"
NODE = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, capacity: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
"""  # noqa: E501 - a file as somebody would write it


def config_map(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_server_says_where_it_is_and_ends_well(
    tmp_path: pathlib.Path, how: signal.Signals
) -> None:
    with servers.serving(tmp_path, "--in-memory") as server:
        assert server.address.startswith("http://127.0.0.1:")
        assert server.call("/readyz") == (200, "ok")
        config = json.loads(server.kubeconfig.read_text())
        assert config["clusters"][0]["cluster"]["server"] == server.address
        assert stat.S_IMODE(server.kubeconfig.stat().st_mode) == 0o600
        assert server.stop(how) == (0, "")
    # What was made for this server alone is gone with it.
    assert not server.kubeconfig.exists()


def test_an_open_watch_does_not_keep_it_from_ending(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory") as server:
        host, _, port = server.address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as watch:
            watch.sendall(b"GET /api/v1/nodes?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert watch.recv(1000).startswith(b"HTTP/1.1 200 OK")
            assert server.stop() == (0, "")


def test_what_was_acknowledged_is_there_after_a_restart(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path) as server:
        status, made = server.call(MAPS, config_map("kept"), method="POST")
        assert status == 201
        server.process.kill()
        server.process.wait()
    with servers.serving(tmp_path) as server:
        status, found = server.call(f"{MAPS}/kept")
        assert status == 200
        assert found["metadata"] == made["metadata"]
        _, later = server.call(MAPS, config_map("later"), method="POST")
        versions = [int(each["metadata"]["resourceVersion"]) for each in (made, later)]
        assert versions[0] < versions[1]
        code, said = server.stop()
    assert code == 0
    assert "goes on from" in said
    assert server.kubeconfig == tmp_path / ".kubestage" / "kubeconfig"


def test_the_scheduler_stays_as_it_was_configured(tmp_path: pathlib.Path) -> None:
    path = "/kubestage/v1/scheduler/configuration"
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "mine"}],
    }
    (tmp_path / "other.json").write_text(json.dumps(config).replace("mine", "other"))

    def names(server: servers.Server) -> list[str]:
        return [each["schedulerName"] for each in server.call(path)[1]["profiles"]]

    with servers.serving(tmp_path) as server:
        assert server.call(path, config, method="PUT")[0] == 200
        assert server.stop()[0] == 0
    with servers.serving(tmp_path) as server:
        assert names(server) == ["mine"]
        assert server.stop()[0] == 0
    with servers.serving(tmp_path, "--config", "other.json") as server:
        assert names(server) == ["other"]


@pytest.mark.parametrize("option", [("--timings",), ("--profile", "default")])
def test_metrics_carry_durations_before_and_after_a_reconfiguration(
    option: tuple[str, ...], tmp_path: pathlib.Path
) -> None:
    (tmp_path / "cluster.yaml").write_text(NODE)
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "mine"}],
    }
    spec = {"schedulerName": "mine", "containers": [{"name": "c", "image": "i"}]}
    pod = {"metadata": {"name": "one"}, "spec": spec}
    with servers.serving(tmp_path, "cluster.yaml", "--in-memory", *option) as server:
        assert durations(server, "default-scheduler") > 0
        server.call("/kubestage/v1/scheduler/configuration", config, method="PUT")
        assert server.call("/api/v1/namespaces/default/pods", pod, method="POST")[0] == 201
        assert durations(server, "mine") > 0


def durations(server: servers.Server, profile: str) -> float:
    """What attempts at pods of a profile took, when one of them has been scheduled."""
    series = "scheduler_scheduling_attempt_duration_seconds_sum"
    wanted = f'{series}{{profile="{profile}",result="scheduled"}}'
    plugin = 'scheduler_plugin_execution_duration_seconds_count{extension_point="Filter"'
    for _ in deadlines.attempts():
        lines = server.call("/metrics")[1].splitlines()
        found = [line for line in lines if line.startswith(wanted)]
        if found:
            assert any(line.startswith(plugin) for line in lines)
            return float(found[0].rpartition(" ")[2])
    raise AssertionError


def test_files_are_there_from_the_start_and_come_alive(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cluster.yaml").write_text(NODE)
    for _ in range(2):
        with servers.serving(tmp_path, "cluster.yaml") as server:
            phases = []
            for _ in deadlines.attempts():
                pods = server.call("/api/v1/namespaces/default/pods")[1]["items"]
                phases = [each["status"]["phase"] for each in pods]
                if phases == ["Running"]:
                    break
            assert phases == ["Running"]
            # Files may take a namespace for granted, clients may not.
            assert server.call("/api/v1/namespaces/shop/configmaps/settings")[0] == 200
            elsewhere = "/api/v1/namespaces/elsewhere/configmaps"
            assert server.call(elsewhere, config_map("a"), method="POST")[0] == 404
            assert server.stop()[0] == 0


def test_what_was_asked_for_is_a_scenario(tmp_path: pathlib.Path, terminal: Terminal) -> None:
    (tmp_path / "cluster.yaml").write_text(NODE)
    arguments = ("cluster.yaml", "--in-memory", "--record", "session.yaml")
    with servers.serving(tmp_path, *arguments) as server:
        assert server.call(MAPS, config_map("kept"), method="POST")[0] == 201
        assert server.stop() == (0, "")
    result = terminal.run("run", "session.yaml", "--controllers", "-o", "json")
    assert result.code == 0, result.err
    assert "name: kept" in (tmp_path / "session.yaml").read_text()
    assert "web-" in result.out


def test_another_host_is_refused(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory", "--allow-host", "stage.example") as server:
        assert server.call("/api/v1/nodes", host="evil.example")[0] == 403
        assert server.call("/api/v1/nodes", host="stage.example:99")[0] == 200


def test_whoever_listens_to_the_world_has_tls_and_a_token(tmp_path: pathlib.Path) -> None:
    # What is made for the world, behind a socket that only this machine reaches.
    options = ServeOptions(host="0.0.0.0", data_dir=str(tmp_path / ".kubestage"))
    (tmp_path / ".kubestage").mkdir(mode=0o700)
    with serving.listen("127.0.0.1", 0) as listening:
        first = endpoint.prepare(options, listening)
        again = endpoint.prepare(options, listening)
    assert first.address.startswith("https://127.0.0.1:")
    assert first.new_token is not None
    assert (again.new_token, again.security.token) == (None, first.new_token)
    for name in ("token", "tls/server.key", "kubeconfig"):
        path = tmp_path / ".kubestage" / name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_opens_the_door_is_made_kept_and_printed_once(tmp_path: pathlib.Path) -> None:
    made = certificates.ensure(tmp_path / "tls", ["127.0.0.1"])
    tls = ("--tls-cert", str(made.certificate), "--tls-key", str(made.key))
    with servers.serving(tmp_path, *tls) as server:
        assert server.address.startswith("https://127.0.0.1:")
        (token,) = [line.split()[-1] for line in server.said if "shown this once" in line]
        assert server.call("/api/v1/nodes")[0] == 401
        assert server.call("/api/v1/nodes", authorization=f"Bearer {token}")[0] == 200
        user = json.loads(server.kubeconfig.read_text())["users"][0]["user"]
        assert user == {"token": token}
    with servers.serving(tmp_path, *tls) as server:
        assert not any("shown this once" in line for line in server.said)
        assert server.call("/api/v1/nodes", authorization=f"Bearer {token}")[0] == 200


def test_a_token_of_ones_own(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine").write_text("correct-horse-battery\n")
    with servers.serving(tmp_path, "--in-memory", "--token-file", "mine") as server:
        assert server.address.startswith("https://")
        bearer = "Bearer correct-horse-battery"
        assert server.call("/api/v1/nodes", authorization=bearer)[0] == 200
        assert server.call("/api/v1/nodes")[0] == 401


def test_each_request_is_told_on_demand(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory", "--log-level", "info") as server:
        server.call("/api/v1/nodes")
        code, said = server.stop()
    assert code == 0
    assert '"GET /api/v1/nodes HTTP/1.1" 200' in said


def test_a_certificate_that_is_none_is_refused(terminal: Terminal, tmp_path: pathlib.Path) -> None:
    for name in ("c.pem", "k.pem"):
        (tmp_path / name).write_text("nothing")
    result = terminal.run("serve", "--in-memory", "--tls-cert", "c.pem", "--tls-key", "k.pem")
    assert result.code == 2
    assert "c.pem: cannot be used" in result.err


@pytest.mark.parametrize(
    ("arguments", "problem", "fix"),
    [
        (["--in-memory", "--data-dir", "d"], "keeps nothing", "leave one"),
        (["--in-memory", "--durability", "relaxed"], "keeps nothing", "leave one"),
        (["--scheduler-grace", "5s"], "for a scheduler outside", "--scheduler outside"),
        (["--scheduler", "outside", "--scheduler-name", ""], "is empty", "leave it out"),
        (["--in-memory", "--kubeconfig", "."], "not written by kubestage", "another file"),
        (["--pace", "still", "--speed", "2"], "stand still", "leave one"),
        (["--speed", "0"], "above 0", "--speed 60"),
        (["--pace", "fast"], 'unknown pace "fast"', "jump"),
        (["--scheduler", "inside"], "unknown scheduler", "outside"),
        (["--durability", "some"], "unknown durability", "full"),
        (["--start", "soon"], '"soon" is no time', "now"),
        (["--tls-cert", "c.pem"], "without --tls-key", "--tls-key"),
        (["--tls-key", "k.pem"], "without --tls-cert", "--tls-cert"),
        (["--tls-cert", "c.pem", "--tls-key", "k.pem"], "no such file", "path"),
        (["--in-memory", "--token-file", "t"], "no such file", ""),
        (["--host", "no.such.host.invalid"], "no address", "127.0.0.1"),
        (["--host", "203.0.113.77"], "no address of this machine", "127.0.0.1"),
        (["--in-memory", "--port", "0", "--record", "d/s.yaml"], "cannot be written", "directory"),
        (["missing.yaml"], "no such file or directory", ""),
        (["--port", "70000"], "port", "--help"),
    ],
)
def test_what_cannot_be_served_is_refused_with_its_cure(
    terminal: Terminal, arguments: list[str], problem: str, fix: str
) -> None:
    result = terminal.run("serve", *arguments)
    assert result.code == 2
    assert problem in result.err
    assert fix in result.err
    assert result.out == ""


def test_a_kubeconfig_of_other_clusters_is_left_alone(
    tmp_path: pathlib.Path, terminal: Terminal
) -> None:
    other = tmp_path / "config"
    other.write_text("current-context: production\n")
    result = terminal.run("serve", "--in-memory", "--port", "0", "--kubeconfig", str(other))
    assert result.code == 2
    assert "not written by kubestage" in result.err
    assert other.read_text() == "current-context: production\n"
    own = tmp_path / "own"
    own.touch()
    for _ in range(2):
        with servers.serving(tmp_path, "--in-memory", "--kubeconfig", str(own)) as server:
            assert server.call("/readyz") == (200, "ok")


def test_a_server_that_could_not_keep_everything_says_so_in_the_end(
    tmp_path: pathlib.Path,
) -> None:
    with servers.serving(tmp_path, "--data-dir", "d") as server:
        shutil.rmtree(tmp_path / "d")
        code, answer = server.call(MAPS, config_map("lost"), method="POST")
        assert code == 500
        assert "the journal was removed" in answer["message"]
        assert server.call(f"{MAPS}/lost")[0] == 404
        code, errors = server.stop()
        assert code == 1
        assert "the journal was removed" in errors


def test_a_port_that_is_taken_is_named(terminal: Terminal) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = terminal.run("serve", "--in-memory", "--port", str(port))
    assert result.code == 2
    assert f"port {port} is taken" in result.err
    assert "--port 0" in result.err


def test_one_server_for_each_data_directory(tmp_path: pathlib.Path, terminal: Terminal) -> None:
    with servers.serving(tmp_path, "--data-dir", "d"):
        result = terminal.run("serve", "--data-dir", "d", "--port", "0")
        assert result.code == 2
        assert "in use" in result.err


def test_without_the_packages_it_says_what_to_install(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "kubestage.server.serving", raising=False)
    monkeypatch.delattr("kubestage.server.serving", raising=False)
    result = terminal.run("serve", "--in-memory")
    assert result.code == 2
    assert "uvicorn" in result.err
    assert "pip install 'kubestage[server]'" in result.err


def test_the_help_teaches(terminal: Terminal) -> None:
    result = terminal.run("serve", "--help")
    assert result.code == 0
    for word in ("KUBECONFIG", "--in-memory", "jump", "token"):
        assert word in result.out
