"""Pods of traces: read, mapped, resampled, and run in order or at their times."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

import kubestage
from kubestage.errors import InputError
from kubestage.golang.rand import Rand
from kubestage.objects import yaml_text
from kubestage.runs.inputs.arrivals import adding, load, trace_map
from kubestage.runs.inputs.arrivals.expressions import Expression
from kubestage.runs.run_options import RunOptions
from kubestage.testing import make_node

OPENB = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
openb-pod-0000,12000,16384,1,1000,,LS,Running,0,100,0
openb-pod-0001,6000,12288,1,460,P100,LS,Running,30,90,30
openb-pod-0002,500,1024,0,0,,BE,Running,31,90,31
"""
NODES = """\
sn,cpu_milli,memory_mib,gpu,model
openb-node-0000,64000,262144,2,P100
openb-node-0001,32000,131072,1,T4
"""
SWF = """\
; Version: 2.2
  1    10 -1  100  4 -1 2048  8  200  1024 1  3 1 -1 1 -1 -1 -1
  2    20 -1   50  4 -1 2048 -1  200    -1 1 -1 1 -1 1 -1 -1 -1
"""
COUNT, MILLI = "alibabacloud.com/gpu-count", "alibabacloud.com/gpu-milli"


@pytest.fixture(autouse=True)
def _files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"pods.csv": OPENB, "nodes.csv": NODES, "jobs.swf": SWF}.items():
        pathlib.Path(name).write_text(text)


def options(**fields: Any) -> RunOptions:
    return RunOptions(controllers=False, **fields)


def pods(**fields: Any) -> dict[str, Any]:
    found = adding.read(options(**fields))
    return {each.pod["metadata"]["name"]: each for each in found}


def test_openbs_pods_are_known_by_their_columns() -> None:
    found = pods(arrivals=("pods.csv",))
    assert list(found) == ["openb-pod-0000", "openb-pod-0001", "openb-pod-0002"]
    second = found["openb-pod-0001"]
    assert (second.at_ns, second.share, second.number) == (30 * 10**9, 460, 1)
    metadata, spec = second.pod["metadata"], second.pod["spec"]
    assert metadata["annotations"] == {
        COUNT: "1",
        MILLI: "460",
        "alibabacloud.com/gpu-card-model": "P100",
        "kubestage.dev/run-duration": "60s",
    }
    requests = spec["containers"][0]["resources"]["requests"]
    assert requests == {"cpu": "6000m", "memory": str(12288 << 20)}
    assert MILLI not in found["openb-pod-0002"].pod["metadata"]["annotations"]


def test_jobs_of_swf_request_processors() -> None:
    found = pods(arrivals=("jobs.swf",))
    one, two = found["job-1"], found["job-2"]
    assert (one.at_ns, one.cpu, two.cpu) == (10 * 10**9, 8.0, 4.0)
    requests = [each.pod["spec"]["containers"][0]["resources"]["requests"] for each in (one, two)]
    assert [each["memory"] for each in requests] == [str(8 * 1024 * 1024), str(4 * 2048 * 1024)]
    assert one.pod["metadata"]["labels"] == {"user": "3"}
    assert "labels" not in two.pod["metadata"]


def test_any_csv_can_be_mapped() -> None:
    pathlib.Path("own.csv").write_text("start,end,cores,team,disks\n1.5,4,0.25,red,2\n2,3,1,,0\n")
    stated = (
        "cpu=cores,at=start*2+1,duration=end-start,label.team=team,resource.example.com/disk=disks"
    )
    pathlib.Path("map.yaml").write_text(stated.replace("=", ": ").replace(",", "\n"))
    for each in (stated, "map.yaml"):
        found = pods(arrivals=("own.csv",), trace_map=each)
        assert list(found) == ["own-0", "own-1"]
        first = found["own-0"]
        assert (first.at_ns, first.cpu) == (4 * 10**9, 0.25)
        assert first.pod["metadata"]["labels"] == {"team": "red"}
        resources = first.pod["spec"]["containers"][0]["resources"]
        assert resources["requests"] == {"cpu": "250m", "example.com/disk": "2"}
        # The API refuses such a resource without a limit.
        assert resources["limits"] == {"example.com/disk": "2"}
        second = found["own-1"].pod["spec"]["containers"][0]["resources"]
        assert second == {"requests": {"cpu": "1000m"}}
        duration = first.pod["metadata"]["annotations"]["kubestage.dev/run-duration"]
        assert duration == "2.5s"


@pytest.mark.parametrize(
    ("text", "value"), [("a", 6.0), ("a/b*10", 30.0), ("a-b+1", 5.0), ("7", 7.0), ("a b", 9.0)]
)
def test_expressions_go_from_left_to_right(text: str, value: float) -> None:
    assert Expression(text, "cpu").number_of({"a": "6", "b": "2", "a b": "9"}) == value


REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown columns": ({}, "a,b\n1,2\n", "has columns of no known trace: a, b"),
    "no such column": ({"trace_map": "cpu=c"}, "a,b\n1,2\n", 'there is no column "c"'),
    "no such field": ({"trace_map": "cpus=a"}, "a\n1\n", 'there is no field "cpus"'),
    "bad expression": ({"trace_map": "cpu=a//2"}, "a\n1\n", '"a//2" cannot be read'),
    "empty expression": ({"trace_map": "cpu="}, "a\n1\n", '"" cannot be read'),
    "no number": ({"trace_map": "cpu=a"}, "a\nmany\n", 'trace.csv:2: a: "many" is no number'),
    "negative": ({"trace_map": "cpu=a"}, "a\n-1\n", "trace.csv:2: cpu: -1 is negative"),
    "division by zero": ({"trace_map": "cpu=1/a"}, "a\n0\n", "1/a is nan"),
    "ragged": ({"trace_map": "cpu=a"}, "a,b\n1\n", "trace.csv:2: has other cells than the 2"),
    "empty": ({"trace_map": "cpu=a"}, "a\n", "has no rows"),
    "same names": ({"trace_map": "name=a,cpu=b"}, "a,b\nx,1\nx,1\n", 'two pods are called "x"'),
    "bad load": ({"trace_map": "cpu=a", "arrivals_load": "much"}, "a\n1\n", '"much" is no load'),
    "no load": ({"trace_map": "cpu=a", "arrivals_load": "0"}, "a\n1\n", "0 is not above 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused(name: str) -> None:
    fields, text, problem = REFUSED[name]
    pathlib.Path("trace.csv").write_text(text)
    pathlib.Path("n.yaml").write_text(yaml_text.dump(make_node("n1", cpu="4")))
    with pytest.raises(InputError) as raised:
        kubestage.run(["n.yaml"], options(arrivals=("trace.csv",), **fields))
    assert problem in str(raised.value)


def test_an_option_without_a_trace_is_refused() -> None:
    with pytest.raises(InputError, match=r"--arrivals-load: has no effect without --arrivals"):
        kubestage.run(["nodes.csv"], options(arrivals_load="1.3"))


def test_a_broken_list_of_nodes_is_refused_at_its_line() -> None:
    pathlib.Path("nodes.csv").write_text(NODES + "bad,many,1,0,\n")
    with pytest.raises(InputError, match=r"nodes.csv:4: .*write whole numbers"):
        kubestage.run(["nodes.csv"], options(arrivals=("pods.csv",)))


def test_pods_of_a_trace_are_scheduled_in_order() -> None:
    result = kubestage.run(["nodes.csv"], options(arrivals=("pods.csv",)))
    assert result.stage.scheduler is not None
    decisions = result.stage.scheduler.record.decisions
    assert [each.pod[-1] for each in decisions] == ["0", "1", "2"]
    assert all(each.node.startswith("openb-node-") for each in decisions)


def test_load_is_resampled_to_a_share_of_the_devices() -> None:
    fields: dict[str, Any] = {"arrivals": ("pods.csv",), "unschedulable": "leave", "seed": 42}
    more = kubestage.run(["nodes.csv"], options(arrivals_load="130%", **fields))
    again = kubestage.run(["nodes.csv"], options(arrivals_load="1.3", **fields))
    less = kubestage.run(["nodes.csv"], options(arrivals_load="0.2", **fields))
    assert more.stage.scheduler is not None
    assert again.stage.scheduler is not None
    assert less.stage.scheduler is not None
    names = [each.pod for each in more.stage.scheduler.record.decisions]
    assert names == [each.pod for each in again.stage.scheduler.record.decisions]
    assert len(names) > 3
    assert all("-copy-" in each for each in names[3:])
    assert len(less.stage.scheduler.record.decisions) < 3


def test_a_shuffle_reorders_pods_and_names_of_nodes() -> None:
    fields: dict[str, Any] = {"arrivals": ("pods.csv",), "arrivals_shuffle": True}
    orders = set()
    for seed in range(6):
        result = kubestage.run(["nodes.csv"], options(seed=seed, **fields))
        assert result.stage.scheduler is not None
        orders.add(tuple(each.pod for each in result.stage.scheduler.record.decisions))
        nodes = {each["metadata"]["name"] for each in result.stage.store.list(("v1", "Node")).items}
        assert {each[5:] for each in nodes} == {"openb-node-0000", "openb-node-0001"}
        assert {each[:5] for each in nodes} == {"0000-", "0001-"}
    assert len(orders) > 1


def test_pods_arrive_at_their_times_and_end() -> None:
    result = kubestage.run(["nodes.csv"], RunOptions(arrivals=("pods.csv",), run_for="2m"))
    found = {
        pod["metadata"]["name"]: pod["status"]["phase"]
        for pod in result.stage.store.list(("v1", "Pod")).items
    }
    assert found == dict.fromkeys(found, "Succeeded")
    assert len(found) == 3
    earlier = kubestage.run(["nodes.csv"], RunOptions(arrivals=("pods.csv",), run_for="30500ms"))
    phases = [pod["status"]["phase"] for pod in earlier.stage.store.list(("v1", "Pod")).items]
    assert (phases[0], len(phases)) == ("Running", 2)


def test_a_load_can_be_of_cpu() -> None:
    rows = adding.read(options(arrivals=("jobs.swf",)))
    nodes = [make_node("n1", cpu="10")]
    changed = load.resampled(rows, rows, nodes, 3.0, Rand(1))
    assert sum(each.cpu for each in changed) <= 30
    assert sum(each.cpu for each in changed) > 22


def test_known_maps_can_be_parsed() -> None:
    assert {"cpu", "memory"} < set(trace_map.parsed(trace_map.OPENB))
