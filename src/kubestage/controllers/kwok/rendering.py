"""Templates of stages: rendered with the object, read as YAML."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.kwok import template_functions
from kubestage.golang import floats
from kubestage.golang import template as gotemplate
from kubestage.golang.template.limits import Limits
from kubestage.golang.template.values import Number
from kubestage.objects.yaml_documents import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.golang.template import Function, Template

_REMEMBERED: Final = 1024
# NOTE: a template of a stage makes a part of one object, and no object is larger than 1.5 MiB. The
# largest of KWOK's own takes 600 steps for a pod with ten containers.
LIMITS: Final = Limits(steps=500_000, made=8 << 20, written=2 << 20)


@functools.lru_cache(maxsize=_REMEMBERED)
def template(text: str) -> Template:
    """The template of a stage; `TemplateError` if it cannot be read."""
    return gotemplate.parse(text.strip(), "_", template_functions.KNOWN)


class Renderer:
    """Makes values of templates. `functions` are those that depend on time and place."""

    def __init__(self, functions: Mapping[str, Function]) -> None:
        self._functions = functions

    def json(self, text: str, obj: Any) -> Any:
        """The value that the rendered text stands for, None if it is empty."""
        # A copy each time: a template may change the maps that it is given.
        rendered = template(text).execute(with_number_texts(obj), self._functions, LIMITS)
        for value, _, _ in Reader(rendered.encode()).documents():
            return value
        return None


def with_number_texts(value: Any) -> Any:
    """The value with each number as its text: to KWOK's templates they are no numbers."""
    if isinstance(value, dict):
        return {key: with_number_texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [with_number_texts(each) for each in value]
    if isinstance(value, float):
        return Number(floats.text(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return Number(str(value))
    return value
