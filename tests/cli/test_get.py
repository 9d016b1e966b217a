"""``kubestage get`` prints what manifests hold as kubectl would."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import testing
from kubestage.objects import manifest

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal


def _dated(obj: dict[str, Any], time: str) -> dict[str, Any]:
    return {**obj, "metadata": {**obj["metadata"], "creationTimestamp": time}}


NODE = _dated(testing.make_node("n1", labels={"disk": "ssd"}), "2026-01-01T00:00:00Z")
WEB = _dated(
    testing.make_pod("web", labels={"app": "web"}, node_name="n1", phase="Running"),
    "2026-01-03T00:00:00Z",
)
API = _dated(
    testing.make_pod("api", labels={"app": "api"}, phase="Pending"), "2026-01-02T12:00:00Z"
)
DB = _dated(testing.make_pod("db", namespace="data", phase="Running"), "2026-01-02T00:00:00Z")
SERVICE = _dated(testing.make_service("web"), "2026-01-01T00:00:00Z")
DEPLOYMENT = _dated(testing.make_deployment("web", replicas=2), "2026-01-01T00:00:00Z")


@pytest.fixture
def shell(terminal: Terminal) -> Terminal:
    objects = [NODE, WEB, API, DB, SERVICE, DEPLOYMENT]
    for number, obj in enumerate(objects):
        pathlib.Path(f"{number}.json").write_text(json.dumps(obj))
    return terminal


def test_a_table_of_the_default_namespace(shell: Terminal) -> None:
    result = shell.run("get", "pods", "-f", ".")
    assert result.out == (
        "NAME   READY   STATUS    RESTARTS   AGE\n"
        "api    0/1     Pending   0          12h\n"
        "web    0/1     Running   0          0s\n"
    )
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize("kind", ["po", "pod", "pods", "Pod", "PODS", "pods.v1."])
def test_a_kind_goes_by_all_its_names(kind: str, shell: Terminal) -> None:
    assert shell.run("get", kind, "-f", ".", "-o", "name").out == "pod/api\npod/web\n"


def test_another_namespace_and_all_of_them(shell: Terminal) -> None:
    assert shell.run("get", "po", "-n", "data", "-f", ".", "-o", "name").out == "pod/db\n"
    lines = shell.run("get", "po", "-A", "-f", ".").out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["NAMESPACE", "NAME"],
        ["data", "db"],
        ["default", "api"],
        ["default", "web"],
    ]


def test_cluster_scoped_kinds_have_no_namespace_column(shell: Terminal) -> None:
    result = shell.run("get", "nodes", "-A", "-f", ".")
    assert result.out == (
        "NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   2d    \n"
    )


def test_several_kinds_have_prefixes_and_a_blank_line_between(shell: Terminal) -> None:
    result = shell.run("get", "deploy,pods,svc", "-f", ".")
    tables = result.out.split("\n\n")
    assert [table.splitlines()[1].split()[0] for table in tables] == [
        "deployment.apps/web",
        "pod/api",
        "service/web",
    ]


def test_all_means_what_runs_in_the_order_of_api_groups(shell: Terminal) -> None:
    result = shell.run("get", "all", "-A", "-f", ".", "-o", "name")
    assert result.out.split() == [
        "pod/db",
        "pod/api",
        "pod/web",
        "service/web",
        "deployment.apps/web",
    ]


def test_a_prefix_is_there_even_if_only_one_of_the_kinds_has_objects(shell: Terminal) -> None:
    result = shell.run("get", "pods,jobs", "-n", "data", "-f", ".", "--no-headers")
    assert result.out.startswith("pod/db ")


def test_named_objects_come_in_the_order_of_the_names(shell: Terminal) -> None:
    assert shell.run("get", "pod", "web", "api", "-f", ".", "-o", "name").out.split() == [
        "pod/web",
        "pod/api",
    ]
    assert shell.run("get", "svc/web", "pod/api", "-f", ".", "-o", "name").out.split() == [
        "service/web",
        "pod/api",
    ]


def test_selectors_choose_by_label_and_field(shell: Terminal) -> None:
    by_label = shell.run("get", "pods", "-f", ".", "-l", "app in (web,db)", "-o", "name")
    assert by_label.out == "pod/web\n"
    by_field = shell.run("get", "po", "-A", "-f", ".", "--field-selector", "spec.nodeName=n1")
    assert by_field.out.splitlines()[1].split()[:2] == ["default", "web"]


def test_wide_tables_labels_and_missing_headers(shell: Terminal) -> None:
    wide = shell.run("get", "pods", "web", "-f", ".", "-o", "wide").out
    assert wide.splitlines()[0].split()[5:7] == ["IP", "NODE"]
    labelled = shell.run("get", "pods", "-f", ".", "--show-labels", "--no-headers").out
    assert [line.split()[-1] for line in labelled.splitlines()] == ["app=api", "app=web"]


def test_objects_may_be_ordered_by_a_field(shell: Terminal) -> None:
    ordered = shell.run(
        "get", "po", "-A", "-f", ".", "-o", "name", "--sort-by", "{.metadata.creationTimestamp}"
    )
    assert ordered.out.split() == ["pod/db", "pod/api", "pod/web"]


def test_ages_count_from_the_moment_that_is_given(shell: Terminal) -> None:
    result = shell.run("get", "pod", "web", "-f", ".", "--now", "2026-01-03T01:30:00Z")
    assert result.out.splitlines()[1].split()[-1] == "90m"


def test_yaml_of_one_named_object_is_that_object_with_defaults(shell: Terminal) -> None:
    result = shell.run("get", "pod/web", "-f", ".", "-o", "yaml")
    (document,) = manifest.load_text(result.out)
    assert document.object["spec"]["restartPolicy"] == "Always"
    assert result.out.startswith("apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: ")


def test_yaml_and_json_of_several_are_a_list(shell: Terminal) -> None:
    as_yaml = shell.run("get", "pods", "-f", ".", "-o", "yaml").out
    as_json = shell.run("get", "pods", "-f", ".", "-o", "json").out
    assert as_json.startswith('{\n    "apiVersion": "v1",\n    "items": [\n        {\n')
    assert as_yaml.endswith('kind: List\nmetadata:\n  resourceVersion: ""\n')
    from_yaml = [document.object for document in manifest.load_text(as_yaml)]
    assert from_yaml == json.loads(as_json)["items"]
    assert [obj["metadata"]["name"] for obj in from_yaml] == ["api", "web"]


def test_what_is_printed_can_be_read_again(shell: Terminal) -> None:
    table = shell.run("get", "all", "-A", "-f", ".").out
    dumped = shell.run("get", "all", "-A", "-f", ".", "-o", "json").out
    again = shell.run("get", "all", "-A", "-f", "-", stdin=dumped.encode())
    assert again.out == table


def test_nothing_found_says_where_there_is_something(shell: Terminal) -> None:
    result = shell.run("get", "pods", "-n", "empty", "-f", ".")
    assert (result.code, result.out) == (0, "")
    assert result.err == (
        "No resources found in empty namespace.\n"
        "  fix: there are some in data (1), default (2): add -n NAMESPACE, or -A for all\n"
    )
    assert shell.run("get", "jobs", "-f", ".").err == "No resources found in default namespace.\n"
    assert shell.run("get", "jobs", "-A", "-f", ".").err == "No resources found\n"
    assert shell.run("get", "pv", "-f", ".").err == "No resources found\n"


def test_an_empty_list_is_still_a_list(shell: Terminal) -> None:
    result = shell.run("get", "jobs", "-f", ".", "-o", "json")
    assert json.loads(result.out)["items"] == []


def test_an_unquoted_wildcard_is_understood(shell: Terminal) -> None:
    files = sorted(str(path) for path in pathlib.Path().glob("*.json"))
    assert shell.run("get", "pods", "-o", "name", "-f", *files).out == "pod/api\npod/web\n"


def test_files_may_be_parted_by_commas(shell: Terminal) -> None:
    assert shell.run("get", "po", "-f", "1.json,2.json", "-o", "name").out == "pod/api\npod/web\n"


def test_of_two_objects_with_one_name_the_later_counts(terminal: Terminal) -> None:
    later = testing.make_pod("web", labels={"app": "later"})
    pathlib.Path("a.json").write_text(json.dumps(WEB))
    pathlib.Path("b.json").write_text(json.dumps(later))
    result = terminal.run("get", "pods", "-f", "a.json", "-f", "b.json", "-l", "app=later")
    assert result.out.splitlines()[1].split()[0] == "web"


CUSTOM = """\
apiVersion: example.com/v1
kind: Widget
metadata: {name: w1, creationTimestamp: 2026-01-01T00:00:00Z}
spec: {size: 5}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
"""


def test_a_definition_among_the_files_adds_its_kind(terminal: Terminal) -> None:
    pathlib.Path("widgets.yaml").write_text(CUSTOM)
    result = terminal.run("get", "wd", "-f", "widgets.yaml")
    assert result.out == "NAME   SIZE\nw1     5\n"
    listed = terminal.run("api-resources", "-f", "widgets.yaml", "-o", "name")
    assert "widgets.example.com" in listed.out.split()


def test_a_list_is_read_by_jsonpath_and_so_is_one_named_object(shell: Terminal) -> None:
    listed = shell.run("get", "po", "-A", "-f", ".", "-o", "jsonpath={.items[*].metadata.name}")
    assert listed.out == "db api web"
    named = shell.run("get", "pod", "web", "-f", ".", "-o", "jsonpath={.spec.nodeName}{'\\n'}")
    assert named.out == "n1\n"
    pathlib.Path("names.txt").write_text("{range .items[*]}{.metadata.name};{end}")
    filed = shell.run("get", "pods", "-f", ".", "-o", "jsonpath-file=names.txt")
    assert filed.out == "api;web;"


def test_custom_columns_show_none_where_nothing_is(shell: Terminal) -> None:
    spec = "custom-columns=POD:.metadata.name,NODE:spec.nodeName,L:{.metadata.labels}"
    result = shell.run("get", "pods", "-f", ".", "-o", spec)
    assert result.out == (
        "POD   NODE     L\napi   <none>   map[app:api]\nweb   n1       map[app:web]\n"
    )
    pathlib.Path("columns.txt").write_text("POD  NODE\n.metadata.name  {.spec.nodeName}\n")
    filed = shell.run("get", "pods", "-f", ".", "-o", "custom-columns-file=columns.txt")
    assert filed.out == "POD   NODE\napi   <none>\nweb   n1\n"
    pathlib.Path("columns.txt").write_text("POD  NODE\n.metadata.name\n")
    odd = shell.run("get", "pods", "-f", ".", "-o", "custom-columns-file=columns.txt")
    assert (odd.code, odd.out) == (2, "")
    assert "columns.txt: number of headers (2) and field specifications (1)" in odd.err


def test_go_templates_make_text_of_objects(shell: Terminal) -> None:
    template = "{{range .items}}{{.metadata.name}}={{.spec.nodeName}} {{end}}"
    for words in (("-o", f"go-template={template}"), ("--template", template)):
        assert shell.run("get", "pods", "-f", ".", *words).out == "api=<no value> web=n1 "
    exists = '{{exists . "items" 1 "spec" "nodeName"}} {{base64decode "aGk="}}'
    assert shell.run("get", "pods", "-f", ".", "--template", exists).out == "true hi"


def test_labels_have_columns_of_their_own(shell: Terminal) -> None:
    result = shell.run("get", "po", "-A", "-f", ".", "-L", "app,example.com/tier")
    lines = result.out.splitlines()
    assert lines[0].split()[-2:] == ["APP", "TIER"]
    assert lines[1].split()[-1] == "24h"
    assert lines[2].split()[-1] == "api"


def test_a_field_to_order_by_must_be_there(shell: Terminal) -> None:
    for words in ((), ("-o", "name")):
        result = shell.run("get", "pods", "-f", ".", "--sort-by", ".spec.nope", *words)
        assert (result.code, result.out) == (2, "")
        assert 'couldn\'t find any field with path "{.spec.nope}"' in result.err


def test_only_tables_say_that_nothing_was_found(shell: Terminal) -> None:
    result = shell.run("get", "jobs", "-f", ".", "-o", "custom-columns=NAME:.metadata.name")
    assert (result.out, result.err) == ("NAME\n", "")
    assert shell.run("get", "jobs", "-f", ".", "-o", "name").err == ""


def test_an_unknown_format_is_refused_with_the_likely_one(shell: Terminal) -> None:
    result = shell.run("get", "pods", "-f", ".", "-o", "json-path={.items}")
    assert result.code == 2
    assert "did you mean jsonpath?" in result.err
