"""Files made to break a command: an exact sentence, exit code 2, no traceback, and an end."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import shutil
import zlib
from typing import TYPE_CHECKING

import pytest

from kubestage.cli import app

if TYPE_CHECKING:
    from tests.cli.terminal import Result, Terminal

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
DIGITS = "7" * 5000
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, generation: %s}\n"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
TRAFFIC = """apiVersion: kubestage.dev/v1alpha1
kind: Traffic
metadata: {name: t}
spec: {target: {name: web}, pattern: {trace: {file: %s}}}
"""


def _refused(result: Result, sentence: str) -> None:
    assert result.code == 2
    assert sentence in result.out + result.err
    assert "Traceback" not in result.out + result.err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"a": 1}}', "a.json:1: not valid JSON: invalid character"),
        ('{"a": 1}}}}\n{"b": 2}', "not valid JSON"),
        ('{"a\tb": 1}', "not valid JSON: invalid character"),
        ('{"apiVersion": "v1", "a\\q": 1}', "not valid JSON"),
        (f'{{"apiVersion": "v1", "kind": "ConfigMap", "n": {DIGITS}}}', "out of range"),
        (f'{{"a": 1}} {{"b": {DIGITS}}}', "not valid JSON"),
    ],
)
def test_broken_json_has_a_line(terminal: Terminal, text: str, sentence: str) -> None:
    pathlib.Path("a.json").write_text(text)
    for command in (["validate"], ["run"], ["get", "pods", "-f"]):
        result = terminal.run(*command, "a.json")
        _refused(result, sentence if command == ["validate"] else "a.json")


@pytest.mark.parametrize("number", [DIGITS, f"-{DIGITS}", f"0x{DIGITS}", f"'{DIGITS}'"])
def test_a_number_of_any_length_is_refused_as_another_would_be(
    terminal: Terminal, number: str
) -> None:
    pathlib.Path("a.yaml").write_text(MAP % number)
    _refused(terminal.run("validate", "a.yaml"), "metadata.generation: expected a whole number")


@pytest.mark.parametrize(
    "text",
    [
        "metadata: {name: a}\nspec: {tolerationSeconds: '%s'}",
        'metadata: {name: a, annotations: {controller.kubernetes.io/pod-deletion-cost: "%s"}}',
        (
            "metadata: {name: a, labels: {a: b}}\nspec: {affinity: {nodeAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            '[{matchExpressions: [{key: a, operator: Gt, values: ["%s"]}]}]}}}}'
        ),
    ],
)
def test_numbers_in_texts_have_any_length(terminal: Terminal, text: str) -> None:
    pathlib.Path("a.yaml").write_text(f"apiVersion: v1\nkind: Pod\n{text % DIGITS}\n")
    assert terminal.run("validate", "a.yaml").code == 2


def _load(change: tuple[str, str, str]) -> None:
    shutil.copytree(EXAMPLES / "25-load", ".", dirs_exist_ok=True)
    file, before, after = change
    text = pathlib.Path(file).read_text()
    assert before in text
    pathlib.Path(file).write_text(text.replace(before, after))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("load.yaml", "{qps: {{$qps}}}", "{qps: 1e-300}"), "qps: 1e-300: must be at least 1e-09"),
        (("load.yaml", "number: {{$namespaces}}", "number: 999999999"), "and 100,000 are the most"),
        (
            ("deployments.yaml", "max: {{.namespaces}}", "max: 999999999"),
            "namespaceRange.max: asks for 999,999,999 namespaces, and 100,000 are the most",
        ),
        (
            ("load.yaml", "replicas: 5", "replicas: 999999999"),
            "asks for 1,999,999,998 objects, and 10,000,000 are the most",
        ),
        (
            (
                "deployment.yaml",
                "metadata:\n  name: {{.Name}}\n  labels:\n    group: web",
                "metadata: x",
            ),
            "expected an object with a name",
        ),
    ],
)
def test_a_load_of_no_sense_is_refused(
    terminal: Terminal, change: tuple[str, str, str], sentence: str
) -> None:
    _load(change)
    for more in ([], ["--dry-run"]):
        _refused(terminal.run("load", "load.yaml", "--nodes", "3", *more), sentence)


@pytest.mark.parametrize(
    "words",
    [
        ["load", "bomb.yaml"],
        ["validate", "bomb.yaml"],
        ["clock", "--kubeconfig", "bomb.yaml", "show"],
        ["load", "load.yaml", "--kubeconfig", "bomb.yaml"],
        ["load", "load.yaml", "--overrides", "bomb.yaml"],
    ],
)
def test_aliases_that_stand_for_a_billion_values_are_refused(
    terminal: Terminal, words: list[str]
) -> None:
    shutil.copytree(EXAMPLES / "25-load", ".", dirs_exist_ok=True)
    pathlib.Path("bomb.yaml").write_text(BOMB + "name: x\nsteps: [{name: y}]\n")
    _refused(terminal.run(*words), "document contains excessive aliasing")


@pytest.mark.parametrize(
    ("key", "value"),
    [("start", "1Ei"), ("start", "2026-13-01T00:00:00Z"), ("tieBreak", "coin"), ("seed", "x")],
)
def test_a_run_file_that_was_edited_is_refused(terminal: Terminal, key: str, value: str) -> None:
    scenario = str(EXAMPLES / "14-scenario" / "scenario.yaml")
    assert terminal.run("run", scenario, "--out", "kept").code == 0
    path = pathlib.Path("kept/run.json")
    path.write_text(json.dumps({**json.loads(path.read_bytes()), key: value}))
    _refused(terminal.run("explain", "kept", "checkout-0"), "does not say how to repeat a run")


def test_a_life_that_was_edited_is_refused(terminal: Terminal) -> None:
    assert (
        terminal.run("run", str(EXAMPLES / "19-hpa-step-load"), "--for", "1m", "--out", "a").code
        == 0
    )
    shutil.copytree("a", "b")
    path = pathlib.Path("b/life.json")
    life = json.loads(path.read_bytes())
    for traffic in life["summary"]["traffic"]:
        del traffic["failed"]
    path.write_text(json.dumps(life))
    _refused(terminal.run("compare", "a", "b"), "is no run as it was written: KeyError: 'failed'")


@pytest.mark.parametrize(
    "words",
    [
        ["validate"], ["run"], ["get", "pods", "-f"], ["verify"], ["load"], ["analyze"],
        ["config", "view", "--config"], ["backtest"], ["compare", "x"], ["explain"],
        ["load", "load.yaml", "--overrides"], ["load", "load.yaml", "--profile"],
        ["clock", "show", "--kubeconfig"], ["trace", "show"], ["trace", "runs"], ["simulate"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("special", ["/dev/zero", "pipe.yaml"])
def test_devices_and_named_pipes_are_never_read(
    terminal: Terminal, words: list[str], special: str
) -> None:
    shutil.copytree(EXAMPLES / "25-load", ".", dirs_exist_ok=True)
    os.mkfifo("pipe.yaml")
    more = {"backtest": ["load.yaml"], "explain": ["a"]}.get(words[0], [])
    if words[0] == "clock":
        words = ["clock", "--kubeconfig", special, "show"]
        assert terminal.run(*words).code == 2
        return
    assert terminal.run(*words, special, *more).code == 2


def test_a_packed_file_that_fills_the_memory_is_refused(terminal: Terminal) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(packer.compress(b" " * 2**20) for _ in range(300)) + packer.flush()
    pathlib.Path("bomb.json.gz").write_bytes(packed)
    pathlib.Path("bomb.csv").write_bytes(packed)
    pathlib.Path("traffic.yaml").write_text(TRAFFIC % "bomb.csv")
    _refused(terminal.run("verify", "bomb.json.gz"), "is larger than 256 MiB when unpacked")
    _refused(terminal.run("validate", "traffic.yaml"), "is larger than 256 MiB when unpacked")


def test_a_trace_stays_below_the_manifest(terminal: Terminal) -> None:
    pathlib.Path("in/below").mkdir(parents=True)
    for place in ("secret.csv", "in/a.csv", "in/below/b.csv.gz"):
        text = b"arrival\n0\n1\n"
        pathlib.Path(place).write_bytes(gzip.compress(text) if place.endswith("gz") else text)
    pathlib.Path("in/link.csv").symlink_to("../secret.csv")
    os.mkfifo("in/pipe.csv")
    manifest = pathlib.Path("in/traffic.yaml")
    for name in ("a.csv", "below/b.csv.gz", f"{pathlib.Path.cwd()}/in/a.csv"):
        manifest.write_text(TRAFFIC % name)
        result = terminal.run("validate", "in/traffic.yaml")
        assert "leads out" not in result.out
        assert "pipe" not in result.out
    for name in ("../secret.csv", f"{pathlib.Path.cwd()}/secret.csv", "link.csv"):
        manifest.write_text(TRAFFIC % name)
        _refused(terminal.run("validate", "in/traffic.yaml"), "leads out of the manifest's folder")
    manifest.write_text(TRAFFIC % "pipe.csv")
    _refused(terminal.run("validate", "in/traffic.yaml"), "is a named pipe")


def test_an_error_that_nobody_expected_is_a_sentence(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: list[str]) -> int:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(app, "run", fail)
    result = terminal.run("version")
    _refused(result, "Error: unexpected error: ZeroDivisionError: division by zero in test_hostile")
    monkeypatch.setenv("KUBESTAGE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        terminal.run("version")


def test_an_error_on_the_way_out_of_an_interrupt_is_the_interrupt(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: list[str]) -> int:
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("the loop is closed")

    monkeypatch.setattr(app, "run", fail)
    result = terminal.run("version")
    assert (result.code, result.err) == (130, "Interrupted.\n")
