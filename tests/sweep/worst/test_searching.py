"""A search from start to end: the same again from its seed, small, and run as it is written."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.objects import yaml_documents
from kubestage.sweep.engines.local import LocalEngine
from kubestage.sweep.worst import WorstOptions, search
from kubestage.testing import make_deployment, make_node, make_pod, make_priority_class
from tests.sweep.worst import inputs, test_invariants
from tests.sweep.worst.in_process import InProcessEngine, InProcessPool
from tests.sweep.worst.inputs import create

if TYPE_CHECKING:
    import pathlib
    from typing import Any

    from kubestage.sweep.engines.engine import Work
    from kubestage.sweep.rows import Row
    from kubestage.sweep.worst import WorstCase
    from tests.cli.terminal import Terminal

PACKING = {
    "maximise": "pending",
    "mutate": "arrivals,sizes,order",
    "bound": ("sizes.cpu.max=4",),
    "controllers": False,
    "budget": 64,
}


def _against(folder: pathlib.Path, **changed: Any) -> tuple[str, WorstOptions]:
    """Spreading pods loses against packing them."""
    options: dict[str, Any] = {
        "config": inputs.configuration(folder, "LeastAllocated"),
        "against": inputs.configuration(folder, "MostAllocated"),
        **PACKING,
        **changed,
    }
    return inputs.write(folder, *inputs.packing()), WorstOptions(**options)


def _files(folder: pathlib.Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[WorstCase, pathlib.Path]:
    folder = tmp_path_factory.mktemp("worst")
    file, options = _against(folder, out=str(folder / "out"))
    return search([file], options, engine=InProcessEngine()), folder


def test_one_configuration_loses_against_another(
    found: tuple[WorstCase, pathlib.Path],
) -> None:
    case, _ = found
    assert case.is_found
    assert case.is_smallest
    assert case.score is not None
    assert case.score > 0
    assert case.values["LeastAllocated"] == case.values["MostAllocated"] + case.score  # type: ignore[operator]
    assert case.score == case.best_score, "what was found is all there after shrinking"
    text = "\n".join(case.explanation)
    assert "The first decision that differs" in text
    assert "NodeResourcesFit" in text
    assert "Insufficient cpu" in text


def test_nothing_can_be_left_out_of_the_smallest_case(
    found: tuple[WorstCase, pathlib.Path],
) -> None:
    case, _ = found
    assert len(case.case.events) <= case.best_events
    assert len(case.case.events) <= 10
    for row in case.table().records():
        assert row["at"] == 0, "all at once"


def test_the_same_search_writes_the_same_bytes_with_any_number_of_processes(
    found: tuple[WorstCase, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    first, folder = found
    file, options = _against(folder, out=str(tmp_path / "out"))
    search([file], options, engine=InProcessEngine(5))
    assert _files(tmp_path / "out") == _files(folder / "out")
    local = msgspec.structs.replace(options, out=str(tmp_path / "local"), jobs=2)
    again = search([file], local)
    assert _files(tmp_path / "local") == _files(folder / "out")
    assert again.case.key == first.case.key


def test_another_seed_is_another_search(found: tuple[WorstCase, pathlib.Path]) -> None:
    first, folder = found
    file, options = _against(folder, seed=5)
    other = search([file], options, engine=InProcessEngine())
    assert [each.best for each in other.generations] != [each.best for each in first.generations]


def test_what_is_written_runs_as_the_readme_says(
    found: tuple[WorstCase, pathlib.Path], terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, folder = found
    monkeypatch.chdir(folder / "out")
    readme = (folder / "out" / "README.md").read_text()
    commands = [line for line in readme.splitlines() if line.startswith("kubestage ")]
    assert len(commands) == 3
    least, most, compared = (terminal.run(*shlex.split(each)[1:]) for each in commands)
    assert f"{case.values['LeastAllocated']:g} Pending" in least.out.replace("pending", "Pending")
    assert (most.code, compared.code) == (int(bool(case.values["MostAllocated"])), 0)
    (scenario,) = yaml_documents.values((folder / "out" / "worst.yaml").read_bytes(), "worst.yaml")
    assert scenario == case.scenario
    assert case.to_dict()["scenario"] == scenario
    assert "before-shrinking.yaml" in _files(folder / "out") or case.best_events == len(
        case.case.events
    )


class _InterruptedPool(InProcessPool):
    def __init__(self, work: Work, after: int) -> None:
        super().__init__(work, 1)
        self._after = after

    def next(self) -> Row:
        if self.done == self._after:
            raise KeyboardInterrupt
        return super().next()


class _InterruptedEngine(InProcessEngine):
    """Ctrl-C is pressed after so many cases."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self._after = after

    def open(self, work: Work) -> InProcessPool:
        return _InterruptedPool(work, self._after)


