"""The pytest plugin, as a project of someone else has it."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tomllib
import urllib.request
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import ExpectationFailed
from kubestage.runs.explain import explain
from kubestage.runs.opening import open_runs
from kubestage.testing import ClusterFactory, make_deployment
from tests.testing.plugin_loading import GROUP, MODULE, loading

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., pytest.RunResult]

ROOT = pathlib.Path(__file__).parents[2]
HEAD = "import pytest\nfrom kubestage.testing import *\n"


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Load all that tests here use: pytester takes modules away that it saw loaded."""
    factory = ClusterFactory(records=True)
    cluster = factory(nodes=1)
    cluster.apply(make_deployment("web", replicas=2, cpu="5"))
    with pytest.raises(ExpectationFailed):
        cluster.expect("deploy/web").ready(2, within="1m")
    with factory.serve(cluster) as server:
        urllib.request.urlopen(f"{server.url}/api/v1/nodes").close()
        server.settle()


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    def run(text: str, *options: str) -> pytest.RunResult:
        pytester.makepyfile(HEAD + text)
        usual = ("-p", "no:randomly", "-p", "no:cacheprovider", "-W", "error", *loading())
        return pytester.runpytest_inprocess(*usual, *options)

    return run


def test_it_is_offered_to_pytest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"][GROUP] == {"kubestage": MODULE}


def test_it_is_idle_until_a_fixture_is_used() -> None:
    code = (
        f"import sys, pytest, {MODULE}\n"
        "loaded = [each for each in sys.modules if each.startswith('kubestage.')]\n"
        "rooms = {each.split('.')[1] for each in loaded}\n"
        "print(sorted(rooms), 'numpy' in sys.modules, 'uvicorn' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms, *others = done.stdout.rpartition("]")[0] + "]", *done.stdout.split("]")[1].split()
    assert json.loads(rooms.replace("'", '"')) == ["errors", "lazy", "testing"]
    assert others == ["False", "False"]


def test_a_cluster_for_each_test(run: Run) -> None:
    result = run(
        """
def test_first(cluster):
    cluster.apply(make_deployment("web", replicas=3))
    cluster.expect("deploy/web").ready(3, within="1m")

def test_second(cluster, cluster_factory):
    assert cluster.find("deploy/web") is None
    assert isinstance(cluster, Cluster)
    assert len(cluster_factory(nodes=7).list("nodes")) == 7
    assert len(cluster.list("nodes")) == 3
"""
    )
    result.assert_outcomes(passed=2)


def test_markers_are_merged(run: Run) -> None:
    result = run(
        """
pytestmark = pytest.mark.kubestage(nodes=5, seed=7, setting={"kubelet.launch-delay": "1s"})

def test_of_the_module(cluster):
    assert (len(cluster.list("nodes")), cluster.stage.seed) == (5, 7)

@pytest.mark.kubestage(nodes=1, start="2030-01-01T00:00:00Z", manifests=[make_pod("a")])
def test_of_the_test(cluster):
    assert (len(cluster.list("nodes")), cluster.stage.seed) == (1, 7)
    assert cluster.now.startswith("2030-01-01")
    cluster.expect("pod/a").exists()
""",
        "--strict-markers",
    )
    result.assert_outcomes(passed=2)


def test_defaults_are_in_the_configuration_file(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", node=json.dumps({"apiVersion": "v1", "kind": "Node",
                                                "metadata": {"name": "mine"}}))  # fmt: skip
    pytester.makeini(
        "[pytest]\nkubestage_nodes = 2\nkubestage_seed = 4\nkubestage_patience = 3\n"
        "kubestage_manifests =\n    node.yaml\n"
        "kubestage_setting =\n    kubelet.launch-delay=90s\n"
    )
    result = run(
        """
def test_defaults(cluster):
    assert (len(cluster.list("nodes")), cluster.stage.seed) == (3, 4)
    assert cluster.options.patience == 3
    cluster.apply(make_pod("a"))
    cluster.run("1m")
    assert cluster.get("pod/a")["status"]["phase"] == "Pending"

@pytest.mark.kubestage(nodes=4)
def test_other(cluster):
    assert len(cluster.list("nodes")) == 5
"""
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        ("node_count=5", 'there is no argument "node_count" (there are nodes, node, seed'),
        ("5", "5 has no name (write it as in @pytest.mark.kubestage(nodes=5))"),
        ("manifests=['missing.yaml']", "missing.yaml: no such file"),
        ("nodes='many'", "nodes: 'many' is no number of nodes (write it as 5)"),
    ],
)
def test_a_marker_that_is_wrong_is_one_line(run: Run, marker: str, problem: str) -> None:
    result = run(f"@pytest.mark.kubestage({marker})\ndef test_it(cluster): pass")
    result.assert_outcomes(errors=1)
    assert problem in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
    assert "During handling" not in result.stdout.str()


