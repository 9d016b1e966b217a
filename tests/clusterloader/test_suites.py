"""Suites of configurations."""

from __future__ import annotations

import pytest

from kubestage.clusterloader import suites
from kubestage.clusterloader.suites import SuiteScenario
from kubestage.errors import InputError


def test_scenarios_come_in_order_whatever_the_case_of_their_keys() -> None:
    text = """
- identifier: one
  configPath: a/config.yaml
- Identifier: two-50:50
  ConfigPath: b/config.yaml
  overridePaths: [x.yaml, y.yaml]
"""
    assert suites.read(text, "suite.yaml") == (
        SuiteScenario("one", "a/config.yaml"),
        SuiteScenario("two-50:50", "b/config.yaml", ("x.yaml", "y.yaml")),
    )


def test_a_suite_may_be_json_or_empty() -> None:
    text = '[{"identifier": "one", "configPath": "a.yaml", "overridePaths": null}]'
    assert suites.read(text, "suite.json") == (SuiteScenario("one", "a.yaml"),)
    assert suites.read("# nothing\n", "suite.yaml") == ()


def test_a_key_that_nothing_reads_is_a_warning_of_its_scenario() -> None:
    text = "- {identifier: x, configPath: c.yaml}\n- {identifer: y, configPath: c.yaml}\n"
    first, second = suites.read(text, "suite.yaml")
    assert first.warnings == ()
    said = "suite.yaml: [1].identifer: unknown key (did you mean 'identifier'?)"
    assert second.warnings == (said,)


def test_all_problems_are_told_at_once() -> None:
    text = """
- {identifier: a_b, configPath: c.yaml}
- {identifier: x, configPath: c.yaml}
- {identifier: x}
- 5
"""
    with pytest.raises(InputError) as caught:
        suites.read(text, "suite.yaml")
    said = str(caught.value)
    assert "[0].identifier: scenario identifiers cannot contain underscores: 'a_b'" in said
    assert "[2].identifier: 'x' is the identifier of another scenario" in said
    assert "[2].configPath: a path is required" in said
    assert "[3]: expected a map, found the number 5" in said


@pytest.mark.parametrize("text", ["identifier: x", "just text"])
def test_a_suite_is_a_list(text: str) -> None:
    with pytest.raises(InputError, match="a suite is a list of scenarios"):
        suites.read(text, "suite.yaml")


def test_broken_yaml_names_the_file() -> None:
    with pytest.raises(InputError, match=r"suite\.yaml"):
        suites.read("- [", "suite.yaml")