def test_an_interrupt_keeps_the_worst_so_far(tmp_path: pathlib.Path) -> None:
    options = WorstOptions(**{**PACKING, "out": str(tmp_path / "out")})  # type: ignore[arg-type]
    file = inputs.write(tmp_path, *inputs.packing())
    case = search([file], options, engine=_InterruptedEngine(40))
    assert case.is_interrupted
    assert not case.is_smallest
    assert case.runs == 40
    assert (tmp_path / "out" / "worst.yaml").exists()


def test_enough_ends_the_search_and_is_what_shrinking_keeps(tmp_path: pathlib.Path) -> None:
    file, options = _against(tmp_path, at_least=1.0, budget=300)
    case = search([file], options, engine=InProcessEngine())
    assert case.is_found
    assert case.runs < 300
    assert case.score == 1
    assert len(case.case.events) <= 8
    after = case.shrink_runs // 2
    interrupted = search([file], options, engine=_InterruptedEngine(case.runs + after))
    assert interrupted.is_interrupted
    assert (interrupted.runs, interrupted.shrink_runs) == (case.runs, after)
    assert len(case.case.events) <= len(interrupted.case.events) < case.best_events


def test_a_starving_pod_is_found_and_explained(tmp_path: pathlib.Path) -> None:
    begin = inputs.scenario(
        create(make_node("node-1", cpu="4")),
        create(make_priority_class("high", 1000, preemption_policy="Never")),
        *(create(make_pod(f"pod-{at}", cpu="1"), 1) for at in range(5)),
    )
    options = WorstOptions(breaks="starvation", budget=200, bound=("sizes.cpu.max=4",))
    case = search([inputs.write(tmp_path, begin)], options, engine=InProcessEngine())
    assert case.is_found
    assert case.objective == "starvation broken"
    assert "of lower priority that came later got a node" in case.explanation[0]
    assert len(case.case.events) <= 5


def test_plugins_are_loaded_in_each_process(tmp_path: pathlib.Path) -> None:
    plugin, config = tmp_path / "plugin.py", tmp_path / "config.yaml"
    plugin.write_text(test_invariants.RESERVES_NOTHING)
    config.write_text(test_invariants.ENABLED)
    options = WorstOptions(
        breaks="fits",
        config=str(config),
        plugins=(f"{plugin}:ReservesNothing",),
        budget=20,
        jobs=2,
        against="default",
        controllers=False,
    )
    case = search([inputs.write(tmp_path, *inputs.packing(2))], options)
    assert case.is_found
    assert [str(each.target.kind) for each in case.case.events] == ["Node", "Pod"]
    assert case.explanation[1] == "With default, the invariant holds."


def test_an_invariant_that_holds_is_not_found(tmp_path: pathlib.Path) -> None:
    options = WorstOptions(breaks="fits", budget=30, controllers=False)
    file = inputs.write(tmp_path, *inputs.packing(3))
    case = search([file], options, engine=InProcessEngine())
    assert not case.is_found
    assert case.shrink_runs == 0
    assert case.explanation[0].startswith("Not found: fits broken.")


