"""Everything that ``kubestage run`` refuses: an exact sentence, the place, a cure, code 2."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_node, make_pod
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

_HEAD = (
    "a configuration begins with apiVersion: kubescheduler.config.k8s.io/v1 and "
    "kind: KubeSchedulerConfiguration"
)
_OF = "scheduler.yaml:3: initializing profiles: creating profile for scheduler name"

CONFIGURATIONS: dict[str, tuple[str, str, str | None]] = {
    "misspelt field": (
        "profiles:\n- schedulerName: a\n  plugin: {}\n",
        'scheduler.yaml:5: profiles[0].plugin: unknown field (profile "a")',
        "did you mean plugins?",
    ),
    "misspelt plugin": (
        clusters.enabling("NodeResorcesFit"),
        f'{_OF} default-scheduler: PreFilterPlugin "NodeResorcesFit" does not exist',
        "did you mean NodeResourcesFit?",
    ),
    "unknown plugin": (
        clusters.enabling("Zzz"),
        f'{_OF} default-scheduler: PreFilterPlugin "Zzz" does not exist',
        "load it with --plugin module:Class",
    ),
    "bad values": (
        "percentageOfNodesToScore: 120\nparallelism: -1\n",
        (
            "scheduler.yaml:4: parallelism: Invalid value: -1: should be an integer value greater "
            "than zero"
        ),
        "also: percentageOfNodesToScore: Invalid value: 120: not in valid range [0-100]",
    ),
    "one name twice": (
        "profiles:\n- schedulerName: a\n- schedulerName: a\n",
        (
            "scheduler.yaml:5: profiles[1].schedulerName: Duplicate value: {} "
            '(profile "a", first at line 4)'
        ),
        None,
    ),
    "bad YAML": (
        "profiles: [\n",
        "scheduler.yaml:4: yaml: line 3: did not find expected node content",
        "see the line and the one above it",
    ),
}


def _told(problem: str, fix: str | None) -> str:
    return f"Error: {problem}\n  fix: {fix}\n" if fix else f"Error: {problem}\n"


def _small_cluster() -> None:
    clusters.write("cluster.json", make_node("a"), make_pod("web"), make_pod("db", node_name="a"))


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_bad_configuration_is_told_exactly(name: str, terminal: Terminal) -> None:
    text, problem, fix = CONFIGURATIONS[name]
    clusters.write_config(text)
    _small_cluster()
    result = terminal.run("run", "cluster.json", "--config", "scheduler.yaml")
    assert result.err == _told(problem, fix)
    assert (result.code, result.out) == (2, "")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "Object 'Kind' is missing in ''"),
        (
            b"apiVersion: v1\nkind: Pod\n",
            (
                'no kind "Pod" is registered for version "v1" in scheme '
                '"pkg/scheduler/apis/config/scheme/scheme.go:29"'
            ),
        ),
        (b"\xff\xfe", "not text"),
    ],
)
def test_a_file_that_is_no_configuration_is_told(
    data: bytes, problem: str, terminal: Terminal
) -> None:
    pathlib.Path("scheduler.yaml").write_bytes(data)
    _small_cluster()
    result = terminal.run("run", "cluster.json", "--config", "scheduler.yaml")
    assert (result.code, result.err) == (2, _told(f"scheduler.yaml: {problem}", _HEAD))


ARGUMENTS: dict[str, tuple[list[str], str, str | None]] = {
    "no files": ([], "Missing argument 'FILE|DIR|-'", "see `kubestage run --help`"),
    "missing configuration": (
        ["cluster.json", "--config", "nowhere.yaml"],
        "nowhere.yaml: no such file or directory",
        None,
    ),
    "bad tie break": (
        ["cluster.json", "--tie-break", "frist"],
        'unknown tie break "frist"',
        "did you mean first? use one of heap, first, random",
    ),
    "bad detail": (
        ["cluster.json", "--detail", "all"],
        'unknown detail "all"',
        "use one of summary, decisions, full",
    ),
    "bad format": (
        ["cluster.json", "-o", "jsn"],
        'unknown output format "jsn"',
        "did you mean json? use one of table, wide, json, yaml",
    ),
    "bad weight": (
        ["cluster.json", "--hard-pod-affinity-symmetric-weight", "101"],
        "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]",
        None,
    ),
    "bad provider": (
        ["cluster.json", "--algorithm-provider", "Mine"],
        (
            'couldn\'t create scheduler using provider "Mine": '
            'algorithm provider "Mine" is not registered'
        ),
        "use one of ClusterAutoscalerProvider, DefaultProvider",
    ),
    "unknown pod": (
        ["cluster.json", "--explain", "wbe"],
        '--explain: there is no pod "wbe"',
        "did you mean web?",
    ),
    "a pod that has a node": (
        ["cluster.json", "--explain", "db"],
        "--explain: default/db is on a already, so nothing is decided about it",
        "name a pod without spec.nodeName",
    ),
    "no such plugin": (
        ["cluster.json", "--plugin", "nowhere_at_all:X"],
        "--plugin: nowhere_at_all:X: there is no module nowhere_at_all",
        "install it, or name its file: path/to/nowhere_at_all.py:Class",
    ),
    "a configuration among the manifests": (
        ["."],
        "scheduler.yaml:2: kind: a scheduler configuration is not an object of a cluster",
        "name it with --config scheduler.yaml",
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_bad_arguments_are_told_exactly(name: str, terminal: Terminal) -> None:
    _small_cluster()
    clusters.write_config("")
    arguments, problem, fix = ARGUMENTS[name]
    result = terminal.run("run", *arguments)
    assert result.err == _told(problem, fix)
    assert (result.code, result.out) == (2, "")


def test_a_name_that_several_pods_have_is_refused(terminal: Terminal) -> None:
    clusters.write("cluster.json", make_pod("web"), make_pod("web", namespace="shop"))
    result = terminal.run("run", ".", "--explain", "web")
    problem = '--explain: several pods are called "web"'
    assert result.err == _told(problem, "write one of default/web, shop/web")


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n"
CONTAINER = "  containers:\n  - {name: web, image: app}\n"
OBJECTS: dict[str, tuple[str, str, str | None]] = {
    "no container": (
        POD + "  hostNetwork: true\n",
        "m.yaml:4: spec.containers: Required value",
        None,
    ),
    "unknown class": (
        POD + "  priorityClassName: vip\n" + CONTAINER,
        'm.yaml:1: pods "web" is forbidden: no PriorityClass with name vip was found',
        None,
    ),
    "the same twice": (
        f"{POD}{CONTAINER}---\n{POD}{CONTAINER}",
        'm.yaml:8: pods "web" already exists',
        None,
    ),
    "unknown kind": (
        "apiVersion: v1\nkind: Pdo\n",
        'm.yaml:2: kind: unknown kind "Pdo" in "v1"',
        "did you mean Pod?",
    ),
    "bad quantity": (
        POD + "  containers:\n  - {name: a, image: b, resources: {requests: {memory: 1GB}}}\n",
        (
            'm.yaml:6: spec.containers[0].resources.requests[memory]: "1GB" is not a quantity: '
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        ),
        "did you mean 1G? (or 1Gi, which counts in powers of 1024)",
    ),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_a_bad_object_is_told_at_its_line(name: str, terminal: Terminal) -> None:
    text, problem, fix = OBJECTS[name]
    pathlib.Path("m.yaml").write_text(text)
    result = terminal.run("run", "m.yaml")
    assert result.err == _told(problem, fix)
    assert (result.code, result.out) == (2, "")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return 1 / 0", "mine.py:6: ZeroDivisionError: division by zero"),
        ("return pod.nam", "mine.py:6: AttributeError: 'PodView' object has no attribute 'nam'"),
    ],
)
def test_an_error_in_a_plugin_is_told_at_its_line(
    body: str, problem: str, terminal: Terminal
) -> None:
    clusters.write_plugin(
        f"""\
        class Bad:
            name = "Bad"
            def __init__(self, args, handle):
                pass
            def score_node(self, state, pod, node):
                {body}
        """
    )
    clusters.write_config(clusters.enabling("Bad"))
    clusters.write("cluster.json", make_node("a"), make_node("b"), make_pod("web"))
    options = ("--config", "scheduler.yaml", "--plugin", "mine.py:Bad")
    result = terminal.run("run", "cluster.json", *options)
    assert (result.code, result.out, result.err) == (2, "", f"Error: {problem}\n")
