"""Single values that are set by the names of Go's fields."""

from __future__ import annotations

import pytest

from kubestage.clusterloader import config
from kubestage.clusterloader.reading.overwriting import overwritten
from kubestage.errors import InputError
from tests.clusterloader.configurations import loaded, phase, steps

TEXT = steps(phase(1)) + "Namespace: {Prefix: old, number: 2}\nname: test\n"


@pytest.mark.parametrize(
    ("overwrite", "expected"),
    [
        ("Namespace.Prefix=new", config.Namespaces(2, "new")),
        ("Namespace.Number=5", config.Namespaces(5, "old")),
        ("Namespace.DeleteStaleNamespaces=T", config.Namespaces(2, "old", True)),
        ("Namespace.DeleteAutomanagedNamespaces=0", config.Namespaces(2, "old", False, False)),
        (
            "Namespace.DeleteNamespaceTimeout=5000000000",
            config.Namespaces(2, "old", delete_timeout_ns=5 * 10**9),
        ),
    ],
)
def test_a_value_is_set_whatever_was_written(overwrite: str, expected: config.Namespaces) -> None:
    assert loaded(TEXT, overwrite=(overwrite,)).config.namespaces == expected


def test_later_ones_win_and_what_is_missing_is_made() -> None:
    found = loaded(
        steps(phase(1)),
        overwrite=("Name=a", "Name=b", "ChaosMonkey.NodeFailure.Interval=1000"),
    ).config
    assert found.name == "b"
    assert found.chaos_monkey.node_failure == config.NodeFailure(0, 1000, 0, 0)


@pytest.mark.parametrize(
    ("overwrite", "problem"),
    [
        ("Name", "not a key=value pair"),
        ("Name=a=b", "not a key=value pair"),
        ("namespace.prefix=x", r"cannot overwrite .*did you mean Namespace\.Prefix"),
        ("Steps=1", "cannot overwrite"),
        ("Namespace.Number=x", "cannot parse 'x' to int"),
        ("Namespace.Number=4294967296", "to int"),
        ("Namespace.EnableExistingNamespaces=maybe", "to bool"),
    ],
)
def test_what_cannot_be_set_is_refused(overwrite: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        overwritten({}, overwrite)


def test_the_configuration_that_was_handed_in_stays_as_it_is() -> None:
    value = {"Namespace": {"Prefix": "old"}}
    assert overwritten(value, "Namespace.Prefix=new") == {"namespace": {"prefix": "new"}}
    assert value == {"Namespace": {"Prefix": "old"}}