def test_a_living_run_is_written_as_manifests_that_run(
    tmp_path: pathlib.Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = [
        make_node("node-1", cpu="4"),
        make_node("node-2", cpu="4"),
        make_deployment("web", replicas=4, cpu="1"),
        make_pod("one", cpu="1"),
    ]
    options = WorstOptions(
        maximise="pendingPeak", run_for="10m", budget=40, out=str(tmp_path / "out"), at_least=1.0
    )
    case = search([inputs.write(tmp_path, *objects)], options, engine=InProcessEngine())
    assert case.is_found
    assert case.manifests is not None
    assert case.scenario is None
    monkeypatch.chdir(tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text()
    (command,) = [line for line in readme.splitlines() if line.startswith("kubestage ")]
    result = terminal.run(*shlex.split(command)[1:])
    assert result.code in (0, 1)
    assert "had no node" in result.out


def test_a_dump_of_a_cluster_is_rescheduled_and_mutated(tmp_path: pathlib.Path) -> None:
    recorded = {"uid": "11111111-1111-4111-8111-111111111111", "resourceVersion": "7"}
    nodes = [make_node(f"node-{at}", cpu="4") for at in (1, 2)]
    pods = [make_pod(f"pod-{at}", cpu="1", node_name="node-1") for at in range(3)]
    for number, obj in enumerate([*nodes, *pods]):
        uid = f"{recorded['uid'][:-1]}{number}"
        obj["metadata"] |= {"uid": uid, "creationTimestamp": "2026-05-04T09:00:00Z"}
    options = WorstOptions(
        config=inputs.configuration(tmp_path, "LeastAllocated"),
        against=inputs.configuration(tmp_path, "MostAllocated"),
        maximise="pending",
        at_least=1.0,
        reschedule="all",
        bound=("sizes.cpu.max=4",),
        budget=300,
        controllers=False,
        out=str(tmp_path / "out"),
    )
    file = inputs.write(tmp_path, *nodes, *pods)
    with pytest.raises(InputError, match="no pods arrive"):
        search([file], msgspec.structs.replace(options, reschedule=None, out=None))
    case = search([file], options, engine=InProcessEngine())
    assert case.is_found
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "--no-controllers --start 2026-05-04T09:00:00Z" in readme


def test_living_runs_of_two_configurations_are_compared(tmp_path: pathlib.Path) -> None:
    objects = [make_node("node-1", cpu="4"), make_node("node-2", cpu="4"), *inputs.packing(4)[3:]]
    options = WorstOptions(
        config=inputs.configuration(tmp_path, "LeastAllocated"),
        against=inputs.configuration(tmp_path, "MostAllocated"),
        maximise="pendingPeak",
        at_least=1.0,
        run_for="5m",
        bound=("sizes.cpu.max=4",),
        mutate="sizes,order,arrivals",
        budget=200,
        out=str(tmp_path / "out"),
    )
    case = search([inputs.write(tmp_path, *objects)], options, engine=InProcessEngine())
    assert case.is_found
    text = "\n".join(case.explanation)
    assert "What went wrong with LeastAllocated:" in text
    assert "had no node" in text
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "kubestage run worst.yaml --config config.yaml --for 5m0s" in readme


def test_the_least_bad_of_several_seeds_counts(tmp_path: pathlib.Path) -> None:
    file, options = _against(tmp_path, repeats=2, budget=60, at_least=1.0)
    case = search([file], options, engine=InProcessEngine())
    assert case.is_found
    assert case.run_seed in range(2)
    for seed in range(2):
        once = msgspec.structs.replace(options, repeats=1, seed=seed, budget=1, shrink_budget=0)
        written = inputs.write(tmp_path, case.scenario or {}, name="again.yaml")
        assert (search([written], once, engine=InProcessEngine()).score or 0) >= 1


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"maximise": None}, "nothing to search for"),
        ({"breaks": "fits"}, "there are several objectives"),
        ({"maximise": "pendng"}, 'there is no measure "pendng"'),
        ({"maximise": "stddev"}, '"stddev" is of several'),
        ({"mutate": "sizes,colour"}, 'there is no group "colour"'),
        ({"at": ("5m=x.yaml",)}, "has an effect only with --for"),
        ({"against": "default"}, "both configurations are the same"),
        ({"bound": ("sizes.cpu=",)}, "Expected `object`, got `null`"),
        ({"bound": ("arrivals.pods.max",)}, '"arrivals.pods.max" sets nothing'),
        ({"run_for": "10m"}, "--for needs controllers"),
    ],
)
def test_what_cannot_be_searched_for_is_refused(
    tmp_path: pathlib.Path, changed: dict[str, Any], problem: str
) -> None:
    options = WorstOptions(**{**PACKING, **changed})
    with pytest.raises(InputError) as caught:
        search([inputs.write(tmp_path, *inputs.packing())], options, engine=LocalEngine(1))
    assert caught.value.problem == problem


def test_an_input_without_arrivals_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="no pods arrive"):
        search([inputs.write(tmp_path, make_node("node-1"))], WorstOptions(maximise="pending"))


def test_a_directory_with_something_else_in_it_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "mine.txt").write_text("keep me")
    file = inputs.write(tmp_path, *inputs.packing())
    with pytest.raises(InputError, match="is not empty"):
        search([file], WorstOptions(maximise="pending", out=str(tmp_path)))
