"""A phase: what is created, patched and deleted, in which order, and what goes wrong."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from kubestage.clusterloader import config
from kubestage.clusterloader.config import Step
from kubestage.errors import ApiError
from tests.clusterloader.loads import (
    FAST,
    Rehearsal,
    Templates,
    config_map,
    load,
    phase,
    secret,
    spec,
    with_controllers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.clusterloader.run import LoadRun

KEPT = config.Namespaces(2, "mine", delete_automanaged=False)
BOTH = spec(), spec("secret")


def calls(run: LoadRun) -> list[str]:
    """The calls for objects, in the order in which they were answered."""
    log = run.result.calls
    rows = zip(log.verbs, log.namespaces, log.names, log.kinds, strict=True)
    return [f"{verb} {where}/{name}" for verb, where, name, kind in rows if kind != "Namespace"]


def steps(*phases: config.Phase) -> list[Step]:
    """Phases one after another."""
    return [Step(phases=(each,)) for each in phases]


def rehearse(*phases: config.Phase, **more: Any) -> tuple[Rehearsal, LoadRun]:
    """Phases one after another, on an empty stage whose namespaces stay."""
    rehearsal = Rehearsal(load(*steps(*phases), namespaces=KEPT), **more)
    return rehearsal, rehearsal.finish()


def test_names_count_from_zero_and_what_is_there_is_not_made_again() -> None:
    _, run = rehearse(phase(2), phase(3))
    assert calls(run) == [
        "create mine-1/config-map-0",
        "create mine-1/config-map-1",
        "create mine-1/config-map-2",
    ]


def test_as_many_as_before_means_to_patch_all_of_them() -> None:
    _, run = rehearse(phase(2), phase(2))
    assert calls(run)[2:] == [
        "get mine-1/config-map-0",
        "patch mine-1/config-map-0",
        "get mine-1/config-map-1",
        "patch mine-1/config-map-1",
    ]


def test_fewer_means_to_delete_the_last_ones_in_ascending_order() -> None:
    rehearsal, run = rehearse(phase(4), phase(1))
    assert calls(run)[4:] == [f"delete mine-1/config-map-{index}" for index in (1, 2, 3)]
    assert rehearsal.names("ConfigMap", "mine-1") == ["config-map-0"]


def test_a_bundle_goes_forward_to_create_and_backward_to_delete() -> None:
    _, run = rehearse(phase(1, *BOTH), phase(0, *BOTH))
    assert calls(run) == [
        "create mine-1/config-map-0",
        "create mine-1/secret-0",
        "delete mine-1/secret-0",
        "delete mine-1/config-map-0",
    ]


def test_namespaces_come_one_after_another() -> None:
    reach = config.NamespaceRange(1, 2)
    _, run = rehearse(phase(2, namespace_range=reach))
    assert [each.split("/")[0] for each in calls(run)] == ["create mine-1"] * 2 + [
        "create mine-2"
    ] * 2


def test_namespaces_can_be_listed() -> None:
    _, run = rehearse(phase(1, namespace_list=("mine-2",)))
    assert calls(run) == ["create mine-2/config-map-0"]


def test_an_error_ends_a_bundle_and_no_other() -> None:
    objects = spec("bad"), spec("secret")
    rehearsal, run = rehearse(phase(2, *objects))
    assert [each for each in calls(run) if "secret" in each] == []
    assert len(run.result.errors) == 2
    assert run.result.errors[0].startswith(
        "namespace mine-1 object bad-0 creation error: ConfigMap"
    )
    assert rehearsal.names("Secret", "mine-1") == []


def test_what_failed_counts_as_made() -> None:
    _, run = rehearse(phase(1, spec("bad")), phase(1, spec("bad")))
    assert calls(run)[-1] == "get mine-1/bad-0"
    assert "updating error" in run.result.errors[-1]


def test_a_bundle_of_uneven_numbers_is_an_error() -> None:
    _, run = rehearse(phase(2), phase(3, *BOTH))
    assert run.result.errors == ["bundle error: secret has 0 replicas while config-map has 2"]


def test_an_object_that_is_there_is_no_error_when_made_and_one_that_is_gone_none_when_deleted() -> (
    None
):
    twice = phase(1, spec("config_map", "same"))
    other = Templates(config_map=config_map, twin=config_map, secret=secret)
    _, run = rehearse(twice, phase(0, spec("config_map", "same")), templates=other)
    assert run.result.passed


def test_an_empty_template_is_passed_over() -> None:
    def some(filled: Mapping[str, Any]) -> list[dict[str, Any]]:
        return config_map(filled) if filled["Index"] % 2 == 0 else []

    rehearsal, run = rehearse(phase(4, spec("some")), templates=Templates(some=some))
    assert run.result.passed
    assert rehearsal.names("ConfigMap", "mine-1") == ["some-0", "some-2"]


def test_a_template_may_hold_several_kinds_and_no_kind_twice() -> None:
    def pair(filled: Mapping[str, Any]) -> list[dict[str, Any]]:
        return config_map(filled) + secret(filled)

    def twins(filled: Mapping[str, Any]) -> list[dict[str, Any]]:
        return config_map(filled) * 2

    templates = Templates(pair=pair, twins=twins)
    rehearsal, run = rehearse(phase(1, spec("pair")), phase(1, spec("twins")), templates=templates)
    assert rehearsal.names("Secret", "mine-1") == ["pair-0"]
    assert len(run.result.errors) == 1
    assert "two objects of kind ConfigMap" in run.result.errors[0]


def test_objects_that_others_made_are_counted_first() -> None:
    marked = {"matchLabels": {"made-by": "somebody"}}

    def labelled(filled: Mapping[str, Any]) -> list[dict[str, Any]]:
        [found] = config_map(filled)
        return [{**found, "metadata": {"labels": {"made-by": "somebody"}}}]

    templates = Templates(labelled=labelled)
    unknown = phase(1, spec("labelled", "theirs", list_unknown=marked))
    stage = with_controllers()
    stage.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine-1"}})
    for index in range(3):
        place = {"name": f"theirs-{index}", "namespace": "mine-1"}
        metadata = {**place, "labels": marked["matchLabels"]}
        stage.load({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    there = config.Namespaces(1, "mine", delete_automanaged=False, enable_existing=True)
    loaded = load(*steps(unknown), namespaces=there)
    run = Rehearsal(loaded, stage, templates=templates).finish()
    assert run.result.passed
    assert calls(run)[1:] == ["delete mine-1/theirs-1", "delete mine-1/theirs-2"]


def test_a_patch_keeps_what_the_template_does_not_say() -> None:
    def changing(filled: Mapping[str, Any]) -> list[dict[str, Any]]:
        [found] = config_map(filled)
        return [{**found, "data": {"version": str(filled["Version"])}}]

    objects = [spec("changing", fill_map={"Version": version}) for version in (1, 2)]
    templates = Templates(changing=lambda filled: changing({"Version": 0, **filled}))
    rehearsal, run = rehearse(*(phase(1, each) for each in objects), templates=templates)
    assert run.result.passed
    found = rehearsal.stage.store.get(("v1", "ConfigMap"), "changing-0", "mine-1")
    assert found["data"] == {"version": "2"}


def test_an_undeclared_tuning_set_fails_the_phase_that_names_it() -> None:
    lost = config.Phase((spec(),), 1, "lost", config.NamespaceRange(1, 1))
    rehearsal = Rehearsal(config.Config((Step(phases=(lost,)),), tuning_sets=(FAST,)))
    assert "'lost' is not declared" in rehearsal.finish().result.errors[0]


def test_phases_of_a_step_go_on_at_the_same_time() -> None:
    rehearsal = Rehearsal(load(Step(phases=(phase(10), phase(10, spec("secret"))))))
    result = rehearsal.finish().result
    assert result.steps[0].took_ns < 1_500_000_000


def test_a_busy_server_is_asked_again() -> None:
    rehearsal = Rehearsal(load(Step(phases=(phase(1),)), namespaces=KEPT))
    carry_out = rehearsal.cluster.carry_out
    left = [ApiError("busy"), ApiError("busy")]

    def busy(call: Any) -> Any:
        if call.resource.kind == "ConfigMap" and left:
            return None, left.pop()
        return carry_out(call)

    rehearsal.cluster.carry_out = busy  # type: ignore[method-assign]
    run = rehearsal.finish()
    assert run.result.passed
    assert [
        code
        for code, kind in zip(run.result.calls.codes, run.result.calls.kinds, strict=True)
        if kind == "ConfigMap"
    ] == [500, 500, 201]
    asked = [
        at
        for at, kind in zip(run.result.calls.asked_ns, run.result.calls.kinds, strict=True)
        if kind == "ConfigMap"
    ]
    assert [b - a for a, b in itertools.pairwise(asked)] == [100_000_000, 300_000_000]


def test_a_server_that_asks_to_be_left_alone_is() -> None:
    rehearsal = Rehearsal(load(Step(phases=(phase(1),)), namespaces=KEPT))
    carry_out = rehearsal.cluster.carry_out
    left = [ApiError("busy", {"retryAfterSeconds": 7})]

    def busy(call: Any) -> Any:
        if call.resource.kind == "ConfigMap" and left:
            return None, left.pop()
        return carry_out(call)

    rehearsal.cluster.carry_out = busy  # type: ignore[method-assign]
    log = rehearsal.finish().result.calls
    asked = [at for at, kind in zip(log.asked_ns, log.kinds, strict=True) if kind == "ConfigMap"]
    assert [after - before for before, after in itertools.pairwise(asked)] == [7_000_000_000]
