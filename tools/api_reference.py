"""The API reference, made from docstrings while mkdocs builds the site (a hook of mkdocs.yml).

``python tools/api_reference.py`` prints the page.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
import typing
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.runs import flags

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULES = (
    "kubestage",
    "kubestage.runs",
    "kubestage.stage",
    "kubestage.errors",
    "kubestage.testing",
    "kubestage.scheduler.framework",
    "kubestage.controllers.hpa.framework",
    "kubestage.measure.framework",
    "kubestage.cluster.load_programs.framework",
    "kubestage.results.analysis",
    "kubestage.results.charts",
    "kubestage.results.comparison",
    "kubestage.results.timings",
    "kubestage.sim",
)
NAME = "api.md"
HEAD = """# API reference

The modules that programs build on, and every name in them. Names that are not listed here may
change without notice. [The library](library.md) is the guide.
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join([HEAD, *(_module(each) for each in MODULES)])


def on_files(files: Any, config: Any) -> Any:
    """Add the page to the site: mkdocs calls this."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only mkdocs needs it

    files.append(File.generated(config, NAME, content=page()))
    return files


def _module(name: str) -> str:
    module = importlib.import_module(name)
    parts = [f"## {name}", _text(inspect.getdoc(module) or "")]
    names = sorted(module.__all__, key=str.lower)
    parts += [_member(each, getattr(module, each)) for each in names]
    return "\n\n".join(part for part in parts if part) + "\n"


def _member(name: str, value: Any) -> str:
    if inspect.isclass(value):
        return "\n\n".join([f"### {name}", *_class(name, value)])
    if inspect.isroutine(value):
        return "\n\n".join([f"### {name}", _signature(name, value), _doc(value)])
    return f"### {name}\n\nA constant." if name != "__version__" else ""


def _class(name: str, value: type[Any]) -> Iterator[str]:
    yield _doc(value)
    if issubclass(value, flags.Options):
        yield _rows((each.name, _default(each), each.flag.help) for each in flags.fields(value))
        return
    if not (issubclass(value, (msgspec.Struct, Exception)) or typing.is_typeddict(value)):
        yield _signature(name, value)
    attributes = list(_attributes(value))
    if attributes:
        yield _rows(attributes)
    for key, member in vars(value).items():
        if key.startswith("_") or not (inspect.isroutine(member) or isinstance(member, property)):
            continue
        yield f"#### {name}.{key}"
        if not isinstance(member, property):
            yield _signature(key, inspect.unwrap(member))
        yield _doc(member)


def _attributes(value: type[Any]) -> Iterator[tuple[str, str, str]]:
    """Fields with their types, and the text below each."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError):
        return
    (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
    for node, following in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        if node.target.id.startswith("_"):
            continue
        is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        text = str(following.value.value) if is_text else ""  # type: ignore[union-attr]
        yield node.target.id, f"`{ast.unparse(node.annotation)}`", text


def _default(field: flags.Field) -> str:
    return "required" if field.required else f"`{field.default!r}`"


def _rows(rows: Any) -> str:
    cells = [(f"`{name}`", second, " ".join(text.split())) for name, second, text in rows]
    lines = ["| name | type or default | what it is |", "|---|---|---|"]
    lines += [
        f"| {' | '.join(each.replace('|', chr(92) + '|') for each in row)} |" for row in cells
    ]
    return "\n".join(lines)


def _signature(name: str, value: Any) -> str:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (ValueError, TypeError):
        return ""
    shown = ", ".join(_parameter(each) for each in parameters if each.name != "self")
    return f"```text\n{name}({shown})\n```"


def _parameter(parameter: inspect.Parameter) -> str:
    """A parameter with a default that has a short and stable text."""
    default = parameter.default
    text = str(parameter.replace(default=parameter.empty)).replace("'", "")
    if default is parameter.empty:
        return text
    is_plain = default in (None, ()) or isinstance(default, (str, int, float))
    return f"{text} = {default!r}" if is_plain else f"{text} = ..."


def _doc(value: Any) -> str:
    return _text(inspect.getdoc(value) or "")


def _text(doc: str) -> str:
    """A docstring as Markdown: an indented block behind two colons is code."""
    doc = doc.replace("``", "`") + "\n"
    return re.sub(
        r"::\n\n((?:    .*\n?|\n)+)", lambda found: f":\n\n{_code(found[1])}\n", doc
    ).strip()


def _code(block: str) -> str:
    return f"```text\n{textwrap.dedent(block).strip()}\n```\n"


if __name__ == "__main__":
    print(page())
