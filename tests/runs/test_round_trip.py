"""A cluster is imported live, from a dump and from a recording: it runs on, and nothing moves."""

from __future__ import annotations

import json
import pathlib
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.controllers import registry
from kubestage.controllers.lazy_controller import Placeholder
from kubestage.objects import manifest
from kubestage.runs import RunOptions, importing
from kubestage.runs.import_options import ImportOptions
from kubestage.runs.opening import RunRecorder
from kubestage.runs.run import run
from kubestage.server.launch import opening
from kubestage.sources import canonical_kinds, folder
from kubestage.sources.imported import Imported, Origin
from kubestage.stage import Stage
from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_node,
    make_replica_set,
    make_stateful_set,
)
from kubestage.units import SECOND_NS
from tests.deadlines import HANG_S
from tests.sources.intent.recorded import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

POD = ("v1", "Pod")
HERE = pathlib.Path(__file__).parent
FILES = (HERE.parent / "sources" / "workloads.yaml", HERE / "everything.yaml")
# Stages of KWOK take the place of kubelets, and there is no API server with accounts, certificates,
# ranges of Services and roles.
_OTHER = {"kwok_controller", "clusterrole-aggregation-controller", "service-cidr-controller"}
_OTHER |= {"csrcleaner", *registry.SERVED}


