"""Files that ClusterLoader2 ships; they lie beside the repository, where it is there."""

from __future__ import annotations

import pathlib
import random

import pytest

from kubestage.clusterloader import dumping, suites
from kubestage.clusterloader.config_loading import LoadedConfig, Parameters, load
from kubestage.clusterloader.reading.problems import InvalidConfig
from kubestage.measure.registry import Registry
from kubestage.runs.load import source_files

HERE = pathlib.Path(__file__).parents[3] / "shared" / "data" / "clusterloader2"
pytestmark = pytest.mark.skipif(
    not HERE.exists(),
    reason="ClusterLoader2's files, never committed, are not beside the repository",
)


def _loaded(config: pathlib.Path, nodes: int, *overrides: pathlib.Path) -> LoadedConfig:
    files, main = source_files.beside(config)
    texts = tuple((each.name, each.read_text()) for each in overrides)
    parameters = Parameters(nodes=nodes, overrides=texts)
    return load(
        main, files, parameters, methods=Registry(), random=random.Random(1), is_strict=True
    )


def _actions(loaded: LoadedConfig) -> int:
    total = 0
    for step in loaded.config.steps:
        for phase in step.phases:
            space = phase.namespace_range
            total += phase.replicas_per_namespace * (
                1 if space is None else space.max - space.min + 1
            )
    return total


@pytest.mark.parametrize(
    ("name", "nodes", "steps", "actions"),
    [
        ("pod-startup-latency", 100, 8, 30),
        ("node-throughput", 100, 8, 100),
        ("batch", 100, 3, 338),
        ("scheduler-throughput", 100, 5, 5000),
        ("density", 100, 14, 501),
        ("load", 2, 17, 25),
        ("load", 100, 29, 1645),
        ("load", 5000, 29, 57_554),
    ],
)
def test_a_shipped_file_is_loaded_unmodified(
    name: str, nodes: int, steps: int, actions: int
) -> None:
    found = _loaded(HERE / name / "config.yaml", nodes)
    assert found.warnings == ()
    assert len(found.config.steps) == steps
    assert _actions(found) == actions


def test_load_fails_its_own_validation_on_one_node() -> None:
    with pytest.raises(InvalidConfig, match="timeLimit: must have positive value"):
        _loaded(HERE / "load" / "config.yaml", 1)


def test_every_scenario_of_the_shipped_suite_is_loaded() -> None:
    suite = HERE / "density" / "scheduler-suite.yaml"
    scenarios = suites.read(suite.read_text(), suite.name)
    assert len(scenarios) == 4
    for scenario in scenarios:
        overrides = [source_files.named_in(suite, path) for path in scenario.override_paths]
        found = _loaded(source_files.named_in(suite, scenario.config_path), 100, *overrides)
        assert len(found.config.steps) == 14


@pytest.mark.parametrize("name", ["density", "load"])
def test_every_object_of_a_shipped_file_is_rendered(name: str) -> None:
    found = _loaded(HERE / name / "config.yaml", 2)
    kinds: set[str] = set()
    for step in found.config.steps:
        for phase in step.phases:
            for spec in phase.objects:
                names = {
                    "Name": f"{spec.basename}-0",
                    "BaseName": spec.basename,
                    "Namespace": "a-1",
                }
                mapping = {**found.mapping, **spec.fill_map, **names, "Index": 0}
                made = found.templates.objects(spec.template_path, mapping)
                kinds.update(each["kind"] for each in made)
                raw = found.templates.raw_objects(spec.template_path)
                assert {each["kind"] for each in made} <= {each["kind"] for each in raw}
    assert "Deployment" in kinds


def test_a_generated_configuration_says_the_same() -> None:
    found = _loaded(HERE / "load" / "config.yaml", 100)
    text = dumping.dump(found.config)
    assert "timeLimit: 5m0s" in text
    assert dumping.dump(found.config) == text
