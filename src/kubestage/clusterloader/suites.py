"""Suites: several configurations to be run one after the other, each with its own overrides."""

from __future__ import annotations

import msgspec

from kubestage.clusterloader.reading.fields import Fields
from kubestage.clusterloader.reading.problems import Place, Problems
from kubestage.clusterloader.templating import documents
from kubestage.errors import InputError


class SuiteScenario(msgspec.Struct, frozen=True):
    """One configuration of a suite; its paths are as the suite writes them.

    `warnings` are about keys that nothing reads.
    """

    identifier: str
    config_path: str
    override_paths: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def read(text: str, file: str) -> tuple[SuiteScenario, ...]:
    """The scenarios of a suite, in order; InputError has all that is wrong with it."""
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
    found: list[SuiteScenario] = []
    for index, each in enumerate(value):
        before = len(problems.warnings)
        fields = Fields(
            each, place.at(index), problems, ("identifier", "configPath", "overridePaths")
        )
        if fields.is_sound:
            scenario = _scenario(fields, problems, [scenario.identifier for scenario in found])
            warnings = tuple(problems.warnings[before:])
            found.append(msgspec.structs.replace(scenario, warnings=warnings))
    problems.refuse_any()
    return tuple(found)


def _scenario(fields: Fields, problems: Problems, taken: list[str]) -> SuiteScenario:
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
    return SuiteScenario(identifier, config_path, fields.texts("overridePaths") or ())
