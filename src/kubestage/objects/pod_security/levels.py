"""Levels, versions, and the policy that the labels of a namespace ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.golang import integers
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.validation.field import FieldError

PREFIX: Final = "pod-security.kubernetes.io/"
PRIVILEGED: Final = "privileged"
BASELINE: Final = "baseline"
RESTRICTED: Final = "restricted"
LATEST: Final = "latest"
LEVELS: Final = (PRIVILEGED, BASELINE, RESTRICTED)
"""From the least strict to the strictest."""

_version: Final = re.compile(r"v1\.([0-9]|[1-9][0-9]*)", re.ASCII).fullmatch


class LevelVersion(NamedTuple):
    """A level as some version of Kubernetes has it."""

    level: str = PRIVILEGED
    version: str = LATEST

    def __str__(self) -> str:
        return f"{self.level}:{self.version}"

    @property
    def is_privileged(self) -> bool:
        """Whether everything is allowed."""
        return self.level == PRIVILEGED

    @property
    def strictness(self) -> int:
        """The place of the level among all."""
        return LEVELS.index(self.level)


class Policy(NamedTuple):
    """What a namespace refuses, counts and warns of."""

    enforce: LevelVersion = LevelVersion()
    audit: LevelVersion = LevelVersion()
    warn: LevelVersion = LevelVersion()

    @property
    def is_privileged(self) -> bool:
        """Whether there is nothing to look at."""
        return all(each.is_privileged for each in self)


class Labelled(NamedTuple):
    """The policy of a namespace, and what is wrong with the labels that ask for it."""

    policy: Policy
    problems: list[FieldError]


ALL_ALLOWED: Final = Labelled(Policy(), [])


def has_policy(labels: Mapping[str, str] | None) -> bool:
    """Whether labels ask for any policy."""
    return bool(labels) and any(map(_is_ours, labels or ()))


def _is_ours(label: str) -> bool:
    return label.startswith(PREFIX)


def labelled_policy(labels: Mapping[str, str] | None) -> Labelled:
    """The policy that labels ask for.

    A level that is none stands for the strictest where pods are refused, and for nothing elsewhere.
    """
    if labels is None or not has_policy(labels):
        return ALL_ALLOWED
    problems: list[FieldError] = []
    enforce = _read(labels, "enforce", RESTRICTED, problems)
    audit = _read(labels, "audit", PRIVILEGED, problems)
    warn = _read(labels, "warn", PRIVILEGED, problems)
    if _inherits(labels) and enforce.strictness > warn.strictness:
        has_version = f"{PREFIX}warn-version" in labels
        warn = LevelVersion(enforce.level, warn.version if has_version else enforce.version)
    return Labelled(Policy(enforce, audit, warn), problems)


def _inherits(labels: Mapping[str, str]) -> bool:
    """Whether what is refused is also warned of: one may be laxer only on purpose."""
    return f"{PREFIX}warn" not in labels and labels.get(f"{PREFIX}enforce") in LEVELS


def _read(
    labels: Mapping[str, str], mode: str, otherwise: str, problems: list[FieldError]
) -> LevelVersion:
    level = labels.get(f"{PREFIX}{mode}", PRIVILEGED)
    if level not in LEVELS:
        choices = f"must be one of {', '.join(LEVELS)}"
        problems.append(field.invalid(f"metadata.labels[{PREFIX}{mode}]", level, choices))
        level = otherwise
    version = labels.get(f"{PREFIX}{mode}-version", LATEST)
    if version != LATEST and not _version(version):
        path = f"metadata.labels[{PREFIX}{mode}-version]"
        problems.append(field.invalid(path, version, 'must be "latest" or "v1.x"'))
        version = LATEST
    return LevelVersion(level, version)


def minor(version: str, newest: int) -> int:
    """The minor number of a version; versions to come are the newest one."""
    if version == LATEST:
        return newest
    digits = version.removeprefix("v1.")
    # NOTE: a label holds 63 characters, more digits than any version will ever have.
    return min(integers.parse(digits), newest)
