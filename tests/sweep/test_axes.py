"""Paths and values are checked against the inputs before anything runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sweep import axes
from kubestage.sweep.axes import Axis
from kubestage.sweep.base_run import Base
from kubestage.sweep.rows import Task
from kubestage.sweep.values import Draws
from tests.sweep import inputs

if TYPE_CHECKING:
    import pathlib

    from kubestage.sweep.rows import Scalar


@pytest.fixture
def base(tmp_path: pathlib.Path) -> Base:
    return Base.read(["run", inputs.cluster(tmp_path)])


def test_a_field_of_an_object(base: Base) -> None:
    axis = axes.parse(f"{inputs.CPU}=1..3", base)
    assert axis == Axis(inputs.CPU, (1, 2, 3))


def test_names_short_names_namespaces_and_items_by_name(base: Base) -> None:
    for path in (
        "po/web:shop:spec.containers[main].image",
        "pods/*:spec.containers[0].image",
        "pod/web:metadata.labels['app']",
    ):
        assert axes.parse(f"{path}=a,b", base).values == ("a", "b")


def test_a_number_becomes_a_text_where_the_field_is_one(base: Base) -> None:
    axis = axes.parse("pod/web:spec.containers[0].env[LEVEL].value=1,2.5", base)
    assert axis.values == ("1", "2.5")


def test_options_and_settings_have_the_types_of_their_flags(base: Base) -> None:
    assert axes.parse("tie-break=heap,random", base).values == ("heap", "random")
    assert axes.parse("nodes=3,5", base).values == (3, 5)
    assert axes.parse("for=10m,1h", base).values == ("10m", "1h")
    assert axes.parse("controllers=true,false", base).values == (True, False)
    assert axes.parse("setting.hpa.tolerance=0.1,0.2", base).values == ("0.1", "0.2")
    assert axes.parse("launch-delay=normal(5s,1s),2s", base).values == ("normal(5s,1s)", "2s")


def test_a_distribution_of_an_object_field(base: Base) -> None:
    axis = axes.parse(f"{inputs.CPU}=uniform(1,3)", base)
    assert isinstance(axis.values, Draws)
    assert axis.is_drawn


def test_draws_have_the_type_of_the_parameter(base: Base) -> None:
    level = axes.parse("pod/web:spec.containers[0].env[LEVEL].value=uniform(1,3)", base)
    assert level.at(0.5) == "2"
    assert axes.parse("arrivals-load=uniform(0.5,1.5)", base).at(0.5) == "1.0"
    assert axes.parse("setting.hpa.tolerance=choice(0.1,0.2)", base).at(0) == "0.1"
    assert axes.parse("nodes=uniform(1,3)", base).at(0.5) == 2
    with pytest.raises(InputError, match="does not fit"):
        axes.parse("nodes=uniform(1.0,3.0)", base)


@pytest.mark.parametrize("is_drawn", [False, True])
def test_every_file_of_an_option_is_read_before_anything_runs(
    base: Base, tmp_path: pathlib.Path, is_drawn: bool
) -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    files = [tmp_path / f"{number}.yaml" for number in range(25)]
    for file in files:
        file.write_text(text)
    names = ",".join(map(str, files))
    axes.check(
        [axes.parse(f"config=choice({names})" if is_drawn else f"config={names}", base)], base
    )
    for file in files:
        file.unlink()
        assert base(Task(0, {"config": str(file)}, 0)).error is None


@pytest.mark.parametrize(
    ("text", "problem", "fix"),
    [
        ("pod/wep:spec.nodeName=a", "no pod/wep", "did you mean pod/web, of .*pods.yaml"),
        ("pod/web:spec.contaners[0].image=a", "no list to take", None),
        ("pod/web:spec.nodeNam=a", 'unknown field "nodeNam"', "did you mean nodeName"),
        ("pod/web:spec.containers[0].imag=a", 'unknown field "imag"', "did you mean image"),
        ("pod/web:spec.containers[3].image=a", r"no \[3\]; there are main", None),
        ("pod/web:other:spec.nodeName=a", 'in namespace "other"', "did you mean pod/web"),
        ("pod/web:spec.priority=high", "spec.priority", None),
        ("pood/web:spec.nodeName=a", 'no kind "pood"', "did you mean pod"),
        ("launch-dely=3s", 'no parameter "launch-dely"', "did you mean launch-delay"),
        ("nodes=three", '"three" does not fit', "a whole number"),
        ("seed=1,2", "seeds are no parameter", "--seeds"),
        ("out=a", "about a single run", None),
        ("nodes", "no path with values", "nodes=10,20,50"),
        ("launch-delay", "no path with values", None),
    ],
)
def test_bad_paths_are_refused_with_the_likely_one(
    base: Base, text: str, problem: str, fix: str | None
) -> None:
    with pytest.raises(InputError, match=problem) as raised:
        axes.parse(text, base)
    assert raised.value.path is not None
    assert raised.value.path.startswith("--vary")
    if fix is not None:
        assert raised.value.fix is not None
        assert re.search(fix, raised.value.fix)


def test_a_bad_field_names_its_file(base: Base) -> None:
    with pytest.raises(InputError) as raised:
        axes.parse("pod/web:spec.nodeNam=a", base)
    assert raised.value.file is not None
    assert raised.value.file.endswith("pods.yaml")


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (["setting.hpa.syncperiod=15s"], "unknown setting"),
        (["config=missing.yaml"], "[Nn]o such file"),
        (["config:profiles[0].percentageOfNodeToScore=5"], "unknown field"),
        (["config:profiles[0].percentageOfNodesToScore=500"], "percentageOfNodesToScore"),
        (["tie-break=heap,fist"], 'unknown tie break "fist"'),
        (["nodes=0"], "out of range"),
        (["for=10m,soon"], "invalid duration"),
        (["nodes=1", "nodes=2"], "varied twice"),
    ],
)
def test_inputs_are_checked_with_every_value(base: Base, texts: list[str], problem: str) -> None:
    parsed = [axes.parse(each, base) for each in texts]
    with pytest.raises((InputError, OSError), match=problem):
        axes.check(parsed, base)


def test_values_are_checked_together_with_the_first_of_the_others(base: Base) -> None:
    # Without --nodes, --node has no effect.
    shapes = axes.parse("node='cpu=4,memory=8Gi',cpu=2", base)
    assert shapes.values == ("cpu=4,memory=8Gi", "cpu=2")
    axes.check([axes.parse("nodes=1,2", base), shapes], base)
    with pytest.raises(InputError, match="no effect without --nodes"):
        axes.check([shapes], base)


def test_a_base_that_is_bad_whatever_is_varied_is_refused(tmp_path: pathlib.Path) -> None:
    base = Base.read(["run", str(tmp_path / "nowhere")])
    with pytest.raises(InputError, match="no such file"):
        axes.check([], base)


def test_objects_inside_a_scenario(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(inputs.SCENARIO)
    base = Base.read(["run", str(file)])
    axis = axes.parse("pod/a:spec.containers[0].resources.requests.cpu=1,5", base)
    axes.check([axis], base)
    with pytest.raises(InputError, match="no pod/b"):
        axes.parse("pod/b:spec.nodeName=x", base)


@pytest.mark.parametrize("text", ["1,2.5", "a,b", "'1','x y'", "'a,b',c", "true,null", "'1..3'"])
def test_the_text_of_values_can_be_read_again(base: Base, text: str) -> None:
    axis = axes.parse(f"config:clientConnection.kubeconfig={text}", base)
    assert axes.parse(f"{axis.path}={axis.text()}", base) == axis


def _checked(base: Base, values: list[Scalar], monkeypatch: pytest.MonkeyPatch) -> list[Scalar]:
    seen: list[Scalar] = []
    monkeypatch.setattr(base, "check", lambda parameters: seen.append(parameters["x"]))
    axes.check([axes.Axis("x", tuple(values))], base)
    return seen


def test_all_values_are_checked_but_amounts_between_others(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[Scalar] = [f"team{number}" for number in range(50)]
    assert _checked(base, [*names, True, None], monkeypatch) == [*names, True, None]
    numbers = [*range(30, 1000), *range(30), 2000.5]
    some = _checked(base, list(numbers), monkeypatch)
    assert len(some) == 21
    assert {30, 0, 2000.5} <= set(some)
    units: list[Scalar] = [f"{number}{unit}" for unit in ("m", "Mi") for number in range(1, 90)]
    some = _checked(base, [*units, "many"], monkeypatch)
    assert {"1m", "89m", "1Mi", "89Mi", "many"} <= set(some)
    assert len(some) == 41
