"""Suites: several configurations to be run one after the other, each with its own overrides."""

from __future__ import annotations

import msgspec

from kubestage.errors import InputError
from kubestage.load.reading.fields import Fields
from kubestage.load.reading.problems import Place, Problems
from kubestage.load.templating import documents


class Scenario(msgspec.Struct, frozen=True):
    """One configuration of a suite; its paths are as the suite writes them."""

    identifier: str
    config_path: str
    override_paths: tuple[str, ...] = ()


def read(text: str, file: str) -> tuple[Scenario, ...]:
    """The scenarios of a suite, in order; InputError says all that is wrong with it."""
    try:
        value = documents.first(text)
    except InputError as error:
        error.file = file
        raise
    if value is None:
        return ()
    problems, place = Problems(), Place(file)
    if not isinstance(value, list):
        raise InputError(
            "a suite is a list of scenarios", file=file, fix="begin each with - identifier:"
        )
    found: list[Scenario] = []
    for index, each in enumerate(value):
        fields = Fields(
            each, place.at(index), problems, ("identifier", "configPath", "overridePaths")
        )
        if fields.is_sound:
            found.append(_scenario(fields, problems, [scenario.identifier for scenario in found]))
    problems.refuse_any()
    return tuple(found)


def _scenario(fields: Fields, problems: Problems, taken: list[str]) -> Scenario:
    identifier, config_path = fields.text("identifier"), fields.text("configPath")
    place = fields.place.child("identifier")
    if "_" in identifier:
        problems.error(
            place,
            f"scenario identifiers cannot contain underscores: {identifier!r}",
            "underscores separate the parts of the names of a report's files: use hyphens",
        )
    if identifier and identifier in taken:
        problems.error(place, f"{identifier!r} is the identifier of another scenario", "rename one")
    if not config_path:
        problems.error(fields.place.child("configPath"), "a path is required")
    return Scenario(identifier, config_path, fields.texts("overridePaths") or ())
