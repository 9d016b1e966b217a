"""The action: its steps run here as GitHub would run them."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest
import yaml

from kubestage.cli import app
from tests.action.github import serving
from tests.runs.check.clusters import nodes, web, write

ROOT = pathlib.Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHIM = f"""#!/bin/sh
exec {sys.executable} -c 'from kubestage import cli; cli.main()' "$@"
"""


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A repository that is checked out, and a home with kubestage in it."""
    monkeypatch.chdir(tmp_path)
    home = tmp_path / "temp" / "kubestage" / "bin"
    home.mkdir(parents=True)
    (home / "kubestage").write_text(SHIM)
    (home / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for each in home.iterdir():
        each.chmod(0o755)
    write("cluster", *nodes())
    write("before", web(2))
    write("after", web(6))
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))
    return tmp_path


def _step(text: str) -> dict[str, Any]:
    [found] = [each for each in STEPS if text in each.get("run", "")]
    return found


def _run(
    step: dict[str, Any], folder: pathlib.Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a step with values in place of its expressions."""
    environment = {
        "KUBESTAGE_HOME": str(folder / "temp" / "kubestage"),
        "OUT": str(folder / "temp" / "kubestage-check"),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_ACTIONS": "true",
        **variables,
    }
    assert set(step["env"]) <= {*environment, "NUMBA_CACHE_DIR"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def _check(folder: pathlib.Path, **variables: str) -> dict[str, str]:
    words = {
        "CONFIG": "",
        "BASE": "before",
        "HEAD": "after",
        "ARGUMENTS": "-f cluster",
        **variables,
    }
    done = _run(_step('kubestage" check'), folder, **words)
    assert done.returncode == 0, done.stderr
    lines = (folder / "output").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_a_worse_change_is_reported_commented_and_fails(folder: pathlib.Path) -> None:
    found = _check(folder)
    assert found["exit-code"] == "1"
    text = pathlib.Path(found["markdown"]).read_text()
    assert text.startswith("## ❌ kubestage check: worse: ")
    assert "<testsuites " in pathlib.Path(found["junit"]).read_text()
    assert json.loads(pathlib.Path(found["sarif"]).read_text())["version"] == "2.1.0"
    comment = _step("pull_request_comment.py")
    with serving() as github:
        done = _run(
            comment,
            folder,
            MARKDOWN=found["markdown"],
            NAME="check",
            GITHUB_TOKEN="secret",
            GITHUB_API_URL=github.address,
            GITHUB_REPOSITORY="shop/deploy",
            GITHUB_EVENT_PATH="event.json",
        )
    assert (done.returncode, done.stdout) == (0, "comment created\n")
    assert github.comments[0]["body"] == f"<!-- kubestage check -->\n{text}"
    last = _step('exit "$CODE"')
    assert _run(last, folder, CODE="1", FAIL="true").returncode == 1
    assert _run(last, folder, CODE="1", FAIL="false").returncode == 0
    assert _run(last, folder, CODE="2", FAIL="false").returncode == 2
    assert _run(last, folder, CODE="0", FAIL="true").returncode == 0


def test_a_new_branch_has_nothing_before(folder: pathlib.Path) -> None:
    write("after", web(2))
    assert _check(folder, BASE="0" * 40)["exit-code"] == "0"
    text = pathlib.Path(folder, "temp", "kubestage-check.md").read_text()
    assert "| Figure | the cluster | after |" in text


def test_bad_input_has_its_exit_code(folder: pathlib.Path) -> None:
    assert _check(folder, HEAD="missing")["exit-code"] == "2"


def test_every_script_can_be_read_by_bash() -> None:
    for step in STEPS:
        done = subprocess.run(["bash", "-n", "-c", step.get("run", "")], check=False)
        assert done.returncode == 0


def test_no_input_is_part_of_a_script() -> None:
    """Who opens a pull request chooses the names of branches, and must not choose commands."""
    for step in STEPS:
        assert "${{" not in step.get("run", "")


def test_no_secret_is_needed_but_the_token_of_the_workflow() -> None:
    text = (ROOT / "action.yml").read_text()
    assert "secrets." not in text
    assert ACTION["inputs"]["token"]["default"] == "${{ github.token }}"
    with_token = [step for step in STEPS if "inputs.token" in json.dumps(step)]
    assert with_token == [_step("pull_request_comment.py")]


def test_inputs_and_outputs_that_are_used_exist() -> None:
    text = (ROOT / "action.yml").read_text()
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) <= set(ACTION["inputs"])
    written = set(re.findall(r'echo "([a-z-]+)=', text))
    assert set(ACTION["outputs"]) == written


def test_hooks_of_pre_commit_name_commands_that_exist() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {each["id"] for each in hooks} == {"kubestage-check", "kubestage-validate"}
    for each in hooks:
        program, command = each["entry"].split()[:2]
        assert program == "kubestage"
        assert command in app._COMMANDS
        assert each["language"] == "python"