def test_a_default_that_is_wrong_is_one_line(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nkubestage_nodes = many\n")
    result = run("def test_it(cluster): pass")
    result.assert_outcomes(errors=1)
    assert 'kubestage_nodes: "many" is no number (write it as 5)' in result.stdout.str()


def test_a_base_is_prepared_once_and_copied(run: Run) -> None:
    result = run(
        """
made = []

@pytest.fixture(scope="module")
def cluster_base(cluster_factory):
    base = cluster_factory(nodes=2)
    base.apply(make_deployment("web", replicas=2))
    base.settle()
    made.append(base)
    return base

@pytest.mark.parametrize("turn", range(3))
def test_copies(cluster, turn):
    cluster.expect("deploy/web").ready(2)
    cluster.delete("deploy/web")
    assert len(made) == 1

def test_served(cluster_server):
    cluster_server.expect("deploy/web").ready(2)

@pytest.mark.kubestage(nodes=4)
def test_of_its_own(cluster):
    assert cluster.find("deploy/web") is None
    assert len(cluster.list("nodes")) == 4
"""
    )
    result.assert_outcomes(passed=5)


def test_a_server_ends_with_its_test(run: Run) -> None:
    result = run(
        """
import urllib.request
urls = []

def test_served(cluster_server):
    urls.append(cluster_server.url)
    assert b"node-2" in urllib.request.urlopen(f"{urls[0]}/api/v1/nodes").read()

def test_afterwards():
    with pytest.raises(OSError):
        urllib.request.urlopen(urls[0])
"""
    )
    result.assert_outcomes(passed=2)


FAILING = """
@pytest.mark.kubestage(nodes=1)
def test_fails(cluster):
    cluster.apply(make_deployment("web", replicas=2, cpu="5"))
    cluster.expect("deploy/web").ready(2, within="1m")

def test_works(cluster):
    cluster.apply(make_pod("a"))

@pytest.mark.parametrize("name", ["a/b c"])
def test_served(cluster_server, name):
    cluster_server.apply(make_pod("a"))
    cluster_server.settle()
    assert name == "x"
"""


def test_clusters_of_failing_tests_are_kept(run: Run, pytester: pytest.Pytester) -> None:
    result = run(FAILING, "--kubestage-keep", "kept")
    result.assert_outcomes(passed=1, failed=2)
    folder = pytester.path / "kept"
    first, second = sorted(folder.iterdir())
    assert f"The cluster is kept: kubestage open {first}" in result.stdout.str()
    kept = json.loads((first / "test.json").read_text())
    assert kept["test"].endswith("::test_fails")
    assert "expected deployment/web to have 2 ready within 1m: 1 is" in kept["failure"]

    explained = explain(first, "deploy/web")
    assert explained.headline().endswith(": Pending")
    assert "lower its cpu request" in str(explained.to_dict())
    opened = open_runs([folder])
    assert [each.title for each in opened] == [kept["test"], result_name(second)]
    pods = [change for change in opened[0].history.changes if change.kind.kind == "Pod"]
    assert len({change.key for change in pods}) == 2
    assert explain(second, "a").headline().startswith("default/a: Scheduled")


def result_name(place: pathlib.Path) -> str:
    return str(json.loads((place / "test.json").read_text())["test"])


def test_nothing_is_kept_unless_it_was_asked_for(run: Run, pytester: pytest.Pytester) -> None:
    result = run(FAILING)
    result.assert_outcomes(passed=1, failed=2)
    assert "is kept" not in result.stdout.str()
    assert not (pytester.path / "kept").exists()


def test_what_cannot_be_kept_is_said(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / "kept").write_text("a file")
    result = run(FAILING, "--kubestage-keep", "kept")
    result.assert_outcomes(passed=1, failed=2)
    assert "The cluster could not be kept: " in result.stdout.str()


def test_workers_do_not_meet(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        HEAD
        + """
@pytest.mark.parametrize("turn", range(6))
def test_it(cluster_server, turn):
    cluster_server.apply(make_pod(f"pod-{turn}"))
    cluster_server.expect(f"pod/pod-{turn}").ready(within="1m")
    cluster_server.expect.pods().count(1)
    assert turn != 5
"""
    )
    usual = ("-p", "no:cacheprovider", "-W", "error", *loading())
    result = pytester.runpytest_subprocess(*usual, "-n", "2", "--kubestage-keep", "kept")
    result.assert_outcomes(passed=5, failed=1)
    assert len(list((pytester.path / "kept").iterdir())) == 1
    assert "kubestage explain" in result.stdout.str()


def test_help_and_markers_are_shown(pytester: pytest.Pytester) -> None:
    shown = pytester.runpytest_inprocess(*loading(), "--markers").stdout.str()
    assert "@pytest.mark.kubestage(nodes=3, " in shown
    text = pytester.runpytest_inprocess(*loading(), "--help").stdout.str()
    assert "--kubestage-keep=DIR" in text or "--kubestage-keep DIR" in text
    assert "kubestage_patience" in text
