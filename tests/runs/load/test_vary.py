"""What a search can vary, and how it is named."""

from __future__ import annotations

import pytest

from kubestage.clusterloader import config
from kubestage.errors import InputError
from kubestage.runs.load.vary import Vary

LOAD = config.Config(
    name="x",
    tuning_sets=(
        config.TuningSet("Uniform", config.QpsLoad(10.0)),
        config.TuningSet("Limited", config.TimeLimitedLoad(5)),
        config.TuningSet("Global", config.GlobalQpsLoad(5.0, 7)),
    ),
    namespaces=config.Namespaces(number=3),
    steps=(
        config.Step(
            name="Create",
            phases=(
                config.Phase(
                    (config.ObjectSpec("web", "web.yaml", {"Replicas": 4, "Image": "x"}),),
                    30,
                    "Uniform",
                ),
            ),
        ),
    ),
)
PATHS = {
    "tuningSets.Uniform.qps": 10.0,
    "tuningSets.Uniform.qpsLoad.qps": 10.0,
    "tuningSets[0].qps": 10.0,
    "tuningSets.Global.burst": 7,
    "namespace.number": 3,
    "steps[0].phases[0].replicasPerNamespace": 30,
    "steps.Create.phases[0].objectBundle[0].templateFillMap.Replicas": 4,
}


@pytest.mark.parametrize("path", PATHS)
def test_a_number_is_found_and_changed_and_nothing_else_is(path: str) -> None:
    vary = Vary(path)
    vary.check()
    assert vary.current(LOAD, {}) == PATHS[path]
    changed = vary.changed(LOAD, 99)
    assert vary.current(changed, {}) == 99
    assert type(vary.current(changed, {})) is type(PATHS[path])
    assert vary.changed(changed, PATHS[path]) == LOAD


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tuningSets.Unifrom.qps", "there is no Unifrom.*did you mean Uniform"),
        ("tuningSets.Uniform.burst", "there is no burst.*there are qps"),
        ("tuningSet.Uniform.qps", "there is no tuningSet.*did you mean tuningSets"),
        ("steps[7].phases", "there is no 7"),
        ("tuningSets.Uniform", "is no number"),
        ("tuningSets.Uniform.qps.more", "there is nothing below"),
        ("name", "is no number"),
        ("steps.Create.phases[0].objects[0].fillMap.Image", "is no number"),
        ("tuningSets[x", "is no path"),
        ("", "is no path"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_with_what_there_is(path: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        Vary(path).current(LOAD, {})


def test_a_parameter_is_a_number_of_the_mapping() -> None:
    vary = Vary("params.CL2_PODS")
    assert vary.current(LOAD, {"CL2_PODS": 5}) == 5
    assert vary.current(LOAD, {}) is None
    with pytest.raises(InputError, match="is no number"):
        vary.current(LOAD, {"CL2_PODS": "many"})
    with pytest.raises(InputError, match="is no parameter"):
        Vary("params.a b").check()
