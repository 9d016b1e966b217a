from __future__ import annotations

import pytest

from kubestage.objects.pod_security import levels
from kubestage.objects.pod_security.levels import LevelVersion


def labels(**given: str) -> dict[str, str]:
    return {
        f"pod-security.kubernetes.io/{key.replace('_', '-')}": each for key, each in given.items()
    }


def test_without_labels_everything_is_allowed() -> None:
    for nothing in (None, {}, {"team": "a"}):
        assert levels.labelled_policy(nothing).policy.is_privileged
        assert not levels.has_policy(nothing)


def test_each_mode_has_its_own_level_and_version() -> None:
    given = labels(
        enforce="baseline", enforce_version="v1.20", audit="restricted", warn="privileged"
    )
    policy, problems = levels.labelled_policy(given)
    assert not problems
    assert policy.enforce == LevelVersion("baseline", "v1.20")
    assert policy.audit == LevelVersion("restricted", "latest")
    assert policy.warn == LevelVersion("privileged", "latest")


@pytest.mark.parametrize(
    ("given", "warned"),
    [
        (labels(enforce="restricted", enforce_version="v1.24"), "restricted:v1.24"),
        (labels(enforce="baseline", warn_version="v1.30"), "baseline:v1.30"),
        (labels(enforce="restricted", warn="baseline"), "baseline:latest"),
        (labels(enforce="privileged"), "privileged:latest"),
        (labels(enforce="nonsense"), "privileged:latest"),
    ],
)
def test_what_is_refused_is_also_warned_of(given: dict[str, str], warned: str) -> None:
    assert str(levels.labelled_policy(given).policy.warn) == warned


def test_labels_that_mean_nothing_are_named() -> None:
    found = levels.labelled_policy(labels(enforce="high", audit="low", warn_version="1.20"))
    assert [str(each) for each in found.problems] == [
        (
            'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "high": must be '
            "one of privileged, baseline, restricted"
        ),
        (
            'metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "low": must be '
            "one of privileged, baseline, restricted"
        ),
        (
            'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.20": must '
            'be "latest" or "v1.x"'
        ),
    ]
    # What cannot be read is strict where pods are refused, and lax elsewhere.
    assert found.policy.enforce.level == "restricted"
    assert found.policy.audit.is_privileged


@pytest.mark.parametrize("version", ["v1.01", "v2.0", "v1.", "v1.2.3", "LATEST", "v1.٣", ""])
def test_versions_are_of_one_form(version: str) -> None:
    assert levels.labelled_policy(labels(enforce="baseline", enforce_version=version)).problems


def test_a_version_to_come_is_the_newest_one() -> None:
    assert levels.minor("v1.99", 35) == 35
    assert levels.minor("latest", 35) == 35
    assert levels.minor("v1.9", 35) == 9
