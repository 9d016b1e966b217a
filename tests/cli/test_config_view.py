"""``kubestage config view``: what the scheduler makes of a configuration."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import manifest
from kubestage.scheduler import config
from tests.cli import clusters
from tests.golden import vectors

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

TWO = """\
    profiles:
    - schedulerName: default-scheduler
    - schedulerName: packing
      plugins:
        score:
          enabled: [{name: ImageLocality, weight: 7}]
          disabled: [{name: NodeAffinity}]
    """


def cases() -> list[Any]:
    return [each for each in vectors.load("schedulerconfig") if each.get("out")]


def test_it_is_what_the_real_scheduler_makes_of_it(terminal: Terminal) -> None:
    looked_at = 0
    for case in cases():
        wanted = case["out"]
        if "writtenConfiguration" not in wanted:
            continue
        pathlib.Path("scheduler.yaml").write_text(case["in"].get("yaml") or "")
        named = ("--config", "scheduler.yaml") if case["in"].get("yaml") else ()
        result = terminal.run("config", "view", *named, "-o", "json")
        assert (case["id"], result.code, result.err) == (case["id"], 0, "")
        told = json.loads(result.out)
        assert told["configuration"] == wanted["writtenConfiguration"]
        for ours, real in zip(told["profiles"], wanted["profiles"], strict=True):
            assert ours["plugins"] == {
                **{point: [] for point in ours["plugins"]}, **real["plugins"],
            }  # fmt: skip
        looked_at += 1
    assert looked_at > 20


def test_the_yaml_can_be_used_and_names_the_order(terminal: Terminal) -> None:
    clusters.write_config(TWO)
    result = terminal.run("config", "view", "--config", "scheduler.yaml")
    assert result.code == 0
    assert "# packing" in result.out
    pathlib.Path("again.yaml").write_text(result.out)
    assert len(manifest.load_text(result.out)) == 1
    again = terminal.run("config", "view", "--config", "again.yaml")
    assert again.out == result.out


def test_the_table_has_the_order_and_the_weights(terminal: Terminal) -> None:
    clusters.write_config(TWO)
    result = terminal.run("config", "view", "--config", "scheduler.yaml", "-o", "table")
    rows = [line.split() for line in result.out.splitlines()]
    assert rows[0] == ["PROFILE", "EXTENSION-POINT", "ORDER", "PLUGIN", "WEIGHT"]
    scores = [row for row in rows if row[:2] == ["packing", "score"]]
    assert scores[0] == ["packing", "score", "1", "ImageLocality", "7"]
    assert "NodeAffinity" not in [row[3] for row in scores]
    points = list(dict.fromkeys(row[1] for row in rows[1:]))
    assert points[:4] == ["queueSort", "preEnqueue", "preFilter", "filter"]


def test_without_a_file_it_is_the_default(terminal: Terminal) -> None:
    told = json.loads(terminal.run("config", "view", "-o", "json").out)
    assert told == config.complete(config.default()).to_dict()
    args = {each["name"] for each in told["configuration"]["profiles"][0]["pluginConfig"]}
    assert "NodeResourcesFit" in args


def test_old_flags_and_plugins_of_ones_own_count(terminal: Terminal) -> None:
    told = json.loads(terminal.run("config", "view", "--scheduler-name", "mine", "-o", "json").out)
    assert told["profiles"][0]["schedulerName"] == "mine"
    clusters.write_plugin(
        """\
        class Mine:
            name = "Mine"
            def __init__(self, args, handle): ...
            def score_node(self, state, pod, node): return 1
        """
    )
    clusters.write_config(clusters.enabling("Mine"))
    named = ("config", "view", "--config", "scheduler.yaml", "--plugin", "mine.py:Mine")
    result = terminal.run(*named, "-o", "table")
    assert "Mine" in result.out


@pytest.mark.parametrize("output", ["wide", "yml"])
def test_other_formats_are_refused(output: str, terminal: Terminal) -> None:
    assert terminal.run("config", "view", "-o", output).code == 2


def test_a_bad_configuration_is_refused(terminal: Terminal) -> None:
    clusters.write_config("parallelism: -1\n")
    result = terminal.run("config", "view", "--config", "scheduler.yaml")
    assert (result.code, result.out) == (2, "")
    assert "scheduler.yaml:3: parallelism" in result.err
