"""Semantic versions: what is one, and which is greater."""

from __future__ import annotations

import pytest

from kubestage.objects.cel import semver

ORDERED = [
    "0.9.0", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
    "1.0.0-beta", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0",
]  # fmt: skip


def test_versions_are_ordered_by_numbers_and_then_by_prerelease() -> None:
    backwards = ORDERED[::-1]
    assert sorted(backwards, key=semver.parse) == ORDERED


def test_build_metadata_does_not_count() -> None:
    assert semver.parse("1.2.3+one") == semver.parse("1.2.3+two.2")
    assert str(semver.parse("1.2.3-rc.1+build")) == "1.2.3-rc.1"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Version string empty"),
        ("1.2", "No Major.Minor.Patch elements found"),
        ("a.2.3", 'Invalid character(s) found in major number "a"'),
        ("01.2.3", 'Major number must not contain leading zeroes "01"'),
        ("1.02.3", 'Minor number must not contain leading zeroes "02"'),
        ("1.2.x", 'Invalid character(s) found in patch number "x"'),
        ("1.2.3-", "Prerelease is empty"),
        ("1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("1.2.3-a_b", 'Invalid character(s) found in prerelease "a_b"'),
        ("1.2.3+", "Build meta data is empty"),
        ("1.2.3+a_b", 'Invalid character(s) found in build meta data "a_b"'),
    ],
)
def test_what_is_no_version_is_refused(text: str, problem: str) -> None:
    with pytest.raises(semver.SemverError) as refusal:
        semver.parse(text)
    assert str(refusal.value) == problem


@pytest.mark.parametrize(
    ("text", "version"),
    [("v1.2.3", "1.2.3"), ("1", "1.0.0"), ("v01.02", "1.2.0"), ("00.0.010-rc", "0.0.10-rc")],
)
def test_a_tolerant_reader_fills_in_and_strips(text: str, version: str) -> None:
    assert semver.parse_tolerant(text) == semver.parse(version)


def test_a_short_version_has_no_prerelease() -> None:
    with pytest.raises(semver.SemverError, match="short version cannot contain"):
        semver.parse_tolerant("1.2-rc")
