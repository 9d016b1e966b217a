"""``kubestage import``: what it prints and writes, and that all commands take the folder."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import gvk, manifest
from kubestage.runs.inputs import manifests
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions
from tests.cli import servers
from tests.sources import samples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.cli.terminal import Terminal

WORKLOADS = pathlib.Path(__file__).parents[1] / "sources" / "workloads.yaml"
Placed = dict[tuple[str, str], str]


@pytest.fixture
def dump(tmp_path: pathlib.Path) -> str:
    items = [samples.node("node-a"), samples.node("node-b"), samples.pod(), samples.pod("new", "")]
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return "dump.json"


def test_what_was_written_is_printed(terminal: Terminal, dump: str) -> None:
    done = terminal.run("import", dump, "--out", "cluster")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:3] == [
        "cluster: 4 objects of 2 kinds",
        "        2  Node",
        "        2  Pod",
    ]
    assert done.out.endswith("next: kubestage run cluster --for 10m\n")


def test_all_commands_take_the_folder(terminal: Terminal, dump: str) -> None:
    terminal.run("import", dump, "--out", "cluster")
    for words in (
        ("run", "cluster"),
        ("run", "cluster", "--for", "1m"),
        ("get", "pods", "-A", "-f", "cluster"),
        ("validate", "cluster"),
        ("rehearse", "outage", "node-a", "-f", "cluster"),
        ("cost", "-f", "cluster"),
        ("import", "cluster", "--out", "again"),
    ):
        done = terminal.run(*words)
        assert done.code == 0, (words, done.err)
    assert "new" in terminal.run("run", "cluster").out


def test_a_full_folder_and_missing_words_are_refused(terminal: Terminal, dump: str) -> None:
    assert terminal.run("import", dump, "--out", "cluster").code == 0
    full = terminal.run("import", dump, "--out", "cluster")
    assert (full.code, "not empty" in full.err) == (2, True)
    for words, text in (
        ((dump,), "--out"),
        (("--out", "x"), "no source is named"),
        ((dump, "--out", "x", "--key", "k"), "--anonymise"),
        ((dump, "--out", "x", "--at", "noon"), "--at"),
        ((dump, "--out", "x", "--at", "2026-03-01T10:00:00Z"), "sources with time"),
        (("missing.yaml", "--out", "x"), "no such file"),
    ):
        refused = terminal.run("import", *words)
        assert (refused.code, text in refused.err) == (2, True), refused.err


def test_the_key_may_be_in_a_file(terminal: Terminal, dump: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "key").write_text("mine\n")
    for out, key in (("a", "key"), ("b", "mine"), ("c", "other")):
        words = ("import", dump, "--anonymise", "--key", key, "--out", out)
        assert terminal.run(*words).code == 0
    texts = [(tmp_path / out / "cluster-scoped.yaml").read_text() for out in "abc"]
    assert texts[0] == texts[1] != texts[2]


def test_kinds_and_a_role_are_printed(terminal: Terminal) -> None:
    kinds = terminal.run("import", "--print-kinds").out
    assert kinds.splitlines()[0].split() == ["NAME", "APIVERSION", "PURPOSE", "LIVE"]
    assert "nodepools" in kinds
    (role,) = manifest.load_text(terminal.run("import", "--print-rbac").out)
    rules = {rule["apiGroups"][0]: rule for rule in role.object["rules"]}
    assert all(rule["verbs"] == ["list"] for rule in rules.values())
    assert "secrets" not in rules[""]["resources"]
    with_secrets = terminal.run("import", "--print-rbac", "--with-secrets").out
    assert "- secrets\n" in with_secrets


def _written(folder: pathlib.Path) -> Placed:
    documents = (each.object for each in manifests.load([str(folder)]).documents)
    return _placed({str(at): each for at, each in enumerate(documents) if each["kind"] == "Pod"})


def _placed(pods: Mapping[str, Any]) -> Placed:
    return {
        (pod["metadata"]["namespace"], pod["metadata"]["name"]): pod["spec"].get("nodeName", "")
        for pod in pods.values()
    }


def test_a_served_cluster_goes_on_where_it_was(terminal: Terminal, tmp_path: pathlib.Path) -> None:
    """Workloads of every kind: live, hidden, and through a dump, every pod keeps its node."""
    with servers.serving(tmp_path, str(WORKLOADS), "--nodes", "4", "--in-memory") as server:
        kubeconfig = str(server.kubeconfig)
        assert terminal.run("clock", "advance", "3m", "--kubeconfig", kubeconfig).code == 0
        live = terminal.run("import", "--kubeconfig", kubeconfig, "--out", "live")
        assert live.code == 0, live.err
        _, pods = server.call("/api/v1/pods")
    assert terminal.run("import", "live", "--anonymise", "--out", "hidden").code == 0
    served = _placed(dict(enumerate(pods["items"])))  # type: ignore[arg-type]
    assert len(served) > 10
    assert _written(tmp_path / "live") == served
    for folder in ("live", "hidden"):
        before = _written(tmp_path / folder)
        result = run(str(tmp_path / folder), RunOptions(run_for="10m"))
        after = _placed(result.stage.store.read(gvk.POD))
        assert {key: after.get(key) for key in before} == before
        assert sorted(before.values()).count("") == 0
        # Only the CronJob makes more.
        more = after.keys() - before.keys()
        assert len(more) == 2, more


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bundle.tar.gz", samples.tar(samples.support_bundle())),
        ("audit.log", samples.lines(samples.audit("get", "pods", "a", 1))),
        ("trace.json", b'{"version": 2, "config": {"trackedObjects": {}}, "events": []}'),
    ],
)
def test_other_commands_name_the_import(
    name: str, content: bytes, terminal: Terminal, tmp_path: pathlib.Path
) -> None:
    (tmp_path / name).write_bytes(content)
    refused = terminal.run("run", name)
    assert refused.code == 2
    assert f"kubestage import {name} --out cluster" in refused.err
