"""One recording under several configurations: each is a replay."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.results import agreement
from kubestage.runs.compare import ComparedLives, ComparedRuns, CompareOptions, compare, keeping
from kubestage.runs.replaying import ReplayOptions, replay
from kubestage.sources import timed
from tests.runs.replaying import recordings

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    return recordings.make(tmp_path_factory.mktemp("recorded") / "rec", tie_break="random")


@pytest.fixture(scope="module")
def packing(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("configurations") / "packing.yaml"
    file.write_text(recordings.PACKING)
    return str(file)


def test_each_configuration_is_a_replay(
    recording: str, packing: str, tmp_path: pathlib.Path
) -> None:
    options = CompareOptions(configs=("default", packing), out=str(tmp_path / "kept"))
    compared = compare([recording], options)
    assert isinstance(compared, ComparedLives)
    assert compared.names == ("default", "packing")
    (used,) = (each for each in compared.measures if each.name == "nodesInUseAtEnd")
    assert used.values[0] == 6
    assert used.values[1] is not None
    assert used.values[1] < 4
    assert compared.agreement is not None
    assert compared.agreement == replay(recording).summary
    assert not compared.agreement.is_what_if
    for name, place in keeping.runs_of(tmp_path / "kept"):
        kept = agreement.read(place)
        assert kept is not None
        assert kept.is_what_if is (name == "packing")
        assert (kept.baseline or kept.agreement) == compared.agreement.agreement


def test_a_what_if_applies_to_all(recording: str, packing: str) -> None:
    options = CompareOptions(configs=("default", packing), without=("n0",), predictions=0)
    compared = compare([recording], options)
    assert isinstance(compared, ComparedLives)
    hours = next(each for each in compared.measures if each.name == "nodeHours")
    whole = replay(recording).run.record
    assert whole is not None
    assert all(each == pytest.approx(whole.summary["nodeHours"] * 5 / 6) for each in hours.values)


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"timings": True}, "--timings"),
        ({"between": ("1", "2")}, "--between"),
        ({"controllers": "on"}, "--controllers"),
    ],
)
def test_flags_without_effect_are_refused(
    recording: str, packing: str, options: dict[str, Any], path: str
) -> None:
    with pytest.raises(InputError) as raised:
        compare([recording], CompareOptions(configs=("default", packing), **options))
    assert raised.value.path == path


def test_flags_of_recordings_need_one(packing: str) -> None:
    options = CompareOptions(configs=("default", packing), begin="2026-01-01T00:00:00Z")
    with pytest.raises(InputError) as raised:
        compare([str(EXAMPLES / "01-first-cluster")], options)
    assert (raised.value.path, raised.value.problem) == ("--from", "needs a recording")


def test_its_manifests_are_compared_as_they_are(recording: str, packing: str) -> None:
    files = [f"{recording}/cluster-scoped.yaml", f"{recording}/namespaces"]
    assert isinstance(compare(files, CompareOptions(configs=("default", packing))), ComparedRuns)


def test_which_sources_have_time(recording: str, tmp_path: pathlib.Path) -> None:
    audit = tmp_path / "audit.log"
    audit.write_text(
        '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a",'
        '"stage":"ResponseComplete","verb":"create"}\n'
    )
    (tmp_path / "broken.tar").write_bytes(b"\x1f\x8b\x08 not a gzip")
    assert timed.is_one(recording)
    assert timed.is_one(str(audit))
    for other in ("-", "missing", str(tmp_path), str(tmp_path / "broken.tar")):
        assert not timed.is_one(other)
    assert not timed.is_one(str(EXAMPLES / "38-what-if" / "dump.yaml"))


def test_nodes_of_another_source(recording: str) -> None:
    """The recorded pods are scheduled onto them, and what happened to recorded nodes is not."""
    nodes = str(EXAMPLES / "38-what-if" / "dump.yaml")
    result = replay(recording, ReplayOptions(nodes_from=nodes, predictions=0))
    nodes_now = result.run.stage.store.read(("v1", "Node"))
    assert nodes_now
    assert not set(nodes_now) & {f"n{number}" for number in range(6)}
    assert result.agreement.same_node == 0
    assert result.agreement.replayed_placements >= 14
    assert result.run.unscheduled == 0
    with pytest.raises(InputError, match="has no nodes"):
        replay(recording, ReplayOptions(nodes_from=str(EXAMPLES / "19-hpa-step-load" / "web.yaml")))
