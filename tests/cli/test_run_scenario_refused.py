"""Scenarios as people get them wrong: an exact sentence, the place, a cure, code 2."""

from __future__ import annotations

import pathlib
import textwrap
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_node
from tests.cli import clusters, scenarios
from tests.scenario import building
from tests.scenario.building import create, done

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

HEAD = textwrap.dedent(
    """\
    apiVersion: simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1
    kind: Scenario
    """
)
NAMED = f"{HEAD}metadata: {{name: it}}\n"
NODE = "{apiVersion: v1, kind: Node, metadata: {name: a}}"
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def event(body: str, step: str = "0", operation: str = "Create") -> str:
    """A Scenario with one event."""
    lines = f"  - step: {step}\n    operation: {operation}\n    {body}\n"
    return f"{NAMED}spec:\n  events:\n{lines}"


def patch(text: str, kind: str = "json") -> str:
    target = "typeMeta: {apiVersion: v1, kind: Node}, objectMeta: {name: a}"
    body = f"patchOperation: {{{target}, patch: {text}, patchType: {kind}}}"
    return event(body, operation="Patch")


TEXTS: dict[str, tuple[str, str, str | None]] = {
    "no metadata": (
        f"{HEAD}spec: {{}}\n",
        "s.yaml:1: metadata.name: Required value: name or generateName is required",
        None,
    ),
    "a name that is yet to be made": (
        f"{HEAD}metadata:\n  generateName: it-\n",
        "s.yaml:3: metadata.name: is missing",
        "give the Scenario a name",
    ),
    "a name that is a path": (
        f"{HEAD}metadata:\n  name: ..\n",
        f's.yaml:4: metadata.name: Invalid value: "..": {SUBDOMAIN}',
        None,
    ),
    "a name in letters of elsewhere": (
        f"{HEAD}metadata:\n  name: szenárió\n",
        f's.yaml:4: metadata.name: Invalid value: "szenárió": {SUBDOMAIN}',
        None,
    ),
    "another version": (
        NAMED.replace("v1alpha1", "v1beta1"),
        (
            's.yaml:1: apiVersion: no kind "Scenario" in apiVersion '
            '"simulation.kube-scheduler-simulator.x-k8s.io/v1beta1"'
        ),
        "did you mean simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1?",
    ),
    "a list": (
        "- step: 0\n",
        "s.yaml:1: expected an object with apiVersion and kind, found a list",
        "each document is one Kubernetes object",
    ),
    "spec is text": (
        f"{NAMED}spec: all\n",
        "s.yaml:4: spec: expected an object, got a string",
        None,
    ),
    "events are no list": (
        f"{NAMED}spec:\n  events: {{}}\n",
        "s.yaml:5: spec.events: expected a list, got an object",
        'start each entry with "- "',
    ),
    "an event is text": (
        f"{NAMED}spec:\n  events:\n  - go\n",
        "s.yaml:6: spec.events[0]: expected an object, got a string",
        None,
    ),
    "a step is text": (
        event(f"createOperation: {{object: {NODE}}}", step='"0"'),
        "s.yaml:6: spec.events[0].step: expected a whole number, got a string",
        "remove the quotes: 0",
    ),
    "a step before the first": (
        event(f"createOperation: {{object: {NODE}}}", step="-1"),
        "s.yaml:6: spec.events[0].step: step must be a whole number from 0 to 2147483647, not -1",
        None,
    ),
    "a step after the last": (
        event(f"createOperation: {{object: {NODE}}}", step="2147483648"),
        (
            "s.yaml:6: spec.events[0].step: expected a whole number from -2147483648 to "
            "2147483647, got 2147483648"
        ),
        None,
    ),
    "an operation that there is not": (
        event(f"createOperation: {{object: {NODE}}}", operation="Bake"),
        (
            's.yaml:7: spec.events[0].operation: Unsupported value: "Bake": supported values: '
            '"Create", "Patch", "Delete", "Done"'
        ),
        None,
    ),
    "nothing to create": (
        event("createOperation: {}"),
        "s.yaml:8: spec.events[0].createOperation.object: Required value",
        None,
    ),
    "a kind that there is not": (
        event("createOperation: {object: {apiVersion: v1, kind: Pdo}}"),
        's.yaml:8: spec.events[0].createOperation.object.kind: unknown kind "Pdo" in "v1"',
        "did you mean Pod?",
    ),
    "a patch that is no text": (
        patch("{spec: {}}"),
        "s.yaml:8: spec.events[0].patchOperation.patch: expected a string, got an object",
        "write the patch as text: put | after patch:",
    ),
    "a type of patch that there is not": (
        patch("'[]'", "jsonish"),
        (
            's.yaml:8: spec.events[0].patchOperation.patchType: Unsupported value: "jsonish": '
            'supported values: "application/apply-patch+yaml", "application/json-patch+json", '
            '"application/merge-patch+json", "application/strategic-merge-patch+json", '
            '"apply", "json", "merge", "strategic"'
        ),
        None,
    ),
    "a duration without a unit": (
        f'{NAMED}spec:\n  stepDuration: "10"\n',
        's.yaml:5: spec.stepDuration: time: missing unit in duration "10"',
        "durations look like 10s or 1m30s",
    ),
    "a duration that is a number": (
        f"{NAMED}spec:\n  stepDuration: 10\n",
        "s.yaml:5: spec.stepDuration: expected a string, got a whole number",
        "durations look like 10s or 1m30s",
    ),
    "time that goes back": (
        f"{NAMED}spec:\n  stepDuration: -1s\n",
        's.yaml:5: spec.stepDuration: "-1s" is negative',
        "durations look like 10s or 1m30s",
    ),
    "one id twice": (
        f"{NAMED}spec:\n  events:\n"
        + "  - {id: it, step: 0, operation: Done, doneOperation: {done: true}}\n" * 2,
        's.yaml:7: spec.events[1].id: id "it" is that of spec.events[0] too',
        "give each event an id of its own, or none",
    ),
}


