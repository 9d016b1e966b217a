"""The templates of a load: files in, objects and configurations out."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.clusterloader.templating import (
    documents,
    forms,
    functions,
    safety,
    simple,
    tracing,
    walking,
)
from kubestage.clusterloader.templating.draws import Draws
from kubestage.errors import InputError
from kubestage.golang import template as gotemplate
from kubestage.golang.template import Function
from kubestage.golang.template.values import ANY

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from kubestage.clusterloader.files import Files

_ACTIONS: Final = re.compile(r"\{\{.*\}\}")
_SINGLE_ACTIONS: Final = re.compile(r"\{\{.*?\}\}")
# A template whose renderings differ in more ways than this is read anew each time.
_MOST_FORMS: Final = 256


class _Prepared:
    """A parsed template in its three variants, and the forms that it has had."""

    __slots__ = ("forms", "plain", "traced", "walked")

    def __init__(self, plain: gotemplate.Template) -> None:
        self.plain = plain
        self.walked = walking.walked(plain)
        self.traced = tracing.prepared(plain)
        self.forms: dict[tuple[str, ...], forms.Form | None] = {}


class Templates:
    """Renders the files of one configuration; each is read and parsed once."""

    def __init__(
        self, files: Files, random: random.Random, env: Mapping[str, str] | None = None
    ) -> None:
        self._files = files
        self._draws = Draws(random)
        self._env = dict(env or {})
        self._forget()

    def _forget(self) -> None:
        self._functions = {
            **functions.table(self._draws, self._files, self._env),
            safety.FUNCTION: Function(_echo, (ANY,)),
        }
        self._prepared: dict[tuple[str, bool], _Prepared] = {}
        self._raw: dict[str, list[dict[str, Any]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_files": self._files, "_draws": self._draws, "_env": self._env}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._files, self._draws = state["_files"], state["_draws"]
        self._env = state["_env"]
        self._forget()

    def objects(self, path: str, mapping: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The objects that a template makes; none for an empty rendering.

        They share what they have in common: never change one in place.
        """
        prepared = self._template(path)
        if prepared.traced is None:
            return documents.objects(self.text(path, mapping), path)
        self._draws.begin()
        try:
            trace = tracing.Trace(prepared.traced, mapping)
        except gotemplate.TemplateError:
            # Run it once more as it is written: the error is to quote that.
            return documents.objects(self._checked(path, prepared, mapping), path)
        if not trace.is_whole:
            return documents.objects(self._guarded(path, prepared, mapping, trace.rendered()), path)
        key = trace.key
        form = prepared.forms.get(key)
        if form is not None:
            return form.filled(trace.pasted)
        found = documents.objects(self._guarded(path, prepared, mapping, trace.rendered()), path)
        if key not in prepared.forms and len(prepared.forms) < _MOST_FORMS:
            form = forms.read(trace.text)
            is_sound = form is not None and form.filled(trace.pasted) == found
            prepared.forms[key] = form if is_sound else None
        return found

    def text(self, path: str, mapping: Mapping[str, Any]) -> str:
        """What a template makes of a mapping; InputError if it fails or the guard refuses it."""
        self._draws.begin()
        return self._checked(path, self._template(path), mapping)

    def value(self, path: str, mapping: Mapping[str, Any]) -> Any:
        """The first document of a configuration or module that is rendered; None if it is empty."""
        self._draws.begin()
        text = self._checked(path, self._template(path, is_module=True), mapping)
        try:
            return documents.first(text)
        except InputError as error:
            error.file = path
            raise

    def check(self, path: str, *, is_module: bool = False) -> None:
        """Refuse a file that is no template, whatever it may be filled with."""
        self._template(path, is_module=is_module)

    def raw_objects(self, path: str) -> list[dict[str, Any]]:
        """The objects of a file that is not rendered: all from ``{{`` to ``}}`` is left out.

        ClusterLoader2 leaves out all of a line from the first to the last of them. JSON on one line
        ends with braces of its own, so what cannot be read that way is tried action by action, and
        then with a number in place of each, which a JSON text needs after a colon.
        """
        found = self._raw.get(path)
        if found is None:
            text = self._files.read(path)
            found = self._raw[path] = _without_actions(text, path)
        return found

    def _template(self, path: str, *, is_module: bool = False) -> _Prepared:
        # What a module may read is not for objects to read.
        key = (path, is_module)
        prepared = self._prepared.get(key)
        if prepared is None:
            read = self._files.read_module if is_module else self._files.read
            text = simple.translated(read(path))
            try:
                parsed = gotemplate.parse(text, functions=self._functions)
            except gotemplate.TemplateError as error:
                raise InputError(f"parsing error: {error}", file=path) from error
            prepared = self._prepared[key] = _Prepared(parsed)
        return prepared

    def _checked(self, path: str, prepared: _Prepared, mapping: Mapping[str, Any]) -> str:
        """One run of the template as it is written, and the guard's."""
        self._draws.again()
        try:
            text = prepared.plain.execute(mapping)
        except gotemplate.TemplateError as error:
            raise _failed(path, str(error)) from error
        return self._guarded(path, prepared, mapping, text)

    def _guarded(
        self, path: str, prepared: _Prepared, mapping: Mapping[str, Any], text: str
    ) -> str:
        try:
            problem = safety.problem(text, prepared.walked, mapping, self._draws)
        except gotemplate.TemplateError as error:
            raise _failed(path, str(error)) from error
        if problem is not None:
            raise _failed(path, *problem)
        return text


def _without_actions(text: str, path: str) -> list[dict[str, Any]]:
    for pattern in (_ACTIONS, _SINGLE_ACTIONS):
        with contextlib.suppress(InputError):
            return documents.objects(pattern.sub("", text), path)
    return documents.objects(_SINGLE_ACTIONS.sub("0", text), path)


def _echo(value: Any) -> Any:
    return value


def _failed(path: str, problem: str, fix: str | None = None) -> InputError:
    return InputError(f"replacing placeholders error: {problem}", file=path, fix=fix)
