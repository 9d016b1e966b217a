"""``kubestage cost``: what it prints, keeps and refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kubestage.objects import manifest, yaml_text
from kubestage.testing import make_deployment, make_node
from tests.cli import servers

if TYPE_CHECKING:
    import pathlib

    from tests.cli.terminal import Terminal

TYPE = "node.kubernetes.io/instance-type"
NODES = [make_node(name, cpu="4", memory="16Gi", labels={TYPE: "m5.large"}) for name in "abc"]
WEB = make_deployment("web", replicas=3, cpu="1", memory="4Gi")
ANSWER = (
    "3 nodes cost $0.30 per hour; 75% of it is idle. "
    "2 nodes could be removed, which saves $0.20 per hour.\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.yaml").write_text("---\n".join(map(yaml_text.dump, (*NODES, WEB))))
    (tmp_path / "prices.csv").write_text("instance_type,price\nm5.large,0.1\n")
    return tmp_path


def test_the_answer_leads_and_tables_follow(terminal: Terminal) -> None:
    done = terminal.run("cost", "-f", "all.yaml", "--prices", "prices.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{ANSWER}\nPOOL ")
    assert "deployment/default/web   3      $0.075     25%      3 cores   12 GiB" in done.out
    assert "cost per month " in done.out


@pytest.mark.parametrize("output", ["json", "yaml"])
def test_data_has_all_that_is_known(terminal: Terminal, output: str) -> None:
    done = terminal.run("cost", "-f", "all.yaml", "--prices", "prices.csv", "-o", output)
    found = json.loads(done.out) if output == "json" else manifest.load_text(done.out)[0].object
    assert found["metrics"]["cluster_cost"] == 0.3
    assert [each["node"] for each in found["nodes"]] == ["a", "b", "c"]
    assert (len(found["removable"]), found["savingPerHour"]) == (2, 0.2)


def test_markdown_has_tables(terminal: Terminal) -> None:
    done = terminal.run("cost", "-f", "all.yaml", "--prices", "prices.csv", "-o", "markdown")
    assert done.out.startswith("## 3 nodes cost $0.30 per hour")
    assert "| Node | Pool | Pods that move | Per hour |\n| --- | --- | --- | --- |" in done.out


def test_without_prices_there_is_still_packing(terminal: Terminal) -> None:
    done = terminal.run("cost", "-f", "all.yaml", "--no-removable")
    assert done.out.startswith("3 nodes without a price; requested: cpu 25%, memory 25%.\n")
    assert "PER HOUR" not in done.out


def test_prices_without_effect_are_noted(terminal: Terminal, folder: pathlib.Path) -> None:
    (folder / "prices.csv").write_text("instance_type,price\nc5.large,0.1\n")
    done = terminal.run("cost", "-f", "all.yaml", "--prices", "prices.csv")
    assert "Note: --prices prices.csv has no effect: it has no price for m5.large" in done.err


def test_the_answer_is_kept_with_a_page(terminal: Terminal, folder: pathlib.Path) -> None:
    words = ("cost", "-f", "all.yaml", "--prices", "prices.csv", "--out", "kept")
    for _ in range(2):
        done = terminal.run(*words)
        assert done.code == 0
        assert "Kept in kept: open kept/report.html" in done.err
    names = sorted(each.name for each in (folder / "kept").iterdir())
    assert names == ["cost.json", "cost.md", "report.html"]
    page = (folder / "kept" / "report.html").read_text()
    assert "2 nodes could be removed" in page
    assert "Who accounts for the cost" in page
    assert "How full the nodes are" in page


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("-f", "no.yaml"), "no.yaml"),
        ((), "no cluster is named"),
        (("-f", "all.yaml", "--prices", "aws-us-west"), "did you mean aws-us-east-1?"),
        (("-f", "all.yaml", "--prices", "all.yaml"), "is no price catalog"),
    ],
)
def test_bad_input_is_exit_code_2(terminal: Terminal, words: tuple[str, ...], problem: str) -> None:
    done = terminal.run("cost", *words)
    assert done.code == 2
    assert problem in done.err


def test_a_kept_run_and_a_server_are_clusters_too(terminal: Terminal, folder: pathlib.Path) -> None:
    assert terminal.run("run", "all.yaml", "--for", "1m", "--out", "kept").code == 0
    done = terminal.run("cost", "-f", "kept", "--prices", "prices.csv")
    assert done.out.startswith(ANSWER)
    (folder / "served").mkdir()
    start = ("--prices", str(folder / "prices.csv"), str(folder / "all.yaml"))
    with servers.serving(folder / "served", *start) as server:
        done = terminal.run("cost", "--server", server.address)
    assert done.out.startswith(ANSWER)
