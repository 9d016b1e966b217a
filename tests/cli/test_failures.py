"""Bad input of every sort: an exact sentence, the place, a cure, exit code 2, no traceback."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.cli import failures, get_format
from kubestage.errors import Conflict, SimulationError

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

POD = b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: web\n"

CATALOGUE: dict[str, tuple[bytes, str, str | None]] = {
    "empty file": (
        b"",
        "m.yaml: no objects found",
        "a manifest has at least apiVersion, kind and metadata",
    ),
    "only comments": (
        b"# later\n---\n",
        "m.yaml: no objects found",
        "a manifest has at least apiVersion, kind and metadata",
    ),
    "binary file": (
        b"\x7fELF\x02\x01\x01\x00",
        "m.yaml:1: not text: control characters are not allowed",
        "kubestage reads YAML and JSON in UTF-8",
    ),
    "bad YAML": (
        b"apiVersion: v1\nkind: Pod\nmetadata: name: web\n",
        "m.yaml:3: not valid YAML: mapping values are not allowed in this context",
        "check the indentation, or quote a value that contains a colon",
    ),
    "tab": (
        b"apiVersion: v1\nmetadata:\n\tname: web\n",
        "m.yaml:3: not valid YAML: a tab cannot indent YAML",
        "indent with spaces",
    ),
    "duplicate key": (
        b"apiVersion: v1\nkind: Pod\nkind: Service\n",
        'm.yaml:3: key "kind" is set twice',
        "keep one of them",
    ),
    "template": (
        b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-web\n",
        "m.yaml:4: a mapping or list cannot be a key",
        "is this a template ({{ ... }})? render it first, or quote the braces",
    ),
    "no colon": (
        b"apiVersion: v1\nkind Pod\nmetadata:\n  name: web\n",
        "m.yaml:2: not valid YAML: this line has no colon after its key",
        "a key needs a colon and a space after it",
    ),
    "several": (
        b"a: b: c\n---\nkind: A\nkind: B\n",
        "m.yaml:1: not valid YAML: mapping values are not allowed in this context",
        (
            "check the indentation, or quote a value that contains a colon "
            "(1 more: `kubestage validate` lists all)"
        ),
    ),
    "broken JSON": (
        b'{"apiVersion": "v1",\n "kind": "Pod",\n}\n',
        "m.yaml:3: not valid JSON: trailing comma in object",
        "remove the comma before the brace",
    ),
    "not an object": (
        b"- apiVersion: v1\n",
        "m.yaml:1: expected an object with apiVersion and kind, found a list",
        "each document is one Kubernetes object",
    ),
    "no apiVersion": (
        b"kind: Pod\nmetadata: {name: web}\n",
        "m.yaml:1: apiVersion is missing",
        "add apiVersion: to the object",
    ),
    "no kind": (
        b"apiVersion: v1\nmetadata: {name: web}\n",
        "m.yaml:1: kind is missing",
        "add kind: to the object",
    ),
    "misspelt kind": (
        b"apiVersion: apps/v1\n# here\nkind: Deploymnet\n",
        'm.yaml:3: kind: unknown kind "Deploymnet" in "apps/v1"',
        "did you mean Deployment?",
    ),
    "wrong apiVersion": (
        b"apiVersion: extensions/v1beta1\nkind: Deployment\n",
        'm.yaml:1: apiVersion: no kind "Deployment" in apiVersion "extensions/v1beta1"',
        "did you mean apps/v1?",
    ),
    "kustomization": (
        b"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
        'm.yaml:2: kind: unknown kind "Kustomization" in "kustomize.config.k8s.io/v1beta1"',
        "build it first: kubectl kustomize DIRECTORY | kubestage ... -f -",
    ),
    "wrong type": (
        POD + b"    ports: 80\n",
        "m.yaml:8: spec.containers[0].ports: expected a list, got a whole number",
        None,
    ),
    "bad quantity": (
        POD + b"    resources:\n      limits: {memory: 1GB}\n",
        (
            'm.yaml:9: spec.containers[0].resources.limits[memory]: "1GB" is not a quantity: '
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        ),
        "did you mean 1G? (or 1Gi, which counts in powers of 1024)",
    ),
    "bad definition": (
        b"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {}\n",
        "m.yaml:3: spec: the definition lacks group, names or versions",
        "a CustomResourceDefinition needs spec.group, spec.names and spec.versions",
    ),
    "item of a list": (
        b"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pdo\n",
        'm.yaml:5: items[0].kind: unknown kind "Pdo" in "v1"',
        "did you mean Pod?",
    ),
}


def _told(problem: str, fix: str | None) -> str:
    return f"Error: {problem}\n  fix: {fix}\n" if fix else f"Error: {problem}\n"


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_bad_file_is_told_exactly(name: str, terminal: Terminal) -> None:
    data, problem, fix = CATALOGUE[name]
    pathlib.Path("m.yaml").write_bytes(data)
    result = terminal.run("get", "pods", "-f", "m.yaml")
    assert result.err == _told(problem, fix)
    assert (result.code, result.out) == (2, "")


ARGUMENTS: dict[str, tuple[list[str], str, str | None]] = {
    "no file named": (
        ["get", "pods"],
        "no manifests named",
        "add -f FILE, -f DIRECTORY or -f - for standard input",
    ),
    "missing file": (
        ["get", "pods", "-f", "nowhere.yaml"],
        "nowhere.yaml: no such file or directory",
        "check the path",
    ),
    "misspelt file": (
        ["validate", "pood.yaml"],
        "pood.yaml: no such file or directory",
        "did you mean pod.yaml?",
    ),
    "below a file": (["validate", "pod.yaml/x.yaml"], "pod.yaml/x.yaml: not a directory", None),
    "empty directory": (
        ["validate", "empty"],
        "empty: no .yaml, .yml or .json file in this directory",
        "name a directory that holds manifests, or a file",
    ),
    "address": (
        ["validate", "https://example.com/a.yaml"],
        "https://example.com/a.yaml: addresses are not read",
        "fetch it first: curl -O https://example.com/a.yaml",
    ),
    "no kind": (["get", "-f", "pod.yaml"], "Missing argument 'KIND'", "see `kubestage get --help`"),
    "misspelt kind": (
        ["get", "pdos", "-f", "pod.yaml"],
        'the cluster has no kind "pdos"',
        "did you mean pods?",
    ),
    "only a comma": (
        ["get", ",", "-f", "pod.yaml"],
        "no kind named",
        "name one, as in `kubestage get pods`",
    ),
    "mixed forms": (
        ["get", "pod/web", "db", "-f", "pod.yaml"],
        '"db" stands beside names of the form KIND/NAME',
        "write every object as KIND/NAME, or one kind and then names",
    ),
    "misspelt name": (
        ["get", "pod", "wbe", "-f", "pod.yaml"],
        'pods "wbe" not found',
        "did you mean web?",
    ),
    "unknown name": (
        ["get", "pod", "database", "-f", "pod.yaml"],
        'pods "database" not found',
        "see `kubestage get pods`, or look in another namespace (-n)",
    ),
    "bad selector": (
        ["get", "pods", "-f", "pod.yaml", "-l", "app in web"],
        "--selector: unable to parse requirement: found 'web' expected: '('",
        "selectors look like app=web,tier in (a,b),!canary",
    ),
    "bad field": (
        ["get", "nodes", "-f", "pod.yaml", "--field-selector", "spec.cpu=4"],
        "--field-selector: field label not supported: spec.cpu",
        "nodes can be selected by metadata.name, spec.unschedulable",
    ),
    "bad format": (
        ["get", "pods", "-f", "pod.yaml", "-o", "yml"],
        'unknown output format "yml"',
        "did you mean yaml? use one of " + ", ".join((*get_format.PLAIN, *get_format.TEMPLATED)),
    ),
    "bad time": (
        ["get", "pods", "-f", "pod.yaml", "--now", "yesterday"],
        '--now: "yesterday" is not a time',
        "times look like 2026-01-01T00:00:00Z",
    ),
    "bad shell": (
        ["completion", "tcsh"],
        'unknown shell "tcsh"',
        "use one of bash, zsh, fish, powershell",
    ),
    "unknown command": (["fly"], "No such command 'fly'", "see `kubestage --help`"),
    "unknown option": (
        ["validate", "--fast", "pod.yaml"],
        "No such option: --fast",
        "see `kubestage validate --help`",
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_told_exactly(name: str, terminal: Terminal) -> None:
    pathlib.Path("pod.yaml").write_bytes(POD)
    pathlib.Path("empty").mkdir()
    arguments, problem, fix = ARGUMENTS[name]
    result = terminal.run(*arguments)
    assert result.err == _told(problem, fix)
    assert (result.code, result.out) == (2, "")


def test_what_the_system_refuses_is_told(terminal: Terminal) -> None:
    pathlib.Path("loop.yaml").symlink_to("loop.yaml")
    result = terminal.run("validate", "loop.yaml")
    assert result.err == "Error: loop.yaml: too many levels of symbolic links\n"
    assert result.code == 2


def test_other_errors_of_ours_are_told_without_a_place() -> None:
    assert failures.explain(SimulationError("time went back")) == ("time went back", None)
    assert failures.explain(Conflict("changed meanwhile")) == ("changed meanwhile", None)
    assert failures.explain(OSError(28, "No space left on device")) == (
        "no space left on device",
        None,
    )


def test_an_interrupt_is_told_in_a_word_and_leaves_with_130(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def command(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    assert failures.guard(command, []) == 130
    assert capsys.readouterr() == ("", "Interrupted.\n")


def _kubestage(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from kubestage import cli; cli.main()", *arguments]


def test_the_program_itself_leaves_with_the_code_and_no_traceback() -> None:
    done = subprocess.run(_kubestage("get", "pods"), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: no manifests named\n")


def test_a_closed_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        _kubestage("api-resources"), stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == failures.PIPE_CLOSED
