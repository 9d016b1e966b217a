"""Files of kube-scheduler-simulator are known by what is in them, and read as what they are."""

from __future__ import annotations

import json

import pytest

from kubestage.errors import InputError
from kubestage.objects import yaml_text
from kubestage.scenario import kss_input
from tests.scenario import kss_samples as samples

EXPORT = samples.export(nodes=[samples.node("n1")], schedulerConfig={"parallelism": 16})
LINE = samples.line(0, "Add", "Node", samples.node("n1")).encode()


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(EXPORT),
        json.dumps(EXPORT, indent=2),
        "\n\n" + json.dumps(EXPORT),
        "\ufeff" + json.dumps(EXPORT),
        yaml_text.dump(EXPORT),
        "# saved on Monday\n---\n" + yaml_text.dump(EXPORT),
        "pods: []\n",
        '"pods": null\nnodes:\n- metadata:\n    name: n1\n    kind: of blue\n',
        "nodes:\n- kind: Node\n",
    ],
)
def test_an_export_is_known_as_yaml_and_as_json(text: str) -> None:
    assert kss_input.sniff(text.encode()) == kss_input.EXPORT


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        b"\n" + LINE + LINE,
        b"\xef\xbb\xbf" + LINE,
        LINE[:70],
        b'{"event": "Add", "time": "2026-01-01T00:00:00Z", "resource": {}}\n',
        b'{"time":"2026-01-01T00:00:00Z","event":"Ad',
    ],
)
def test_a_recording_is_known_by_its_first_line(text: bytes) -> None:
    assert kss_input.sniff(text) == kss_input.RECORDING


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "apiVersion: v1\nkind: Pod\n",
        "kind: Pod\nnodes: []\n",
        "nodes: []\n---\nkind: Pod\n",
        "spec:\n  nodes: []\n",
        '{"kind": "List", "items": []}',
        '{"apiVersion": "v1", "kind": "Pod"}\n{"apiVersion": "v1", "kind": "Pod"}\n',
        '{"nodes": 3}',
        "just text\n",
        "\udcff\udcfe",
    ],
)
def test_anything_else_is_neither(text: str) -> None:
    assert kss_input.sniff(text.encode(errors="surrogateescape")) is None


def test_an_export_brings_its_scheduler_configuration() -> None:
    found = kss_input.load(yaml_text.dump(EXPORT).encode(), "export.yml", "saved")
    assert found.scenario["metadata"]["name"] == "saved"
    assert [each["id"] for each in found.scenario["spec"]["events"]] == ["node/n1", "done"]
    assert found.configuration is not None
    assert found.configuration["parallelism"] == 16
    assert found.notes == []


def test_a_recording_brings_its_notes() -> None:
    found = kss_input.load(LINE + LINE + LINE[:70], "night.jsonl", "night")
    assert [each["id"] for each in found.scenario["spec"]["events"]] == ["line-1", "done"]
    assert found.configuration is None
    assert found.notes == [
        "line 3, the last one, is cut off: it is left out",
        "1 record adds what was there already: taken as an update",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (LINE + b"{\n" + LINE, "it.txt:2: not JSON: Input data was truncated"),
        (LINE.replace(b"Add", b"Put"), "it.txt:1: event: unknown event 'Put'"),
        (b"pods:\n- metadata:\n    name: a\n- 3\n", "it.txt:4: pods[1]: not a Pod"),
        (b"pods: []\ndeployments: []\n", "it.txt:2: deployments: "),
        (b"pods: []\n---\nnodes: []\n", "it.txt: an export is one document"),
        (b"pods: []\nnodes: [\n", "it.txt:"),
        (b"nodes: []\nschedulerConfig: 3\n", "it.txt:2: schedulerConfig: "),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(text: bytes, told: str) -> None:
    with pytest.raises(InputError) as caught:
        kss_input.load(text, "it.txt", "it")
    assert str(caught.value).startswith(told)
