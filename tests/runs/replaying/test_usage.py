"""HPAs of a replay see what was recorded of the usage of pods."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.objects import manifest, yaml_text
from kubestage.runs.opening import open_runs
from kubestage.runs.replaying import ReplayOptions, demand, replay
from kubestage.runs.replaying.demand import Step
from kubestage.sources import folder
from kubestage.sources.imported import Imported, Origin
from kubestage.sources.usage import UsageSample, UsageWriter
from kubestage.stage import Stage
from kubestage.units import SECOND_NS
from tests.sources.intent.recorded import Recorder

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "19-hpa-step-load"
POD = ("v1", "Pod")
HPA = ("autoscaling/v2", "HorizontalPodAutoscaler")
_MINUTES = 14
_POLL_NS = 15 * SECOND_NS


def _objects(name: str) -> list[dict[str, Any]]:
    return [each.object for each in manifest.load_text((EXAMPLE / name).read_text())]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Requests have an HPA scale; the recording has what pods used, and not the requests."""
    place = tmp_path_factory.mktemp("recorded") / "rec"
    stage = Stage(5, start="2026-03-01T08:00:00Z")
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply(_objects("cluster.yaml"))
    stage.apply(_objects("web.yaml"))
    stage.run(60 * SECOND_NS)
    recorder = Recorder(stage)
    stage.apply(_traffic())
    samples = []
    for _ in range(_MINUTES * 4):
        stage.run(_POLL_NS)
        samples += _measured(stage)
    changes = [each for each in recorder.changes if each.reference.kind != "Traffic"]
    origins = [Origin(source="stage", format="test")]
    folder.write(Imported(recorder.objects, changes, origins), str(place))
    writer = UsageWriter(place, "metrics.k8s.io")
    writer.add(samples)
    writer.close()
    return str(place)


def _traffic() -> list[dict[str, Any]]:
    """Steps that no replica is overloaded by, so that all demand is served and recorded."""
    (traffic,) = _objects("traffic.yaml")
    steps = [{"step": {"rps": 6, "after": f"{minutes}m"}} for minutes in (3, 7)]
    traffic["spec"]["pattern"] = {"sum": [{"poisson": {"rps": 4}}, *steps]}
    return [traffic]


def _measured(stage: Stage) -> list[UsageSample]:
    assert stage.metrics is not None
    return [
        UsageSample(
            at_ns=pod.unix_ns, namespace=pod.namespace, pod=pod.name, container=name,
            cpu_nanocores=used.cpu_nanos, memory_bytes=64 << 20, window_ns=pod.window_ns,
        )
        for pod in stage.metrics.board.pods("default").values()
        for name, used in pod.containers.items()
    ]  # fmt: skip


def test_the_steps_of_an_hpa_are_repeated(recording: str) -> None:
    found = replay(recording, ReplayOptions(predictions=0)).agreement
    recorded, replayed = found.autoscaler_steps
    assert recorded >= 3
    assert found.same_autoscaler_steps == recorded == replayed


def test_without_usage_the_hpa_stays(recording: str, tmp_path: pathlib.Path) -> None:
    """The load is not in the recording: usage is what makes the HPA scale."""
    for file in pathlib.Path(recording).rglob("*"):
        if file.is_file() and "usage" not in file.name:
            target = tmp_path / file.relative_to(recording)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    found = replay(str(tmp_path), ReplayOptions(predictions=0)).agreement
    assert found.autoscaler_steps[1] < found.autoscaler_steps[0]


def test_the_demand_is_the_same_for_other_numbers_of_pods(
    recording: str, tmp_path: pathlib.Path
) -> None:
    """With fewer replicas at most, each of them has more to do."""
    (scaler,) = (each for each in _objects("web.yaml") if each["kind"] == HPA[1])
    scaler["metadata"]["name"], scaler["spec"]["maxReplicas"] = "other", 3
    (tmp_path / "other.yaml").write_text(yaml_text.dump(scaler))
    other = ReplayOptions(predictions=0, without=("hpa/web",), add=(str(tmp_path / "other.yaml"),))
    whole, alone = replay(recording, ReplayOptions(predictions=0)), replay(recording, other)
    used = []
    for result in (whole, alone):
        metrics = result.run.stage.metrics
        assert metrics is not None
        pods = metrics.board.pods("default").values()
        shares = [each.containers["web"].cpu_nanos for each in pods]
        assert max(shares) - min(shares) <= 1
        assert {each.containers["web"].memory_bytes for each in pods} == {64 << 20}
        used.append((len(shares), sum(shares)))
    assert (used[0][0], used[1][0]) == (7, 3)
    assert used[0][1] == pytest.approx(used[1][1], rel=0.02)


def test_a_kept_replay_is_repeated_with_its_usage(recording: str, tmp_path: pathlib.Path) -> None:
    """Whoever opens it sees the same run."""
    out = tmp_path / "kept"
    result = replay(recording, ReplayOptions(predictions=0, out=str(out)))
    (opened,) = open_runs([out])
    assert len(result.run.stage.store.read(POD)) == 7
    assert set(opened.stage.store.read(POD)) == set(result.run.stage.store.read(POD))
    (out / "inputs" / "usage.jsonl").write_text("{")
    with pytest.raises(InputError, match="replay the recording again"):
        open_runs([out])


def test_demand_is_a_sum_of_steps() -> None:
    steps = [Step(0, 1.0, 100.0, 1), Step(10, 2.0, 200.0, 1), Step(20, -1.0, -100.0, -1)]
    found = demand.of_steps(("deployment/default/web", "web"), steps)
    assert found.mean_cores(0, 10) == pytest.approx(1.0)
    assert found.mean_cores(5, 15) == pytest.approx(2.0)
    assert found.mean_cores(20, 40) == pytest.approx(2.0)
    assert found.mean_cores(-10, 0) == 0.0
    assert found.mean_cores(10, 10) == 0.0
    assert (found.memory(-1), found.memory(5), found.memory(12), found.memory(25)) == (
        0.0, 100.0, 150.0, 200.0,
    )  # fmt: skip
