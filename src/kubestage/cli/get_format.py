"""``kubestage get -o``: a format by its name, some with a template behind an equals sign."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.runs import choices

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.cli.custom_columns import Column


TABLES: Final = ("table", "wide")
PLAIN: Final = (*TABLES, "yaml", "json", "name")
_FILE: Final = "-file"
TEMPLATED: Final = (
    "jsonpath",
    "jsonpath-as-json",
    "jsonpath-file",
    "custom-columns",
    "custom-columns-file",
    "go-template",
    "go-template-file",
)
_OTHER_NAMES: Final = {"template": "go-template", "templatefile": "go-template-file"}
_EXAMPLES: Final = {
    "jsonpath": "jsonpath='{.items[*].metadata.name}'",
    "custom-columns": "custom-columns=NAME:.metadata.name,NODE:.spec.nodeName",
    "go-template": "go-template='{{range .items}}{{.metadata.name}} {{end}}'",
}


class Format(NamedTuple):
    """How to print: the name of a format, without ``-file``, and the template, maybe of a file."""

    name: str
    template: str = ""
    file: str | None = None

    def columns(self) -> list[Column]:
        """The columns of a table of one's own."""
        from kubestage.cli import custom_columns

        if self.file is not None:
            return custom_columns.of_file(self.template, self.file)
        return custom_columns.of_spec(self.template)


def parse(output: str, template: str = "") -> Format:
    """What ``-o`` (and ``--template``) ask for; the file of a template is read."""
    if template and output == "table":
        output = "go-template"
    name, equals, text = output.partition("=")
    name = _OTHER_NAMES.get(name, name)
    choices.check_choice(name, (*PLAIN, *TEMPLATED))
    if name in PLAIN:
        if equals:
            raise InputError("takes no template", path=f"-o {name}", fix=f"write -o {name}")
        return Format(name)
    text = template or text
    if not text:
        kind = name.removesuffix(_FILE).removesuffix("-as-json")
        fix = f"write -o {name}=FILE" if name.endswith(_FILE) else f"write -o {_EXAMPLES[kind]}"
        raise InputError("template format specified but no template given", path="-o", fix=fix)
    if name.endswith(_FILE):
        try:
            content = reading.read(text, may_stream=True).decode()
        except UnicodeDecodeError:
            raise InputError("is no UTF-8 text", file=text, path=f"-o {name}") from None
        return Format(name.removesuffix(_FILE), content, text)
    return Format(name, text)


def by_jsonpath(format_: Format, whole: Json) -> str:
    """What a JSONPath template makes of an object."""
    from kubestage.objects import jsonpath

    path = "-o jsonpath"
    try:
        template = jsonpath.parse(format_.template)
    except jsonpath.JSONPathError as error:
        problem = f"error parsing jsonpath {format_.template}, {error}"
        raise InputError(problem, path=path, fix=f"write -o {_EXAMPLES['jsonpath']}") from None
    try:
        found = jsonpath.find(template, whole)
        is_json = format_.name == "jsonpath-as-json"
        return jsonpath.as_json(found) if is_json else jsonpath.as_text(found)
    except jsonpath.JSONPathError as error:
        problem = f'error executing jsonpath "{format_.template}": {error}'
        raise InputError(problem, path=path, fix="look at the object with -o json") from None


def by_go_template(format_: Format, whole: Json) -> str:
    """What a Go template makes of an object; it may call ``exists`` and ``base64decode``."""
    from kubestage.golang import template as gotemplate

    functions: dict[str, Callable[..., Any]] = {"exists": _exists, "base64decode": _base64decode}
    try:
        return gotemplate.parse(format_.template, "output", functions).execute(whole)
    except gotemplate.TemplateError as error:
        fix = error.fix or f"write -o {_EXAMPLES['go-template']}"
        raise InputError(str(error), path="-o go-template", fix=fix) from None


def _exists(item: Any, *indices: Any) -> bool:
    """Whether there is something at the end of a chain of keys and indices."""
    for index in indices:
        if isinstance(item, dict):
            item = item.get(index)
        elif isinstance(item, (list, str)) and isinstance(index, int) and 0 <= index < len(item):
            item = item[index]
        else:
            return False
    return item is not None


def _base64decode(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode("utf-8", "replace")
    except binascii.Error as error:
        raise ValueError(f"base64 decode failed: {error}") from None