def _told(problem: str, fix: str | None) -> str:
    return f"Error: {problem}\n  fix: {fix}\n" if fix else f"Error: {problem}\n"


@pytest.mark.parametrize("name", TEXTS)
def test_what_cannot_be_run_is_told_exactly(name: str, terminal: Terminal) -> None:
    text, problem, fix = TEXTS[name]
    pathlib.Path("s.yaml").write_text(text)
    result = terminal.run("run", "s.yaml", "--out", "kept")
    assert result.err == _told(problem, fix)
    assert (result.code, result.out) == (2, "")
    assert not pathlib.Path("kept").exists()


ARGUMENTS: dict[str, tuple[tuple[str, ...], str, str | None]] = {
    "no such file": (
        ("scenari.json",),
        "scenari.json: no such file or directory",
        "did you mean scenario.json?",
    ),
    "a configuration of another kind": (
        ("scenario.json", "--config", "scenario.json"),
        "scenario.json: is a Scenario, not a scheduler configuration",
        "run it with `kubestage run scenario.json`",
    ),
    "a detail that there is not": (
        ("scenario.json", "--detail", "ful"),
        'unknown detail "ful"',
        "did you mean full? use one of summary, decisions, full",
    ),
    "a life": (
        ("scenario.json", "--for", "10m"),
        "scenario.json:1: spec: a Scenario says itself how long it runs",
        "leave out --for, or write how long a step lasts: spec.stepDuration",
    ),
    "later in a life": (
        ("cluster.json", "--for", "10m", "--at", "5m=scenario.json"),
        "scenario.json:1: spec: a Scenario says itself how long it runs",
        "leave out --for, or write how long a step lasts: spec.stepDuration",
    ),
    "an import with a life": (
        ("export.yml", "--for", "10m"),
        '"export" is imported as a Scenario, which says itself how long it runs',
        "leave out --for",
    ),
    "what only a life has": (
        ("scenario.json", "--events"),
        "--events: has an effect only with --for",
        "add --for 10m, or leave it out",
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_told_exactly(name: str, terminal: Terminal) -> None:
    scenarios.write(building.scenario(create(make_node("a")), done()))
    clusters.write("cluster.json", make_node("a"))
    pathlib.Path("export.yml").write_text("nodes: []\npods: []\n")
    arguments, problem, fix = ARGUMENTS[name]
    result = terminal.run("run", *arguments)
    assert result.err == _told(problem, fix)
    assert (result.code, result.out) == (2, "")
