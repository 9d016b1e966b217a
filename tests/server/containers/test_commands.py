"""What a simulated container answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.programs import environment
from kubestage.server.containers.commands import KNOWN
from kubestage.server.identity import service_accounts
from kubestage.server.identity.service_accounts import TokenOwner
from kubestage.server.live import Live
from tests.server.containers.containers import ask, cluster

if TYPE_CHECKING:
    from kubestage import Stage


@pytest.fixture(scope="module")
def stage() -> Stage:
    return cluster()


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["hostname"], "web\n"),
        (["/bin/hostname", "-f"], "web.shop.default.svc.cluster.local\n"),
        (["hostname", "-i"], "10.244.0.2\n"),
        (["date"], "Thu Jan  1 00:00:30 UTC 2026\n"),
        (["date", "-u", "+%Y-%m-%d %s"], "2026-01-01 1767225630\n"),
        (["date", "-Iseconds"], "2026-01-01T00:00:30+00:00\n"),
        (["date", "-R"], "Thu, 01 Jan 2026 00:00:30 +0000\n"),
        (["echo", "a", "b  c"], "a b  c\n"),
        (["echo", "-n", "a"], "a"),
        (["pwd"], "/etc/config\n"),
        (["true"], ""),
        (["printenv", "A", "NAME"], "1\nweb\n"),
        (["cat", "colour"], "blue"),
        (["cat", "/etc/config/app.conf", "/one.conf"], "a=1\nb=2\na=1\nb=2\n"),
        (["cat", "/all/deep/word"], "hunter2"),
        (["cat", "/all/labels"], 'app="web"\ntier="front"'),
        (["cat", "/all/memory"], "134217728"),
        (["cat", "/etc/hostname"], "web\n"),
        (["ls"], "app.conf\ncolour\n"),
        (["ls", "/all"], "deep\nlabels\nmemory\ntoken\n"),
        (["ls", "/all/deep", "/one.conf"], "/all/deep:\nword\n/one.conf\n"),
        (["ls", "/scratch"], ""),
        (["ls", "-lL", "colour"], "-rw-r--r-- 1 root root        4 Jan  1 00:00 colour\n"),
        (["sh", "-c", "echo $A ${NAME} 'c d'"], "1 web c d\n"),
        (["sh", "-c", "ls /all | wc -l"], "4\n"),
        (["sh", "-c", ""], ""),
        (["sh", "-c", "echo $A ${NAME} \"c d\""], "1 web c d\n"),
        (["bash", "-c", "cat colour"], "blue"),
    ],
)  # fmt: skip
def test_a_command_is_answered(stage: Stage, words: list[str], printed: str) -> None:
    outcome = ask(stage, *words)
    assert (outcome.out.decode(), outcome.err, outcome.code) == (printed, b"", 0)


def test_the_environment_is_that_of_the_kubelet(stage: Stage) -> None:
    lines = ask(stage, "env").out.decode().splitlines()
    variables = dict(line.split("=", 1) for line in lines if "=" in line)
    address = stage.store.get(("v1", "Service"), "db")["spec"]["clusterIP"]
    expected = {
        "HOSTNAME": "web",
        "A": "1",
        "B": "1-5432-$(A)-$(NOPE)",
        "CFG_colour": "blue",
        "PASSWORD": "hunter2",
        "NODE": "n1",
        "POD_IP": "10.244.0.2",
        "APP": "web",
        "MEMORY": "128",
        "CPU": "250",
        "MOST_CPU": "4",
        "DB_SERVICE_HOST": address,
        "DB_SERVICE_PORT": "5432",
        "DB_SERVICE_PORT_SQL": "5432",
        "DB_PORT": f"tcp://{address}:5432",
        "DB_PORT_5432_TCP_ADDR": address,
    }
    assert {name: variables.get(name) for name in expected} == expected
    assert "ABSENT" not in variables
    assert {"PATH", "HOME"} <= set(variables)


def test_a_pod_that_wants_no_links_has_none() -> None:
    stage = cluster()
    pod = stage.store.get(("v1", "Pod"), "web")
    shy = {**pod, "spec": {**pod["spec"], "enableServiceLinks": False}}
    variables = environment.environment_variables(stage.store, shy, shy["spec"]["containers"][0])
    assert not any(name.startswith("DB_") for name in variables)


def test_a_mounted_token_is_one_that_is_known() -> None:
    stage = cluster()
    live = Live(stage)
    token = ask(stage, "cat", "/all/token", live=live).out.decode()
    found = service_accounts.owner(live, token)
    assert isinstance(found, TokenOwner)
    assert found.user["username"] == "system:serviceaccount:default:default"
    assert found.user["extra"]["authentication.kubernetes.io/pod-name"] == ["web"]
    assert found.user["extra"]["authentication.kubernetes.io/node-name"] == ["n1"]


def test_the_hosts_file_names_the_pod(stage: Stage) -> None:
    told = ask(stage, "cat", "/etc/hosts").out.decode()
    assert told.startswith("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n")
    assert told.endswith("10.244.0.2\tweb.shop.default.svc.cluster.local\tweb\n")


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["top"], 127, "simulated container: the command top is not modelled; known are [, "),
        (["sh"], 127, "sh without -c SCRIPT is not modelled"),
        (["sh", "-c", "echo 'a"], 127, "' is missing is not modelled"),
        (["sh", "-c", "echo a; top"], 127, "the command top is not modelled"),
        (["false"], 1, ""),
        (["printenv", "NOPE"], 1, ""),
        (["env", "A=2", "ls"], 127, "env A=2 ls is not modelled"),
        (["cat"], 127, "cat that reads from a terminal is not modelled"),
        (["cat", "/all"], 1, "cat: /all: Is a directory"),
        (["cat", "nope"], 1, "cat: nope: No such file or directory"),
        (["cat", "../../etc/passwd"], 127, "the file /etc/passwd of the image is not modelled"),
        (["ls", "/usr"], 127, "the file /usr of the image is not modelled"),
        (["ls", "-R"], 127, "ls -R is not modelled"),
        (["date", "--set=x"], 127, "date --set=x is not modelled"),
        (["hostname", "new"], 127, "hostname new is not modelled"),
        (["sleep", "5"], 127, "sleep that waits is not modelled"),
    ],
)
def test_what_is_not_simulated_says_so(
    stage: Stage, words: list[str], code: int, problem: str
) -> None:
    outcome = ask(stage, *words)
    assert outcome.code == code
    assert problem in outcome.err.decode()
    assert outcome.out == b""


def test_what_is_known_is_named(stage: Stage) -> None:
    told = ask(stage, "tar", "cf", "-", "x").err.decode()
    assert told.endswith(f"known are {', '.join(KNOWN)}\n")


def test_part_of_the_files_may_be_there(stage: Stage) -> None:
    outcome = ask(stage, "cat", "colour", "nope")
    assert (outcome.out, outcome.code) == (b"blue", 1)
