"""Modules are put where they are named."""

from __future__ import annotations

from tests.clusterloader.configurations import TUNING, loaded, phase, problems

SLEEP = "- name: {}\n  measurements: [{{method: Sleep, identifier: s}}]\n"


def _names(text: str, files: dict[str, str], **given: object) -> list[str]:
    return [step.name for step in loaded(TUNING + text, files, **given).config.steps]


def test_steps_of_modules_are_flattened_in_order() -> None:
    files = {
        "m/one.yaml": "steps:\n" + SLEEP.format("b") + "- module: {path: /m/two.yaml}\n",
        "m/two.yaml": "steps:\n" + SLEEP.format("c"),
        "none.yaml": "# nothing\n",
    }
    text = (
        "steps:\n" + SLEEP.format("a") + "- module: {path: m/one.yaml}\n"
        "- {name: ignored, phases: [nonsense], Module: {Path: none.yaml}}\n" + SLEEP.format("d")
    )
    assert _names(text, files) == ["a", "b", "c", "d"]


def test_a_module_sees_its_own_parameters_and_not_those_around_it() -> None:
    files = {
        "one.yaml": "steps:\n"
        + SLEEP.format("{{.P}}-{{.Q}}")
        + "- module: {path: two.yaml, params: {Q: 2}}\n",
        "two.yaml": "steps:\n" + SLEEP.format("{{DefaultParam .P `none`}}-{{.Q}}"),
    }
    text = "steps: [{module: {path: one.yaml, params: {P: 1}}}]\n"
    assert _names(text, files, overrides=(("o", "Q: base"),)) == ["1-base", "none-2"]


def test_an_empty_path_is_no_module() -> None:
    text = f"{TUNING}steps:\n- module: {{path: '', params: null}}\n  phases: [{phase(1)}]\n"
    assert len(loaded(text).config.steps[0].phases) == 1


def test_steps_are_skipped_by_name_in_modules_too() -> None:
    files = {"one.yaml": "steps:\n" + SLEEP.format("skip me") + SLEEP.format("b")}
    text = "steps:\n" + SLEEP.format("a") + SLEEP.format("skip me") + "- module: {path: one.yaml}\n"
    assert _names(text, files, skip_steps=("skip me",)) == ["a", "b"]
    assert loaded(text, files, skip_steps=("skip me", "b")).warnings == ()


def test_a_step_to_skip_that_is_not_there_is_a_warning_that_names_the_likely_one() -> None:
    text = "steps:\n" + SLEEP.format("create pods")
    assert loaded(text, skip_steps=("zzz", "creat pods")).warnings == (
        "--skip-steps: no step is called 'creat pods' (did you mean 'create pods'?)",
        "--skip-steps: no step is called 'zzz'",
    )


def test_problems_of_modules_name_their_file() -> None:
    files = {"one.yaml": "steps:\n- phases: [{}]\n", "bad.yaml": "x: {{.A", "list.yaml": "- 1\n"}
    paths = ("one.yaml", "bad.yaml", "no.yaml", "list.yaml")
    modules = "".join(f"- module: {{path: {path}}}\n" for path in paths)
    said = problems(f"steps:\n{modules}", files)
    assert said[0].startswith("bad.yaml: (module of main.yaml: steps[1]): parsing error")
    assert said[1].startswith("no.yaml: (module of main.yaml: steps[2]): no such file")
    assert said[2] == "list.yaml: expected a map, found a list"
    assert said[3].startswith("one.yaml: steps[0].phases[0].tuningSet: a tuning set is required")


def test_a_module_that_contains_itself_is_refused() -> None:
    files = {"one.yaml": "steps: [{module: {path: one.yaml}}]\n"}
    said = problems("steps: [{module: {path: one.yaml}}]\n", files)
    assert said[0] == "one.yaml: steps[0].module.path: module one.yaml contains itself"