class Everything:
    """A cluster in which every controller works, served, and recorded since its sixth minute."""

    def __init__(self, place: pathlib.Path) -> None:
        self.place = place
        self.stage = stage = Stage(11, start="2026-03-01T08:00:00Z")
        stage.add_scheduler()
        recorder = RunRecorder()
        recorder.watch(stage)
        stage.apply([make_node(f"n{number}", cpu="8") for number in range(4)])
        stage.add_controllers()
        for file in FILES:
            stage.apply([each.object for each in manifest.load_text(file.read_text())])
        stage.run(360 * SECOND_NS)
        recorded = Recorder(stage)
        stage.store.patch(("apps/v1", "Deployment"), "web", {"spec": {"replicas": 7}}, "shop")
        stage.run(300 * SECOND_NS)
        changes = [each for each in recorded.changes if _is_kept(each.reference)]
        objects = [each for each in recorded.objects if _is_kept(_Kind(each))]
        origins = [Origin(source="stage", format="test")]
        folder.write(Imported(objects, changes, origins), str(place / "recording"))
        (self.opened,) = recorder.opened("living", ["everything"])

    def import_live(self, address: str) -> str:
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": address}}],
            "users": [{"name": "u", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        }  # fmt: skip
        (self.place / "kubeconfig").write_text(json.dumps(config))
        options = ImportOptions(kubeconfig=str(self.place / "kubeconfig"))
        importing.import_cluster([], str(self.place / "live"), options)
        return str(self.place / "live")

    def import_dump(self, address: str) -> str:
        """What kubectl writes of each kind, in one file."""
        rows = canonical_kinds.listed(secrets=False, config=False)
        items = [each for row in rows for each in _listed(address, row)]
        dump = {"apiVersion": "v1", "kind": "List", "items": items}
        (self.place / "dump.json").write_text(json.dumps(dump))
        importing.import_cluster([str(self.place / "dump.json")], str(self.place / "dump"))
        return str(self.place / "dump")


class _Kind:
    """The kind of an object, as a reference has it."""

    def __init__(self, obj: Json) -> None:
        self.api_version, self.kind = obj["apiVersion"], obj["kind"]


def _is_kept(reference: Any) -> bool:
    return canonical_kinds.find(reference.api_version, reference.kind) is not None


def _listed(address: str, row: canonical_kinds.CanonicalKind) -> list[Json]:
    root = "apis" if row.group else "api"
    path = f"{address}/{root}/{row.api_version}/{row.plural}"
    try:
        with urllib.request.urlopen(path, timeout=HANG_S) as answer:
            items: list[Json] = json.load(answer)["items"]
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        # Kinds of others, such as Karpenter's, are not served.
        return []
    return [{"apiVersion": row.api_version, "kind": row.kind, **each} for each in items]


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Everything:
    return Everything(tmp_path_factory.mktemp("cluster"))


@pytest.fixture(scope="module")
def folders(everything: Everything) -> Iterator[dict[str, str]]:
    with opening.show([everything.opened]) as shown:
        yield {
            "live": everything.import_live(shown.address),
            "dump": everything.import_dump(shown.address),
            "recording": str(everything.place / "recording"),
        }


def placed(stage: Stage) -> dict[str, tuple[str, str]]:
    """Where each pod is, and which pod it is."""
    return {
        key: (pod["metadata"]["uid"], pod["spec"].get("nodeName", ""))
        for key, pod in stage.store.read(POD).items()
    }


def test_every_controller_is_at_work(everything: Everything) -> None:
    runner = everything.stage.controllers
    assert runner is not None
    asleep = {each.name for each in runner.controllers if isinstance(each, Placeholder)}
    assert asleep <= _OTHER
    assert len(runner.controllers) == len(registry.ALL)
    assert len(placed(everything.stage)) > 20
    assert all(node for _, node in placed(everything.stage).values())


@pytest.mark.parametrize("source", ["live", "dump", "recording"])
@pytest.mark.parametrize("run_for", [None, "2m"])
def test_nothing_moves(
    everything: Everything, folders: dict[str, str], source: str, run_for: str | None
) -> None:
    result = run(folders[source], RunOptions(run_for=run_for))
    assert placed(result.stage) == placed(everything.stage)
    assert result.unscheduled == 0


def test_all_sources_have_the_same_manifests(folders: dict[str, str]) -> None:
    """But for what says where they are from."""
    contents = {}
    for source, place in folders.items():
        files = sorted(pathlib.Path(place).rglob("*.yaml"))
        contents[source] = {
            str(file.relative_to(place)): file.read_text()
            for file in files
            if file.name != "cluster.yaml"
        }
    assert contents["live"] == contents["dump"]
    assert contents["live"].keys() == contents["recording"].keys()


_WORKLOADS: tuple[Any, ...] = (
    make_deployment,
    make_replica_set,
    make_stateful_set,
    make_daemon_set,
)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[int, list[Json], list[str]]:
    """Nodes, workloads of any kind, and kinds that a dump of them lacks."""
    nodes = draw(st.integers(1, 5))
    objects = []
    for number in range(draw(st.integers(1, 4))):
        make = draw(st.sampled_from(_WORKLOADS))
        cpu = draw(st.sampled_from(["100m", "700m", "2"]))
        more: dict[str, Any] = {}
        if make is not make_daemon_set:
            more = {"replicas": draw(st.integers(0, 5))}
        objects.append(make(f"w{number}", cpu=cpu, **more))
    kinds = ["ReplicaSet", "Deployment", "ControllerRevision", "Namespace", "ServiceAccount"]
    return nodes, objects, draw(st.lists(st.sampled_from(kinds), unique=True))


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cluster=clusters())
def test_of_any_cluster_nothing_moves(
    tmp_path_factory: pytest.TempPathFactory, cluster: tuple[int, list[Json], list[str]]
) -> None:
    """Also if pods have no node, and whatever the dump lacks."""
    nodes, objects, lacking = cluster
    stage = Stage(1)
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply([make_node(f"n{number}", cpu="4") for number in range(nodes)])
    stage.apply(objects)
    stage.run(60 * SECOND_NS)
    items = [
        obj
        for row in stage.store.kinds
        if canonical_kinds.find(row.api_version, row.kind) and row.kind not in lacking
        for obj in stage.store.read(row).values()
    ]
    place = tmp_path_factory.mktemp("random")
    (place / "dump.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    )
    importing.import_cluster([str(place / "dump.json")], str(place / "cluster"))
    again = run(str(place / "cluster"), RunOptions(run_for="30s"))
    assert placed(again.stage) == placed(stage)
