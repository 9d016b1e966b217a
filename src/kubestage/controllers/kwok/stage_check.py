"""Finds what is wrong with a stage before any object meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.kwok import amounts, cel_programs, rendering, requirements, stage_types
from kubestage.controllers.kwok.lifecycle import jq_requirement
from kubestage.errors import InputError
from kubestage.golang.template import TemplateError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.controllers.kwok.stage_types import Stage


def load(obj: dict[str, Any], file: str | None = None) -> Stage:
    """The stage that an object describes; `InputError` says what is wrong where."""
    stage = stage_types.read(obj, file)
    try:
        check(stage)
    except InputError as problem:
        raise InputError(
            problem.problem, file=file, path=problem.path, fix=problem.fix
        ) from problem
    return stage


def check(stage: Stage) -> None:
    """Raise `InputError` if an expression or a template of the stage cannot be read."""
    spec = stage.spec
    if not stage.name:
        raise InputError("a stage needs a name", path="metadata.name")
    _check_selector(stage)
    amounts.check(spec.weight_from, "spec.weightFrom")
    if spec.delay is not None:
        amounts.check(spec.delay.duration_from, "spec.delay.durationFrom")
        amounts.check(spec.delay.jitter_duration_from, "spec.delay.jitterDurationFrom")
    for path, text in _templates(stage):
        try:
            rendering.template(text)
        except TemplateError as problem:
            raise InputError(str(problem), path=path) from problem


def _check_selector(stage: Stage) -> None:
    selector = stage.spec.selector
    for index, each in enumerate((selector and selector.match_expressions) or ()):
        path = f"spec.selector.matchExpressions[{index}]"
        question = jq_requirement(each)
        if question is not None:
            requirements.check(question, f"{path}.jq" if each.jq is not None else path)
        elif each.cel is not None:
            cel_programs.check(each.cel.expression, f"{path}.cel.expression")
        else:
            raise InputError("invalid expression", path=path, fix="give jq or cel")


def _templates(stage: Stage) -> Iterator[tuple[str, str]]:
    spec = stage.spec
    if spec.next is not None and not spec.steps:
        yield "spec.next.statusTemplate", spec.next.status_template
        for index, patch in enumerate(spec.next.patches):
            yield f"spec.next.patches[{index}].template", patch.template
    for index, step in enumerate(spec.steps):
        if step.patch is not None:
            yield f"spec.steps[{index}].patch.template", step.patch.template
        if step.apply is not None:
            yield f"spec.steps[{index}].apply.template", step.apply.template
