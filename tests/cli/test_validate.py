"""``kubestage validate`` reports every error in every document, with its line."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from tests.objects.kinds.karpenter_samples import node_overlay, node_pool

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

BAD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels:
    app: 1
spec:
  containers:
  - name: web
    imagee: nginx
    ports:
    - containerPort: "80"
    resources:
      requests:
        memory: 512MB
---
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx
    resources:
      requests: {cpu: 2}
      limits: {cpu: 1}
  restartPolicy: Sometimes
---
apiVersion: v1
kind: Pdo
---
a: b: c
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: fine
  name: fine
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: good
"""

REPORT = """\
bad.yaml:6: metadata.labels[app]: expected a string, got a whole number
  fix: put it in quotes: "1"
bad.yaml:10: spec.containers[0].imagee: unknown field "imagee"
  fix: did you mean image?
bad.yaml:12: spec.containers[0].ports[0].containerPort: expected a whole number, got a string
  fix: remove the quotes: 80
bad.yaml:15: spec.containers[0].resources.requests[memory]: "512MB" is not a quantity: \
quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'
  fix: did you mean 512M? (or 512Mi, which counts in powers of 1024)
bad.yaml:20: metadata.name: pod "web" is defined twice, first at bad.yaml:1
  fix: rename one of them, or delete it
bad.yaml:26: spec.containers[0].resources.requests: Invalid value: "2": \
must be less than or equal to cpu limit of 1
bad.yaml:28: spec.restartPolicy: Unsupported value: "Sometimes": \
supported values: "Always", "OnFailure", "Never"
bad.yaml:31: kind: unknown kind "Pdo" in "v1"
  fix: did you mean Pod?
bad.yaml:33: not valid YAML: mapping values are not allowed in this context
  fix: check the indentation, or quote a value that contains a colon
bad.yaml:39: key "name" is set twice
  fix: keep one of them

6 objects in 1 file: 1 valid, 5 invalid
"""


def test_every_error_of_every_document_is_reported(terminal: Terminal) -> None:
    pathlib.Path("bad.yaml").write_text(BAD)
    result = terminal.run("validate", "bad.yaml")
    assert result.out == REPORT
    assert (result.code, result.err) == (2, "")


def test_machines_get_the_same_in_json(terminal: Terminal) -> None:
    pathlib.Path("bad.yaml").write_text(BAD)
    result = terminal.run("validate", "bad.yaml", "-o", "json")
    report = json.loads(result.out)
    assert result.code == 2
    problems = report.pop("problems")
    assert report == {"files": 1, "objects": 6, "valid": 1, "invalid": 5, "warnings": []}
    assert len(problems) == REPORT.count("bad.yaml:") - 1
    assert problems[1] == {
        "file": "bad.yaml",
        "line": 10,
        "path": "spec.containers[0].imagee",
        "problem": 'unknown field "imagee"',
        "fix": "did you mean image?",
    }


JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  generateName: nightly-
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: report, image: report}
"""


def test_what_the_server_adds_on_arrival_is_not_missed(terminal: Terminal) -> None:
    pathlib.Path("job.yaml").write_text(JOB)
    assert terminal.run("validate", "job.yaml").code == 0


GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n"


def test_valid_manifests_give_a_count_and_success(terminal: Terminal) -> None:
    pathlib.Path("folder/deeper").mkdir(parents=True)
    pathlib.Path("folder/a.yaml").write_text(GOOD.format("a"))
    pathlib.Path("folder/deeper/b.yml").write_text(GOOD.format("b") + "---\n" + GOOD.format("c"))
    pathlib.Path("folder/notes.txt").write_text("a: b: c")
    result = terminal.run("validate", "folder")
    assert (result.code, result.out) == (0, "3 objects in 2 files: 3 valid, 0 invalid\n")


def test_standard_input_is_called_so(terminal: Terminal) -> None:
    result = terminal.run("validate", "-", stdin=b"apiVersion: v1\nkind: Pdo\n")
    assert result.out.startswith('stdin:2: kind: unknown kind "Pdo" in "v1"\n')


def test_problems_come_in_the_order_of_files_and_lines(terminal: Terminal) -> None:
    pathlib.Path("b.yaml").write_text("kind: X\n---\na: b: c\n")
    pathlib.Path("a.yaml").write_text("a: b: c\n---\nkind: X\n")
    lines = terminal.run("validate", "b.yaml", "a.yaml").out.splitlines()
    places = [line.split(": ")[0] for line in lines if ".yaml:" in line]
    assert places == ["b.yaml:1", "b.yaml:3", "a.yaml:1", "a.yaml:3"]


@pytest.mark.parametrize(
    ("second", "is_twin"),
    [
        ("metadata: {name: a}", True),
        ("metadata: {name: a, namespace: default}", True),
        ("metadata: {name: a, namespace: other}", False),
        ("metadata: {name: b}", False),
        ("metadata: {generateName: a}", False),
    ],
)
def test_the_same_name_twice_is_an_error(second: str, is_twin: bool, terminal: Terminal) -> None:
    text = f"{GOOD.format('a')}---\napiVersion: v1\nkind: ConfigMap\n{second}\n"
    pathlib.Path("m.yaml").write_text(text)
    result = terminal.run("validate", "m.yaml")
    assert ("is defined twice" in result.out) == is_twin


def test_duplicate_keys_of_json_are_an_error(terminal: Terminal) -> None:
    text = '{"apiVersion": "v1", "kind": "ConfigMap",\n"metadata": {"name": "a", "name": "b"}}'
    pathlib.Path("m.json").write_text(text)
    result = terminal.run("validate", "m.json")
    assert result.out.startswith('m.json:2: key "name" is set twice\n')
    assert result.out.endswith("1 object in 1 file: 0 valid, 1 invalid\n")


def test_lines_lead_into_the_items_of_a_list(terminal: Terminal) -> None:
    items = '"items": [\n{"apiVersion": "v1", "kind": "Pod",\n"metadata": {"nmae": "a"}}]'
    pathlib.Path("m.json").write_text('{"apiVersion": "v1", "kind": "List",\n' + items + "}")
    result = terminal.run("validate", "m.json")
    assert result.out.splitlines()[:2] == [
        'm.json:4: items[0].metadata.nmae: unknown field "nmae"',
        "  fix: did you mean name?",
    ]


def test_metadata_of_custom_resources_is_checked(terminal: Terminal) -> None:
    definition = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, labels: [a]}
anything: goes
"""
    pathlib.Path("m.yaml").write_text(definition)
    result = terminal.run("validate", "m.yaml")
    assert result.out.splitlines()[0] == (
        "m.yaml:13: metadata.labels: expected an object, got a list"
    )


PRIVILEGED = """\
apiVersion: v1
kind: Pod
metadata: {name: agent}
spec:
  containers:
  - {name: agent, image: agent, securityContext: {privileged: true}}
"""


def test_privileged_pods_are_valid_unless_forbidden(terminal: Terminal) -> None:
    pathlib.Path("agent.yaml").write_text(PRIVILEGED)
    assert terminal.run("validate", "agent.yaml").code == 0
    forbidden = terminal.run("validate", "agent.yaml", "--no-allow-privileged")
    assert forbidden.code == 2
    assert "securityContext.privileged: Forbidden: disallowed by cluster policy" in forbidden.out


def test_karpenters_kinds_are_checked_by_their_definitions(terminal: Terminal) -> None:
    pool = node_pool(wieght=5)
    overlay = node_overlay(price="1", priceAdjustment="+10%")
    text = "\n---\n".join(json.dumps(each, indent=1) for each in (node_pool("fine"), pool, overlay))
    pathlib.Path("pools.yaml").write_text(text)
    result = terminal.run("validate", "pools.yaml", "-o", "json")
    problems = json.loads(result.out)["problems"]
    found = [(each["path"], each["problem"], each["fix"]) for each in problems]
    assert found == [
        ("spec.wieght", 'unknown field "wieght"', "did you mean weight?"),
        ("spec", "Invalid value: cannot set both 'price' and 'priceAdjustment'", None),
    ]
    assert result.code == 2
    refused = terminal.run("run", "pools.yaml", "--for", "1m")
    assert refused.code == 2
    assert 'spec.wieght: unknown field "wieght"\n  fix: did you mean weight?' in refused.err


def test_fields_deep_in_a_definition_are_known(terminal: Terminal) -> None:
    pool = node_pool()
    many = {"key": "kubernetes.io/arch", "operator": "Exists", "minValue": 2}
    pool["spec"]["template"]["spec"]["requirements"] = [many]
    budget = {"nodes": "1", "reason": ["Empty"]}
    pool["spec"]["disruption"] = {"consolidateAfter": "0s", "budgets": [budget]}
    pathlib.Path("pool.yaml").write_text(json.dumps(pool))
    result = terminal.run("validate", "pool.yaml", "-o", "json")
    assert [(each["path"], each["fix"]) for each in json.loads(result.out)["problems"]] == [
        ("spec.disruption.budgets[0].reason", "did you mean reasons?"),
        ("spec.template.spec.requirements[0].minValue", "did you mean minValues?"),
    ]
