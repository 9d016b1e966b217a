"""A base is read once: what is on disk later has no effect, and runs leave no trace in it."""

from __future__ import annotations

import pathlib
import pickle
import shutil

import pytest

import kubestage
from kubestage.sweep import axes
from kubestage.sweep.base_run import Base
from kubestage.sweep.rows import Task
from tests.sweep import inputs


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> str:
    return inputs.cluster(tmp_path)


def test_a_task_is_a_run_with_its_parameters(folder: str) -> None:
    base = Base.read(["run", folder])
    assert base(Task(0, {}, 0)).measures["pending"] == 0
    # No node has 5 CPUs.
    row = base(Task(1, {inputs.CPU: 5}, 0))
    assert row.measures["pending"] == 1
    assert row.error is None
    assert {each.key: each.better for each in row.described}["pending"] == "less"
    assert base(Task(2, {}, 0)).measures["pending"] == 0


def test_files_are_read_once(folder: str) -> None:
    base = Base.read(["run", folder])
    before = base(Task(0, {}, 0))
    shutil.rmtree(folder)
    assert base(Task(0, {}, 0)) == before


def test_a_base_works_in_another_process_without_the_files(folder: str) -> None:
    base = Base.read(["run", folder])
    axis = axes.parse(f"{inputs.CPU}=1,5", base)
    axes.check([axis], base)
    before = base(Task(0, {inputs.CPU: 5}, 3))
    shutil.rmtree(folder)
    again = pickle.loads(pickle.dumps(base))
    assert again(Task(0, {inputs.CPU: 5}, 3)) == before


def test_runs_leave_the_inputs_as_they_are(folder: str) -> None:
    base = Base.read(["run", folder, "--for", "1m", "--nodes", "1"])
    before = pickle.dumps([each.obj for each in base.objects()])
    for at, value in enumerate((1, 5, 2)):
        base(Task(at, {inputs.CPU: value, "run-duration": "5s"}, at))
    assert pickle.dumps([each.obj for each in base.objects()]) == before


def test_the_order_of_runs_has_no_effect(folder: str) -> None:
    tasks = [Task(at, {inputs.CPU: 1 + at % 5, "tie-break": "random"}, at) for at in range(6)]
    first, second = Base.read(["run", folder]), Base.read(["run", folder])
    forwards = [first(task) for task in tasks]
    backwards = [second(task) for task in reversed(tasks)]
    assert forwards == list(reversed(backwards))


def test_a_run_that_fails_is_a_row_with_its_error(folder: str) -> None:
    base = Base.read(["run", folder])
    row = base(Task(4, {inputs.CPU: "-1"}, 2))
    assert row.index == 4
    assert row.measures == {}
    assert row.error is not None
    assert "must be greater than or equal to 0" in row.error


def test_a_fault_of_a_plugin_is_a_row_with_its_error(folder: str, tmp_path: pathlib.Path) -> None:
    plugin = tmp_path / "bad.py"
    plugin.write_text(
        "class Bad:\n    name = 'Bad'\n"
        "    def __init__(self, args, handle): pass\n"
        "    def score(self, state, pod, columns, rows): raise RuntimeError('broken')\n"
    )
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {score: {enabled: [{name: Bad}]}}}]\n"
    )
    base = Base.read(["run", folder, "--plugin", f"{plugin}:Bad", "--config", str(config)])
    row = base(Task(0, {}, 0))
    assert row.error is not None
    assert "broken" in row.error


def test_the_key_is_that_of_all_that_counts(folder: str, tmp_path: pathlib.Path) -> None:
    base = Base.read(["run", folder])
    key = base.key(Task(0, {"nodes": 3}, 1))
    assert len(key) == 64
    assert base.key(Task(9, {"nodes": 3}, 1)) == key
    assert base.key(Task(0, {"nodes": 4}, 1)) != key
    assert base.key(Task(0, {"nodes": 3}, 2)) != key
    assert base.key(Task(0, {"nodes": 3}, 1, payload=[1])) != key
    assert Base.read(["run", folder, "--seed", "5"]).key(Task(0, {"nodes": 3}, 1)) == key
    assert Base.read(["run", folder, "--as-written"]).key(Task(0, {"nodes": 3}, 1)) != key
    pods = pathlib.Path(folder) / "pods.yaml"
    pods.write_text(pods.read_text().replace("web:1", "web:2"))
    assert Base.read(["run", folder]).key(Task(0, {"nodes": 3}, 1)) != key


def test_the_version_is_part_of_the_key(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task(0, {}, 1)
    key = Base.read(["run", folder]).key(task)
    monkeypatch.setattr(kubestage, "__version__", "99.0")
    assert Base.read(["run", folder]).key(task) != key


def test_the_content_of_a_file_that_is_varied_is_part_of_the_key(
    folder: str, tmp_path: pathlib.Path
) -> None:
    config = tmp_path / "a.yaml"
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    keys = []
    for text in (head, f"{head}percentageOfNodesToScore: 50\n"):
        config.write_text(text)
        base = Base.read(["run", folder])
        axes.check([axes.parse(f"config={config}", base)], base)
        keys.append(base.key(Task(0, {"config": str(config)}, 0)))
        keys.append(base.key(Task(0, {}, 0)))
    assert keys[0] != keys[2]
    assert keys[1] == keys[3]


def test_a_config_field_is_varied(folder: str, tmp_path: pathlib.Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n"
        "    args: {scoringStrategy: {type: LeastAllocated}}\n"
    )
    base = Base.read(["run", folder, "--config", str(config)])
    path = "config:profiles[0].pluginConfig[NodeResourcesFit].args.scoringStrategy.type"
    axes.check([axes.parse(f"{path}=LeastAllocated,MostAllocated", base)], base)
    strategies = ("LeastAllocated", "MostAllocated")
    spread, packed = (base(Task(0, {path: each}, 0)) for each in strategies)
    assert spread.measures["nodesUsed"] == 2
    assert packed.measures["nodesUsed"] == 1


def test_a_plugin_works_in_another_folder_without_its_file(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs.cluster(tmp_path)
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "import numpy as np\n\n\nclass Mine:\n    name = 'Mine'\n"
        "    def __init__(self, args, handle): pass\n"
        "    def score(self, state, pod, columns, rows): return np.zeros(len(rows), np.int64)\n"
    )
    (tmp_path / "config.yaml").write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {score: {enabled: [{name: Mine}]}}}]\n"
    )
    monkeypatch.chdir(tmp_path)
    base = Base.read(["run", "cluster", "--plugin", "mine.py:Mine", "--config", "config.yaml"])
    before = base(Task(0, {}, 0))
    assert before.error is None
    sent = pickle.dumps(base)
    plugin.unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(sent)(Task(0, {}, 0)) == before
