"""The stage that a load finds: nodes as real ones are, volumes, and what manifests say."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kubestage.cluster.profile import INSTANT, ClientSection
from kubestage.errors import InputError
from kubestage.measure.registry import Registry
from kubestage.runs.inputs import node_shape
from kubestage.runs.inputs.node_shape import NodeShape
from kubestage.runs.load import composition, load_test, report_files, stage_setup
from kubestage.runs.load.options import LoadOptions
from kubestage.testing import make_deployment, make_node
from tests.cli import loads

if TYPE_CHECKING:
    import pathlib

    from kubestage.stage import Stage


def _of(stage: Stage, api_version: str, kind: str) -> list[dict[str, Any]]:
    return stage.store.list((api_version, kind)).items


def test_nodes_look_like_real_ones_and_have_the_sandbox_image() -> None:
    options = LoadOptions(nodes=4, node="cpu=2,memory=4Gi,pods=30", image_registry="mirror")
    nodes = _of(stage_setup.populate(options, INSTANT), "v1", "Node")
    assert [node["metadata"]["name"] for node in nodes] == [f"node-{at}" for at in range(4)]
    labels = [node["metadata"]["labels"] for node in nodes]
    zones = [each["topology.kubernetes.io/zone"] for each in labels]
    assert zones == ["zone-a", "zone-b", "zone-c", "zone-a"]
    assert labels[1]["kubernetes.io/hostname"] == "node-1"
    assert nodes[0]["status"]["allocatable"] == {
        "cpu": "2", "memory": "4Gi", "pods": "30", "ephemeral-storage": "100Gi"
    }  # fmt: skip
    images = [name for image in nodes[0]["status"]["images"] for name in image["names"]]
    assert "mirror/pause:3.9" in images


def test_a_hundred_nodes_unless_told_otherwise() -> None:
    options = LoadOptions()
    stage = stage_setup.populate(options, INSTANT)
    assert stage_setup.node_count(stage, options) == 100


def test_there_is_a_default_storage_class_unless_manifests_have_one(
    tmp_path: pathlib.Path,
) -> None:
    [made] = _of(
        stage_setup.populate(LoadOptions(nodes=1), INSTANT), "storage.k8s.io/v1", "StorageClass"
    )
    assert made["metadata"]["name"] == "standard"
    own = {**made, "metadata": {**made["metadata"], "name": "own"}}
    for key in ("uid", "resourceVersion", "creationTimestamp"):
        own["metadata"].pop(key, None)
    (tmp_path / "class.yaml").write_text(yaml.safe_dump(own))
    options = LoadOptions(nodes=1, stage=(str(tmp_path),))
    [found] = _of(stage_setup.populate(options, INSTANT), "storage.k8s.io/v1", "StorageClass")
    assert found["metadata"]["name"] == "own"


def test_what_runs_already_is_up_before_the_load_begins(tmp_path: pathlib.Path) -> None:
    objects = [make_node("a"), make_deployment("web", replicas=3, cpu="100m")]
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
    options = LoadOptions(stage=(str(tmp_path),))
    stage = stage_setup.populate(options, INSTANT)
    assert [pod["status"]["phase"] for pod in _of(stage, "v1", "Pod")] == ["Running"] * 3
    assert stage_setup.node_count(stage, options) == 1
    assert len(_of(stage, "v1", "Node")) == 1


def test_nodes_that_take_no_pods_do_not_count(tmp_path: pathlib.Path) -> None:
    nodes = [make_node("a", unschedulable=True), make_node("b", ready=False)]
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(nodes))
    options = LoadOptions(stage=(str(tmp_path),))
    with pytest.raises(InputError, match="none of 2 nodes takes pods"):
        stage_setup.node_count(stage_setup.populate(options, INSTANT), options)


def test_a_profile_is_a_name_or_a_file(tmp_path: pathlib.Path) -> None:
    assert stage_setup.profile(LoadOptions(profile="kind")).name == "kind"
    file = tmp_path / "own.yaml"
    file.write_text("extends: instant\nname: own\n")
    assert stage_setup.profile(LoadOptions(profile=str(file))).name == "own"
    with pytest.raises(InputError, match="there is no profile"):
        stage_setup.profile(LoadOptions(profile="gce"))


def test_the_profile_fits_the_number_of_nodes_unless_one_is_named() -> None:
    assert stage_setup.profile(LoadOptions()).name == "gce-100"
    assert stage_setup.profile(LoadOptions(nodes=500)).name == "gce-100"
    assert stage_setup.profile(LoadOptions(nodes=501)).name == "gce-5000"
    assert stage_setup.profile(LoadOptions(nodes=501, profile="kubemark")).name == "kubemark"


def test_the_profile_fits_the_number_of_nodes_in_manifests(tmp_path: pathlib.Path) -> None:
    for number, expected in ((500, "gce-100"), (501, "gce-5000")):
        nodes = [make_node(f"n{index}") for index in range(number)]
        (tmp_path / "cluster.yaml").write_text(yaml.dump_all(nodes, Dumper=yaml.CSafeDumper))
        assert stage_setup.profile(LoadOptions(stage=(str(tmp_path),))).name == expected


def test_clients_are_as_a_person_says_or_the_profile_or_clusterloader2() -> None:
    client = ClientSection(qps=5, burst=6, nodes_per_client=10)
    limits = composition.client_limits(LoadOptions(), 25, client)
    assert (limits.number, limits.qps, limits.burst) == (3, 5, 6)
    usual = composition.client_limits(LoadOptions(), 101)
    assert (usual.number, usual.qps, usual.burst) == (2, 100, 200)
    own = composition.client_limits(LoadOptions(clients=7, qps=1.5, burst=2), 25, client)
    assert (own.number, own.qps, own.burst) == (7, 1.5, 2)


def test_a_plan_draws_nothing_that_the_run_would_draw(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Templates draw by chance, and a plan fills them, too."""
    monkeypatch.chdir(tmp_path)
    path = loads.write(pod=loads.POD.replace('{{DefaultParam .Cpu "10m"}}', "{{RandInt 9999}}m"))
    requests = []
    for is_planned in (False, True):
        chance = random.Random(1)
        loaded = load_test.load(load_test.LoadTest(path), LoadOptions(), 1, Registry(), chance)
        if is_planned:
            composition.plan(loaded, 1, composition.client_limits(LoadOptions(), 1))
        requests.append(loaded.templates.objects("pod.yaml", {"Name": "x", "Index": 0}))
    assert requests[0] == requests[1]


def test_a_shape_may_say_only_what_is_otherwise() -> None:
    assert node_shape.parse("cpu=4, pods=20") == NodeShape("4", "32Gi", "20")
    assert node_shape.parse("") == NodeShape()


def test_the_command_that_repeats_a_run_has_its_variables_and_not_where_the_report_went() -> None:
    options = LoadOptions(environment={"HOME": "x", "CL2_B": "two words", "CL2_A": "1"})
    words = ["load", "my load.yaml", "--report-dir", "out", "--nodes", "3"]
    expected = "CL2_A=1 CL2_B='two words' kubestage load 'my load.yaml' --nodes 3"
    assert report_files.command(options, words) == expected
    short = ["load", "my load.yaml", "--report-dir=out", "--nodes", "3"]
    assert report_files.command(options, short) == expected
