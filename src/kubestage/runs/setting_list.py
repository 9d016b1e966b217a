"""The settings of simulated components, as a list: names, defaults and meanings."""

from __future__ import annotations

import ast
import inspect
import itertools
from typing import Any, Final, NamedTuple

import msgspec

from kubestage.controllers.settings import Settings
from kubestage.golang import durations
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.notebook import TableResult

_COLUMNS: Final = columns(setting=Kind.TEXT, default=Kind.TEXT, meaning=Kind.TEXT)


class Setting(NamedTuple):
    """One setting; the default is empty if there is none, the meaning if nothing describes it."""

    name: str
    default: str
    meaning: str


class SettingList(TableResult, msgspec.Struct, frozen=True):
    """Settings, those of a component together."""

    settings: list[Setting]

    def table(self) -> Table:
        """A row for each."""
        return Table(_COLUMNS, [tuple(each) for each in self.settings])


def settings(word: str = "") -> SettingList:
    """All settings, or those in whose name or meaning a word is."""
    known = Settings()
    found = [
        setting
        for field in known.__struct_fields__
        if isinstance(getattr(known, field), msgspec.Struct)
        for setting in of_struct(getattr(known, field), f"{field.replace('_', '-')}.")
    ]
    found += of_struct(known, "")
    text = word.lower()
    return SettingList([each for each in found if text in f"{each.name} {each.meaning}".lower()])


def of_struct(known: msgspec.Struct, prefix: str) -> list[Setting]:
    """The settings of one component; its parts are left out."""
    meanings = _meanings(type(known))
    found = []
    for field in known.__struct_fields__:
        value = getattr(known, field)
        if not isinstance(value, (msgspec.Struct, dict)):
            name = field.removesuffix("_ns").replace("_", "-")
            default = _written(field, value)
            found.append(Setting(f"{prefix}{name}", default, meanings.get(field, "")))
    return found


def _meanings(kind: type) -> dict[str, str]:
    """What stands under each field of a class."""
    (found,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(found, ast.ClassDef)
    meanings = {}
    for statement, after in itertools.pairwise(found.body):
        match statement, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                meanings[name] = " ".join(text.split()).replace("``", "`")
    return meanings


def _written(field: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if field.endswith("_ns"):
        return durations.go_string(value)
    if isinstance(value, (tuple, frozenset)):
        value = ",".join(sorted(value))
    return str(value)
