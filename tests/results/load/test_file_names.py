"""Names of files: perfdash's form, whatever configurations are called."""

from __future__ import annotations

import pytest

from kubestage.measure.results import Summary
from kubestage.results.load.file_names import FileNames, is_plain
from tests.results.load.loads import BEGAN, SECOND, make_result

SUMMARY = Summary("PodStartupLatency_Pods", "{}", BEGAN + 65 * SECOND + 999_999_999)


def test_a_summary_is_named_after_itself_its_test_and_its_time() -> None:
    names = FileNames()
    told = "PodStartupLatency_Pods_density_2026-01-01T00:01:05Z.json"
    assert names.summary(make_result(), SUMMARY) == told
    other = names.summary(make_result(identifier="fast"), SUMMARY)
    assert other == "PodStartupLatency_Pods_density_fast_2026-01-01T00:01:05Z.json"
    text = Summary("Log", "", BEGAN, "txt")
    assert names.summary(make_result(), text) == "Log_density_2026-01-01T00:00:00Z.txt"


def test_a_configuration_is_named_after_its_test() -> None:
    names = FileNames()
    assert names.config(make_result()) == "generatedConfig_density.yaml"
    assert names.config(make_result(identifier="a")) == "generatedConfig_density_a.yaml"


def test_nothing_is_overwritten_by_something_of_the_same_name() -> None:
    names = FileNames(frozenset(["generatedConfig_x.yaml"]))
    assert names.config(make_result(name="X")) == "generatedConfig_X-2.yaml"
    assert names.config(make_result(name="x")) == "generatedConfig_x-3.yaml"
    assert names.summary(make_result(), SUMMARY) != names.summary(make_result(), SUMMARY)


@pytest.mark.parametrize("name", ["../../etc", "a/b", "a\\b", "nul\0", "new\nline", "\ud800"])
def test_a_name_never_becomes_a_path(name: str) -> None:
    told = FileNames().config(make_result(name=name))
    assert is_plain(told)
    assert told.encode()
    assert is_plain(FileNames().summary(make_result(name=name), Summary("S", "", BEGAN, name)))


def test_letters_of_all_scripts_stay_and_long_names_fit() -> None:
    assert FileNames().config(make_result(name="größe")) == "generatedConfig_größe.yaml"
    told = FileNames().summary(make_result(name="ü" * 400), SUMMARY)
    assert len(told.encode()) <= 255
    assert told.endswith("ü_2026-01-01T00:01:05Z.json")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "/etc/passwd"])
def test_what_is_no_file_of_the_directory_is_recognised(name: str) -> None:
    assert not is_plain(name)
