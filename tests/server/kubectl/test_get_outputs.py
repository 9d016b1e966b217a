"""``kubestage get`` prints, byte for byte, what the real kubectl prints of the same objects."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from kubestage.cli import app, failures
from tests.deadlines import HANG_S
from tests.server.served import Served, nodes, require_kubectl

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

# An age with the padding behind it, which is as wide as the oldest object's age.
_AGE = re.compile(r"(?<= )(?:AGE|[0-9hmsdy]+)(?: +(?=\S)| *$)", re.MULTILINE)
_SIZES = ("2Gi", "500Mi", "1G", "web-10", "web-9", "100m", "1e3", "x", "", "10", "9", "007", "7")


def _config_maps() -> list[dict[str, object]]:
    maps: list[dict[str, object]] = []
    for number in range(9):
        labels = {"parity": "odd" if number % 2 else "even", "example.com/rank": f"r{number % 3}"}
        data = {"number": str(number), "text": f"line {number}\nsecond\ttab"}
        if number % 4:
            data["size"] = _SIZES[number]
        metadata = {"name": f"web-{number * 5 % 9 + 4}", "namespace": "data", "labels": labels}
        maps.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    return maps


def _services() -> list[dict[str, object]]:
    """More than Go's sort puts in order by insertion, and many of them equal."""
    services: list[dict[str, object]] = []
    for number in range(40):
        ports = [{"name": "p", "port": 80 + number * 7 % 5}]
        metadata = {"name": f"s{number * 11 % 40}", "namespace": "many"}
        spec: dict[str, object] = {"ports": ports, "clusterIP": "None"}
        if number % 3:
            spec["externalName"] = f"host-{number % 13}"
        services.append({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
    return services


class _Both:
    """The same question to kubectl at a server, and to kubestage about what the server holds."""

    def __init__(self, served: Served, dump: pathlib.Path) -> None:
        self._served = served
        self._dump = dump

    def kubectl(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self._run(["kubectl", "get", *words])

    def kubestage(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = ["get", *words, "-f", str(self._dump)]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = failures.guard(app.run, command)
        return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env={**os.environ, **self._served.environment},
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Both]:
    require_kubectl()
    spaces = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in ("data", "many")
    ]
    objects = "---\n".join(
        json.dumps(each) + "\n" for each in (*spaces, *_config_maps(), *_services())
    )
    with Served(objects=nodes(4) + objects) as served:
        dump = tmp_path_factory.mktemp("dump") / "cluster.json"
        asked = _Both(served, dump)
        got = asked.kubectl("nodes,cm,svc", "-A", "-o", "json", "--show-managed-fields")
        dump.write_text(got.stdout)
        yield asked


QUESTIONS = [
    "cm -n data -o jsonpath={.items[*].metadata.name}",
    "cm -n data -o jsonpath={range.items[*]}{.metadata.name}={.data.size};{end}",
    "cm -n data -o jsonpath={.items[?(@.data.size)].data.number}",
    "cm -n data -o jsonpath={.items[0].data}",
    "cm -n data -o jsonpath={.items[*].metadata.labels.example\\.com/rank}",
    "cm -n data -o jsonpath={.kind}/{.apiVersion}",
    "cm -n data -o jsonpath-as-json={.items[*].data.size}",
    "cm web-4 -n data -o jsonpath={.metadata.name}",
    "cm web-4 web-5 -n data -o jsonpath={.items[*].metadata.name}",
    "cm/web-4 -n data -o jsonpath={.data.text}",
    "nodes -o jsonpath={.items[*].status.capacity.cpu}",
    "nodes -o jsonpath={..hostname}",
    "svc -n many -o jsonpath={.items[*].spec.ports[0].port}",
    "cm -n data -o jsonpath={.items[*].data.size} --sort-by=.data.size",
    "cm -n data -o custom-columns=NAME:.metadata.name,SIZE:.data.size,NONE:.nothing",
    "cm -n data -o custom-columns=NAME:metadata.name,LABELS:{metadata.labels},ALL:{.data}",
    "cm -n data -o custom-columns=TEXT:.data.text,NAME:.metadata.name",
    "cm -n data -o custom-columns=NAME:.metadata.name,E: --no-headers",
    "cm,svc -A -o custom-columns=K:.kind,N:.metadata.name,P:.spec.ports[*].port",
    "svc -n many -o custom-columns=N:.metadata.name,P:.spec.ports,H:.spec.externalName",
    "cm -n empty -o custom-columns=NAME:.metadata.name",
    "cm web-4 -n data -o custom-columns=NAME:.metadata.name",
    "cm -n data -o name",
    "cm -n data -o name --sort-by=.metadata.name",
    "cm -n data -o name --sort-by={.data.number}",
    "cm -n data -o name --sort-by=data.size",
    "cm -n data -o name --sort-by=.metadata.labels.parity",
    "svc -n many -o name --sort-by=.metadata.name",
    "svc -n many -o name --sort-by=.spec.ports[0].port",
    "svc -n many -o name --sort-by=.spec.externalName",
    "svc -n many -o name --sort-by=.metadata.creationTimestamp",
    "svc,cm -A -o name --sort-by=.metadata.name",
    "nodes -o name --sort-by=.status.capacity.memory",
    "cm -n data -o go-template={{range.items}}{{.metadata.name}}{{end}}",
    "cm -n data --template={{range.items}}{{.data.size}},{{end}}",
    "cm -n data -o go-template={{.items|len}}",
    "cm -n data -o json",
    "cm -n data -o yaml",
]
TABLES = [
    "nodes -L topology.kubernetes.io/zone",
    "nodes -L kubernetes.io/hostname,topology.kubernetes.io/zone --show-labels",
    "cm -n data -L parity -L example.com/rank --sort-by=.data.size",
    "cm -n data --show-kind --no-headers",
    "cm,svc -A -L parity",
    "svc -n many --sort-by=.spec.ports[0].port",
]


@pytest.mark.parametrize("words", QUESTIONS)
def test_the_same_is_printed(words: str, both: _Both) -> None:
    expected, got = both.kubectl(*words.split()), both.kubestage(*words.split())
    assert expected.returncode == 0, expected.stderr
    assert (got.stdout, got.returncode) == (expected.stdout, 0), got.stderr


@pytest.mark.parametrize("words", TABLES)
def test_tables_are_the_same_but_for_ages(words: str, both: _Both) -> None:
    expected, got = both.kubectl(*words.split()), both.kubestage(*words.split())
    assert expected.returncode == 0, expected.stderr
    assert _AGE.sub("", got.stdout) == _AGE.sub("", expected.stdout), got.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("cm -n data -o jsonpath={.items[", "unterminated array"),
        ("cm -n data -o jsonpath={.items[99]}", "array index out of bounds: index 99, length 10"),
        ("cm -n data -o jsonpath=", "template format specified but no template given"),
        ("cm -n data -o custom-columns=NAME", "unexpected custom-columns spec: NAME, expected"),
        ("cm -n data -o custom-columns=N:{.a}{.b}", "unexpected path string, expected a"),
        ("cm -n data -o name --sort-by=.nope", 'couldn\'t find any field with path "{.nope}"'),
        ("cm -n data -o name --sort-by=.metadata", "unsortable type: map[string]interface {}"),
        ("cm -n data -o json --show-labels", "--show-labels option cannot be used with json"),
        ("cm -n data -o go-template={{nofunc}}", 'function "nofunc" not defined'),
    ],
)
def test_the_same_is_refused(words: str, part: str, both: _Both) -> None:
    expected, got = both.kubectl(*words.split()), both.kubestage(*words.split())
    assert expected.returncode != 0
    assert part in expected.stderr
    assert part in got.stderr
    assert (got.returncode, got.stdout) == (2, "")
    assert "Traceback" not in got.stderr
    assert "fix:" in got.stderr
